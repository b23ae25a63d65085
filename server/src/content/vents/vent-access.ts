import type { ContentBase } from '../../kernel/base.ts';
import type { ReactionCounts } from '@unsaid/contract';
import type { ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { openVentId } from '../../kernel/public-ids.ts';
import { ventPlace } from '../../kernel/speakers.ts';
import type { WaitingList } from '../listening/waiting-list.ts';
import * as queries from './vents.queries.ts';
import { isOver } from './vents.state.ts';

/** What reactions, comments and reports need of a vent: access to it, and its counters. */
export interface VentAccess {
  /** Throws VENT_NOT_FOUND where no one can see such a vent: forged, hidden and deleted are one response. */
  findVisible(db: ContentDb, sealedId: string, viewer: Person): Promise<VisibleVent>;
  /** Throws like `findVisible`. */
  assertVisible(viewer: Pick<Viewer, 'person'>, sealedId: string): Promise<void>;
  /**
   * Locks a visible vent for changes to its reactions: concurrent ones wait here. Throws VENT_NOT_FOUND. `isOwnOf` tells
   * whether a person is its author.
   */
  lockForReactions(tx: ContentDb, sealedId: string): Promise<ReactedVent>;
  /**
   * Counts reactions of others (+1), or their deletions (-1), and invalidates the feed. A vent that wants a hug is heard by
   * the first.
   */
  recordReactions(
    tx: ContentDb,
    vent: Omit<ReactedVent, 'isOwnOf'>,
    interactions: readonly Interaction[],
    afterCommit: AfterCommit,
  ): Promise<ReactionCounts>;
  /** Counts a comment that a moderator hid or restored, or that was deleted. */
  recordCommentChange(
    tx: ContentDb,
    ventId: bigint,
    change: Omit<Interaction, 'kind'>,
    afterCommit: AfterCommit,
  ): Promise<void>;
  /** The vent, with what a comment of this person counts on it. Throws VENT_NOT_FOUND and COMMENTS_DISABLED. */
  admitComment<V extends CommentedVent>(
    ventId: bigint,
    vent: V | null,
    writer: Person,
  ): V & { readonly weight: queries.CommentWeight };
  /**
   * A comment was committed: invalidates the feed. That of another person is an answer: this process offers the vent to
   * listeners as one that has it.
   */
  recordComment(ventId: bigint, weight: queries.CommentWeight): Promise<void>;
  findReactionCounts(ventId: bigint): Promise<ReactionCounts>;
}

interface InteractionTarget {
  readonly ventId: bigint;
  /** Comments of authors on their own vents are shown as such, and do not count for trending. */
  readonly isOwn: boolean;
}

export interface VisibleVent extends InteractionTarget {
  readonly wantsHug: boolean;
}

interface ReactedVent extends Pick<VisibleVent, 'ventId' | 'wantsHug'> {
  isOwnOf(person: Person): boolean;
}

interface Interaction extends Pick<InteractionTarget, 'isOwn'> {
  readonly kind: queries.StatColumn;
  readonly delta: number;
}

type CommentedVent = NonNullable<Awaited<ReturnType<typeof queries.findVisible>>> & {
  readonly allowComments: boolean;
};

/** As handed out by `transaction`. */
type AfterCommit = (effect: () => Promise<void>) => void;

/** Of others: those of the author are not counted. */
export const hasReactions = ({ heart, hug, listen }: ReactionCounts) => heart + hug + listen > 0;

/** In the trending score. */
const commentWeight = 3;

interface VentAccessDeps extends Pick<ContentBase, 'db' | 'clock' | 'publicIds' | 'speakers'> {
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
  readonly waiting: Pick<WaitingList, 'addAnswer' | 'remove'>;
}

export function createVentAccess(deps: VentAccessDeps): VentAccess {
  const { db, clock, publicIds, speakers, feedCache, waiting } = deps;

  const isBy = (ventId: bigint, speaker: Buffer, { speakerId }: Person) =>
    speakers.numberOf({ ...ventPlace(ventId), speaker }, speakerId) !== null;

  async function opened(find: typeof queries.findVisible, on: ContentDb, sealedId: string) {
    const ventId = openVentId(publicIds, sealedId);
    const vent = await find(on, ventId);
    if (!vent || isOver(vent, clock.now())) throw new AppError('VENT_NOT_FOUND');
    return { ...vent, ventId, wantsHug: vent.need === 'hug' };
  }

  async function visible(
    find: typeof queries.findVisible,
    on: ContentDb,
    sealedId: string,
    viewer: Person,
  ): Promise<VisibleVent> {
    const { ventId, speaker, wantsHug } = await opened(find, on, sealedId);
    const isOwn = isBy(ventId, speaker, viewer);
    return { ventId, isOwn, wantsHug };
  }

  /** The counters are on cached pages, and readers must see their own write. */
  const invalidateFeed = () => feedCache.invalidateAll();

  async function recordInteractions(
    tx: ContentDb,
    ventId: bigint,
    interactions: readonly Interaction[],
    afterCommit: AfterCommit,
  ) {
    const added = { heart: 0, hug: 0, listen: 0, comments: 0, ownWeight: 0 };
    for (const { kind, delta, isOwn } of interactions) {
      added[kind] += delta;
      if (isOwn) added.ownWeight += delta * commentWeight;
    }
    const counts = await queries.addToStats(tx, ventId, added);
    if (!counts) throw new AppError('VENT_NOT_FOUND');
    afterCommit(invalidateFeed);
    return counts;
  }

  return {
    findVisible: (on, sealedId, viewer) => visible(queries.findVisible, on, sealedId, viewer),
    async assertVisible({ person }, sealedId) {
      await visible(queries.findVisible, db, sealedId, person);
    },
    async lockForReactions(tx, sealedId) {
      const { ventId, speaker, wantsHug } = await opened(queries.lockVisible, tx, sealedId);
      await queries.lockStats(tx, ventId);
      return { ventId, wantsHug, isOwnOf: (person) => isBy(ventId, speaker, person) };
    },
    async recordReactions(tx, { ventId, wantsHug }, interactions, afterCommit) {
      const counts = await recordInteractions(tx, ventId, interactions, afterCommit);
      if (wantsHug) {
        const isHugged = hasReactions(counts);
        await queries.updateHugged(tx, ventId, isHugged);
        if (isHugged) afterCommit(async () => waiting.remove([ventId]));
      }
      return counts;
    },
    async recordCommentChange(tx, ventId, { isOwn, delta }, afterCommit) {
      await recordInteractions(tx, ventId, [{ isOwn, delta, kind: 'comments' }], afterCommit);
      if (!isOwn) await queries.recountAnswers(tx, ventId);
    },
    admitComment(ventId, vent, writer) {
      if (!vent || isOver(vent, clock.now())) throw new AppError('VENT_NOT_FOUND');
      if (!vent.allowComments || vent.need === 'hug') throw new AppError('COMMENTS_DISABLED');
      const isOwn = isBy(ventId, vent.speaker, writer);
      return { ...vent, weight: { ownWeight: isOwn ? commentWeight : 0, isAnswer: !isOwn } };
    },
    async recordComment(ventId, { isAnswer }) {
      await invalidateFeed();
      if (isAnswer) waiting.addAnswer(ventId);
    },
    findReactionCounts: async (ventId) =>
      (await queries.findReactionCounts(db, ventId)) ?? { heart: 0, hug: 0, listen: 0 },
  };
}
