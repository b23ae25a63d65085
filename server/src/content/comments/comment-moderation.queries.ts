import { sql } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';
import { nextState, type ModerationEvent } from '../vents/vents.state.ts';
import type { CommentId } from '../../kernel/public-ids.ts';
import type { CommentRow, CommentState, CommentVoice } from './comments.queries.ts';
import { forgettingThanks } from './thanks.queries.ts';

export interface ReportedComment extends CommentRow {
  readonly state: string;
}

/** In every state. */
export async function findReported(
  db: ContentDb,
  { ventId, no }: CommentId,
): Promise<ReportedComment | undefined> {
  const { rows } = await sql<ReportedComment>`
    select vent_id, no, voice, speaker, body, said_on, state from content.comments
     where vent_id = ${ventId} and no = ${no}`.execute(db);
  return rows[0];
}

/**
 * Undefined where nothing changed. The update moves the row, so it counts as fresh: the next night it is rewritten among
 * the comments of the day, in the order of slot keys.
 */
export async function changeState(
  tx: ContentDb,
  { ventId, no }: CommentId,
  event: ModerationEvent,
): Promise<{ voice: CommentVoice; before: CommentState; state: CommentState } | undefined> {
  const row = await tx
    .selectFrom('content.comments')
    .select(['voice', 'state'])
    .where('ventId', '=', ventId)
    .where('no', '=', no)
    .forUpdate()
    .executeTakeFirst();
  const before = row?.state as CommentState | undefined;
  const state = before && (nextState(before, event) as CommentState | null);
  if (!row || !before || !state) return undefined;
  await tx
    .updateTable('content.comments')
    .set({ state, isFresh: true })
    .where('ventId', '=', ventId)
    .where('no', '=', no)
    .execute();
  return { voice: row.voice as CommentVoice, before, state };
}

export async function listExisting(db: ContentDb, ids: readonly CommentId[]): Promise<CommentId[]> {
  const { rows } = await sql<CommentId>`
    select comment.vent_id, comment.no
      from unnest(${ids.map(({ ventId }) => ventId)}::bigint[], ${ids.map(({ no }) => no)}::int[]) as asked (vent_id, no)
      join content.comments as comment on comment.vent_id = asked.vent_id and comment.no = asked.no
      join content.vents as vent on vent.id = comment.vent_id and vent.state <> 'author_deleted'`.execute(db);
  return rows;
}

/** It is in no counter. Its thanks go with it. */
export async function deleteRemoved(tx: ContentDb, { ventId, no }: CommentId): Promise<void> {
  await forgettingThanks(tx, { ventId, no })
    .deleteFrom('content.comments')
    .where('ventId', '=', ventId)
    .where('no', '=', no)
    .where('state', '=', 'removed')
    .execute();
}
