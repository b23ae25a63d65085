import { textsSaid } from '@unsaid/contract';
import { ventPlace } from '../../kernel/speakers.ts';
import type { ItemCopy, SubjectOf } from '../../kernel/subjects.ts';
import { inTransaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { findVents } from '../feed/feed.hot.queries.ts';
import { deleteVentRow } from './deletions.queries.ts';
import { paragraphsOf, toSaid } from './said.ts';
import * as queries from './vent-moderation.queries.ts';
import type { ModerationEvent } from './vents.state.ts';
import type { ContentContext } from '../context.ts';

type VentSubject = SubjectOf<'vent'>;
type VentRow = Awaited<ReturnType<typeof findVents>>[number];

/** What a moderator is shown of a vent, with its encrypted author. */
function ventCopy({ id, createdAt, speaker, state, ...said }: VentRow): ItemCopy {
  const posted = { label: 'Posted', text: `${createdAt.toISOString().slice(0, 16)}Z` };
  return {
    snapshot: { paragraphs: [...paragraphsOf(said), posted], excerpt: said.title },
    author: { ...ventPlace(id), speaker },
    words: textsSaid(toSaid(said)).join('\n'),
    unseenAs: state === 'visible' ? null : 'VENT_NOT_FOUND',
  };
}

/** What moderation reads of a vent, and what a decision does to it. */

export async function readReportedVent(ctx: ContentContext, { ventId }: VentSubject): Promise<ItemCopy> {
  const [vent] = await findVents(ctx.db, [ventId]);
  if (!vent || vent.state === 'author_deleted') throw new AppError('VENT_NOT_FOUND');
  return ventCopy(vent);
}

export async function applyToVent(
  ctx: ContentContext,
  { ventId }: VentSubject,
  event: ModerationEvent,
): Promise<void> {
  if (await queries.changeState(ctx.db, ventId, event)) await ctx.feedCache.invalidateAll();
}

export async function listExistingVents(
  ctx: ContentContext,
  subjects: readonly VentSubject[],
): Promise<readonly VentSubject[]> {
  const existing = new Set(
    await queries.listExisting(
      ctx.db,
      subjects.map(({ ventId }) => ventId),
    ),
  );
  return subjects.filter(({ ventId }) => existing.has(ventId));
}

export const findVentText = (ctx: ContentContext, ventId: bigint) => queries.findText(ctx.db, ventId);
export const deleteRemovedVent = (ctx: ContentContext, { ventId }: VentSubject) =>
  inTransaction(ctx, async ({ db }) => {
    if (await queries.lockRemoved(db, ventId)) await deleteVentRow(db, ventId);
  });

export async function rewriteVents(ctx: ContentContext, ventIds: readonly bigint[]): Promise<void> {
  for (const ventId of [...new Set(ventIds)].toSorted((a, b) => (a < b ? -1 : 1)))
    await queries.rewrite(ctx.db, ventId);
}
