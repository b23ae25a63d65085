import type { Day } from '../platform/clock.ts';
import { statement, type ContentDb } from '../platform/db.ts';
import type { CommentId } from '../platform/seals.ts';
import type { Voice } from '../platform/speakers.ts';

export type CommentVoice = Exclude<Voice, 'vent'>;

export interface CommentRow extends CommentId {
  readonly voice: CommentVoice;
  /** Encrypted (platform/speakers.ts). */
  readonly speaker: Buffer;
  readonly body: string;
  readonly saidOn: Day;
}

/** Newest first, before a given one where it is named. */
export async function listOf(
  db: ContentDb,
  ventId: bigint,
  beforeNo: number | null,
  limit: number,
): Promise<CommentRow[]> {
  return statement<CommentRow>`
    select vent_id, no, voice, speaker, body, said_on from content.comments
     where vent_id = ${ventId} and no < coalesce(${beforeNo}::int, 2147483647) order by no desc limit ${limit}`.rows(
    db,
  );
}

/** The newest few of each vent on a page, in one statement. */
export async function listNewestOf(
  db: ContentDb,
  ventIds: readonly bigint[],
  limit: number,
): Promise<CommentRow[]> {
  if (ventIds.length === 0) return [];
  return statement<CommentRow>`
    select comment.vent_id, comment.no, comment.voice, comment.speaker, comment.body, comment.said_on
      from unnest(${ventIds}::bigint[]) as vent (id)
     cross join lateral (
       select * from content.comments as c where c.vent_id = vent.id order by c.no desc limit ${limit}
     ) as comment`.rows(db);
}

/** By slot keys, which only their writer can make; in the order of the keys given. */
export async function listInSlots(db: ContentDb, slotKeys: readonly Buffer[]): Promise<CommentRow[]> {
  return statement<CommentRow>`
    select comment.vent_id, comment.no, comment.voice, comment.speaker, comment.body, comment.said_on
      from unnest(${slotKeys}::bytea[]) with ordinality as slot (key, position)
      join content.comments as comment on comment.slot_key = slot.key
     order by slot.position`.rows(db);
}

export async function listSlotsInUse(db: ContentDb, slotKeys: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await statement<{ slotKey: Buffer }>`
    select slot_key from content.comments where slot_key = any(${slotKeys}::bytea[])`.rows(db);
  return rows.map(({ slotKey }) => slotKey);
}

export async function findComment(db: ContentDb, { ventId, no }: CommentId): Promise<CommentRow | undefined> {
  const [row] = await statement<CommentRow>`
    select vent_id, no, voice, speaker, body, said_on from content.comments
     where vent_id = ${ventId} and no = ${no}`.rows(db);
  return row;
}

export async function insertComment(
  tx: ContentDb,
  comment: CommentRow & { readonly slotKey: Buffer },
): Promise<void> {
  await tx.insertInto('content.comments').values(comment).execute();
}

/** Who wrote the vent and who the comment. The vent is held, as it is by everybody who changes what hangs on it. */
export async function findSpeakers(tx: ContentDb, { ventId, no }: CommentId) {
  return tx
    .selectFrom('content.vents as vent')
    .innerJoin('content.comments as comment', 'comment.ventId', 'vent.id')
    .select(['vent.speaker as ventSpeaker', 'comment.speaker', 'comment.voice'])
    .where('vent.id', '=', ventId)
    .where('vent.state', 'in', ['visible', 'hidden'])
    .where('comment.no', '=', no)
    .forKeyShare('vent')
    .executeTakeFirst();
}

export async function holdVent(tx: ContentDb, ventId: bigint): Promise<void> {
  await tx.selectFrom('content.vents').select('id').where('id', '=', ventId).forKeyShare().execute();
}

/** Which voice it had; nothing where it is not there. */
export async function deleteComment(
  tx: ContentDb,
  { ventId, no }: CommentId,
): Promise<CommentVoice | undefined> {
  const row = await tx
    .deleteFrom('content.comments')
    .where('ventId', '=', ventId)
    .where('no', '=', no)
    .returning('voice')
    .executeTakeFirst();
  return row?.voice as CommentVoice | undefined;
}
