import { transaction, type Databases } from '../platform/db.ts';
import type { CommentId } from '../pseudonyms/public-ids.ts';
import type { VentAccess } from '../vents/vent-access.service.ts';
import type { ModerationEvent } from '../vents/vents.state.ts';
import { lockVent } from './comments.queries.ts';
import * as queries from './comment-moderation.queries.ts';

/** What moderation reads of a comment, and what a decision does to it. */
export interface CommentModeration {
  /** In every state, with its encrypted author. */
  find(id: CommentId): Promise<queries.ReportedComment | null>;
  /** Nothing happens where the state does not allow it: repeated, or deleted by its writer. */
  apply(id: CommentId, event: ModerationEvent): Promise<void>;
  /** Without those that were deleted, alone or with their vent. */
  listExisting(ids: readonly CommentId[]): Promise<CommentId[]>;
  /** Deletes a comment that was removed. */
  deleteRemoved(id: CommentId): Promise<void>;
}

export function createCommentModeration({
  db,
  access,
}: {
  readonly db: Databases;
  readonly access: VentAccess;
}): CommentModeration {
  return {
    find: async (id) => (await queries.findReported(db.content, id)) ?? null,
    apply: ({ ventId, no }, event) =>
      transaction(db.content, async (tx, afterCommit) => {
        // As every writer of comments and counters does: the nightly rewrite waits for it.
        await lockVent(tx, ventId);
        const changed = await queries.changeState(tx, { ventId, no }, event);
        if (!changed) return;
        const delta = Number(changed.state === 'visible') - Number(changed.before === 'visible');
        if (delta === 0) return;
        const isOwn = changed.voice === 'author';
        await access.recordInteractions(tx, ventId, [{ isOwn, kind: 'comments', delta }], afterCommit);
      }),
    listExisting: (ids) => queries.listExisting(db.content, ids),
    deleteRemoved: (id) =>
      transaction(db.content, async (tx) => {
        await lockVent(tx, id.ventId);
        await queries.deleteRemoved(tx, id);
      }),
  };
}
