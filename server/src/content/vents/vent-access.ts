import type { ReactionCounts } from '@unsaid/contract';
import type { AfterCommit, ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { openVentId } from '../../kernel/public-ids.ts';
import { ventPlace } from '../../kernel/speakers.ts';
import * as queries from './vents.queries.ts';
import { isOver } from './vents.state.ts';
import type { ContentContext } from '../context.ts';

/** What reactions, comments and reports need of a vent: access to it, and its counters. */

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

/** Of others: those of the author are not counted. */
export const hasReactions = ({ heart, hug, listen }: ReactionCounts) => heart + hug + listen > 0;

/** In the trending score. */
const commentWeight = 3;

const isBy = (ctx: ContentContext, ventId: bigint, speaker: Buffer, { speakerId }: Person) =>
  ctx.speakers.numberOf({ ...ventPlace(ventId), speaker }, speakerId) !== null;

async function opened(
  ctx: ContentContext,
  find: typeof queries.findVisible,
  on: ContentDb,
  sealedId: string,
) {
  const ventId = openVentId(ctx.publicIds, sealedId);
  const vent = await find(on, ventId);
  if (!vent || isOver(vent, ctx.clock.now())) throw new AppError('VENT_NOT_FOUND');
  return { ...vent, ventId, wantsHug: vent.need === 'hug' };
}

/** Throws VENT_NOT_FOUND where no one can see such a vent: forged, hidden and deleted are one response. */
export async function findVisibleVent(
  ctx: ContentContext,
  on: ContentDb,
  sealedId: string,
  viewer: Person,
): Promise<VisibleVent> {
  const { ventId, speaker, wantsHug } = await opened(ctx, queries.findVisible, on, sealedId);
  const isOwn = isBy(ctx, ventId, speaker, viewer);
  return { ventId, isOwn, wantsHug };
}

async function recordInteractions(
  ctx: ContentContext,
  ventId: bigint,
  interactions: readonly Interaction[],
  afterCommit: AfterCommit,
) {
  const added = { heart: 0, hug: 0, listen: 0, comments: 0, ownWeight: 0 };
  for (const { kind, delta, isOwn } of interactions) {
    added[kind] += delta;
    if (isOwn) added.ownWeight += delta * commentWeight;
  }
  const counts = await queries.addToStats(ctx.db, ventId, added);
  if (!counts) throw new AppError('VENT_NOT_FOUND');
  // The counters are on cached pages, and readers must see their own write.
  afterCommit(() => ctx.feedCache.invalidateAll());
  return counts;
}

/** Throws like `findVisibleVent`. */
export async function assertVisible(
  ctx: ContentContext,
  { person }: Pick<Viewer, 'person'>,
  sealedId: string,
): Promise<void> {
  await findVisibleVent(ctx, ctx.db, sealedId, person);
}

/**
 * Locks a visible vent for changes to its reactions: concurrent ones wait here. Throws VENT_NOT_FOUND. `isOwnOf` tells
 * whether a person is its author.
 */
export async function lockForReactions(ctx: ContentContext, sealedId: string): Promise<ReactedVent> {
  const { ventId, speaker, wantsHug } = await opened(ctx, queries.lockVisible, ctx.db, sealedId);
  await queries.lockStats(ctx.db, ventId);
  return { ventId, wantsHug, isOwnOf: (person) => isBy(ctx, ventId, speaker, person) };
}

/**
 * Counts reactions of others (+1), or their deletions (-1), and invalidates the feed. A vent that wants a hug is heard by
 * the first.
 */
export async function recordReactions(
  ctx: ContentContext,
  { ventId, wantsHug }: Omit<ReactedVent, 'isOwnOf'>,
  interactions: readonly Interaction[],
  afterCommit: AfterCommit,
): Promise<ReactionCounts> {
  const counts = await recordInteractions(ctx, ventId, interactions, afterCommit);
  if (wantsHug) {
    const isHugged = hasReactions(counts);
    await queries.updateHugged(ctx.db, ventId, isHugged);
    if (isHugged) afterCommit(async () => ctx.waiting.remove([ventId]));
  }
  return counts;
}

/** Counts a comment that a moderator hid or restored, or that was deleted. */
export async function recordCommentChange(
  ctx: ContentContext,
  ventId: bigint,
  { isOwn, delta }: Omit<Interaction, 'kind'>,
  afterCommit: AfterCommit,
): Promise<void> {
  await recordInteractions(ctx, ventId, [{ isOwn, delta, kind: 'comments' }], afterCommit);
  if (!isOwn) await queries.recountAnswers(ctx.db, ventId);
}

/** The vent, with what a comment of this person counts on it. Throws VENT_NOT_FOUND and COMMENTS_DISABLED. */
export function admitComment<V extends CommentedVent>(
  ctx: ContentContext,
  ventId: bigint,
  vent: V | null,
  writer: Person,
): V & { readonly weight: queries.CommentWeight } {
  if (!vent || isOver(vent, ctx.clock.now())) throw new AppError('VENT_NOT_FOUND');
  if (!vent.allowComments || vent.need === 'hug') throw new AppError('COMMENTS_DISABLED');
  const isOwn = isBy(ctx, ventId, vent.speaker, writer);
  return { ...vent, weight: { ownWeight: isOwn ? commentWeight : 0, isAnswer: !isOwn } };
}

/**
 * A comment was committed: invalidates the feed. That of another person is an answer: this process offers the vent to
 * listeners as one that has it.
 */
export async function recordComment(
  ctx: ContentContext,
  ventId: bigint,
  { isAnswer }: queries.CommentWeight,
): Promise<void> {
  await ctx.feedCache.invalidateAll();
  if (isAnswer) ctx.waiting.addAnswer(ventId);
}

export const findReactionCounts = async (ctx: ContentContext, ventId: bigint): Promise<ReactionCounts> =>
  (await queries.findReactionCounts(ctx.db, ventId)) ?? { heart: 0, hug: 0, listen: 0 };
