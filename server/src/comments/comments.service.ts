import { limits, type CommentView } from '@unsaid/contract';
import type { Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Seals } from '../platform/seals.ts';
import type { PensService } from '../pens/pens.service.ts';
import type { ProfilesService, PublicName } from '../profiles/profiles.service.ts';
import type { VentDoors } from '../vents/vent-doors.service.ts';
import * as queries from './comments.queries.ts';
import { commentView } from './comments.view.ts';
import { createOwnComments, type OwnComments } from './own-comments.ts';

export interface SharedComments {
  /** By vent, oldest first. */
  readonly rows: ReadonlyMap<bigint, queries.CommentRow[]>;
  readonly names: ReadonlyMap<bigint, PublicName>;
}

export interface CommentsService {
  add(
    viewer: Viewer,
    wish: { readonly ventId: string; readonly text: string; readonly anonymous?: boolean | undefined },
    idempotencyKey: Buffer | null,
  ): Promise<CommentView>;
  list(
    viewer: Viewer,
    ventId: string,
    before: string | undefined,
  ): Promise<{ comments: CommentView[]; hasOlder: boolean }>;
  remove(viewer: Viewer, ventId: string, commentId: string): Promise<void>;
  /** What every reader of these vents sees alike. */
  newestOf(ventIds: readonly bigint[]): Promise<SharedComments>;
  /** Ids of all that somebody wrote, under their name or not. */
  idsWrittenBy: OwnComments['idsOf'];
  removeForGood(id: bigint): Promise<void>;
}

interface CommentsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly doors: VentDoors;
  readonly profiles: ProfilesService;
  readonly pens: PensService;
  readonly metrics: Metrics;
}

/** In seconds, as coarse as the times that readers are shown: the sum of a histogram is exact. */
function wholeMinutes(later: Date, earlier: Date): number {
  return Math.max(0, Math.floor((later.getTime() - earlier.getTime()) / 60_000)) * 60;
}

export function createCommentsService(deps: CommentsDeps): CommentsService {
  const { db, clock, seals, doors, profiles, pens, metrics } = deps;
  const own = createOwnComments(deps);
  const namesOf = (rows: readonly queries.CommentRow[]) =>
    profiles.names(rows.flatMap(({ userId }) => (userId === null ? [] : [userId])));

  async function view(row: queries.CommentRow, viewer: Viewer): Promise<CommentView> {
    return commentView(row, viewer, await namesOf([row]), seals);
  }

  async function earlier(key: Buffer | null): Promise<queries.CommentRow | undefined> {
    const id = key && (await doors.earlierResult(key));
    if (!id) return undefined;
    const row = await queries.findComment(db.content, id);
    // It was accepted and taken away since: sent again, it does not come back.
    if (!row) throw new AppError('COMMENT_NOT_FOUND');
    return row;
  }

  return {
    async add(viewer, { ventId: sealedId, text, anonymous }, key) {
      const done = await earlier(key);
      if (done) return view(done, viewer);
      const now = new Date(clock.now());
      const row = await transaction(db.content, async (tx, afterCommit) => {
        const { ventId, authorKey, createdAt } = await doors.open(sealedId, tx);
        const isAuthor = authorKey.equals(viewer.authorKey);
        const isNamed = !isAuthor && !anonymous;
        const isMasked = !isAuthor && !isNamed;
        await pens.refuseLeaving(tx, viewer.authorKey);
        if (key && !(await doors.claim(tx, key, now))) return null;
        const inserted = await queries.insertComment(tx, {
          ventId,
          userId: isNamed ? viewer.userId : null,
          writerKey: isNamed ? null : isAuthor ? viewer.authorKey : seals.commentKey(viewer.userId, ventId),
          // Before the counters: whoever waits for a slot must hold nothing that its holder needs.
          slotKey: isMasked ? await own.takeSlot(tx, viewer.authorKey) : null,
          isAuthor,
          body: text,
          createdAt: now,
        });
        if (!inserted) throw new AppError('COMMENTS_DISABLED');
        const gift = { ventId, authorKey, column: 'comments', change: 1, isOwn: isAuthor } as const;
        const { comments } = await doors.count(tx, gift);
        if (comments === 1 && !isAuthor)
          afterCommit(() => metrics.firstCommentSeconds.observe(wholeMinutes(now, createdAt)));
        if (key) await doors.settle(tx, key, inserted.id);
        return inserted;
      });
      const settled = row ?? (await earlier(key));
      if (!settled) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
      return view(settled, viewer);
    },

    async list(viewer, sealedId, before) {
      const { ventId } = await doors.open(sealedId);
      const beforeId = before === undefined ? null : (seals.comment.open(before) ?? 0n);
      const rows = await queries.listOf(db.content, ventId, beforeId, limits.commentsShown + 1);
      const shown = rows.slice(0, limits.commentsShown);
      const names = await namesOf(shown);
      return {
        comments: shown.map((row) => commentView(row, viewer, names, seals)).toReversed(),
        hasOlder: rows.length > shown.length,
      };
    },

    async remove(viewer, sealedVent, sealedComment) {
      const ventId = seals.vent.open(sealedVent) ?? -1n;
      const commentId = seals.comment.open(sealedComment) ?? -1n;
      await transaction(db.content, async (tx) => {
        const gone = await queries.deleteComment(tx, {
          ventId,
          commentId,
          userId: viewer.userId,
          authorKey: viewer.authorKey,
          commentKey: seals.commentKey(viewer.userId, ventId),
        });
        if (!gone) throw new AppError('COMMENT_NOT_FOUND');
        await doors.count(tx, {
          ventId,
          authorKey: gone.authorKey,
          column: 'comments',
          change: -1,
          isOwn: gone.isAuthor,
        });
      });
    },

    async newestOf(ventIds) {
      const newest = await queries.listNewestOf(db.content, ventIds, limits.commentsShown);
      const rows = Map.groupBy(
        newest.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        (row) => row.ventId,
      );
      return { rows, names: await namesOf(newest) };
    },

    idsWrittenBy: own.idsOf,

    async removeForGood(id) {
      await transaction(db.content, async (tx) => {
        const gone = await queries.removeComment(tx, id);
        if (!gone) return;
        const { ventId, authorKey, isAuthor } = gone;
        await doors.count(tx, { ventId, authorKey, column: 'comments', change: -1, isOwn: isAuthor });
      });
    },
  };
}
