import type { ContentDb } from '../../platform/db.ts';
import type { VentAccess } from '../vents/vent-access.ts';
import type { OwnCommentRow } from './comments.queries.ts';

/** Counts a deleted comment off its vent. Only visible comments are counted. */
export async function recordDeletion(
  access: VentAccess,
  tx: ContentDb,
  ventId: bigint,
  { voice, state }: Pick<OwnCommentRow, 'voice' | 'state'>,
  afterCommit: (effect: () => Promise<void>) => void,
): Promise<void> {
  if (state !== 'visible') return;
  await access.recordCommentChange(tx, ventId, { isOwn: voice === 'author', delta: -1 }, afterCommit);
}
