import type { MatchPreference } from '@unsaid/contract';
import { fit, similarity, sum, type Weights } from './emotion-space.ts';

/** One number that is true for both of two people. Pure: what goes in is all that counts. */

export interface Matchable {
  /** Weight of each emotion in what they vented lately. */
  readonly weights: Weights;
  /** Hashtags of those vents, each as a number that names it. */
  readonly tags: readonly number[];
  /** Interests and likes, folded. */
  readonly likes: ReadonlySet<string>;
  readonly dislikes: ReadonlySet<string>;
  readonly preference: MatchPreference | null;
  readonly daysAway: number;
}

/** What a shared tag is worth: the fewer people use it, the more it says. */
export type TagWorth = (tag: number) => number;

export function tagWorth(people: number): number {
  return 1 / Math.log2(1 + Math.max(1, people));
}

const share = { emotions: 0.45, tags: 0.2, profile: 0.2, activity: 0.15 } as const;
/** Where thin evidence is drawn to: a newcomer is neither first nor last. */
const middle = { emotions: 0.5, tags: 0.3, profile: 0.3 } as const;
/** With this much evidence, half of it is believed. */
const halfBelieved = 2;
const dislikeCost = 0.25;
const activityHalfLifeDays = 7;

function believe(found: number, towards: number, evidence: number): number {
  const belief = evidence / (evidence + halfBelieved);
  return belief * found + (1 - belief) * towards;
}

/** Less evidence than this on either side, and a pair is worth another look once more is known. */
export const thinEvidence = 2;

export function isThin(u: Matchable, v: Matchable): boolean {
  return Math.min(sum(u.weights), sum(v.weights)) < thinEvidence;
}

/** What two have in common, the same from both sides. */
interface Common {
  readonly alike: number;
  /** Of the one about whom less is known. */
  readonly evidence: number;
  readonly tags: number;
  readonly likes: number;
}

function common(u: Matchable, v: Matchable, worth: TagWorth): Common {
  return {
    alike: similarity(u.weights, v.weights),
    evidence: Math.min(sum(u.weights), sum(v.weights)),
    tags: believe(tagOverlap(u.tags, v.tags, worth), middle.tags, Math.min(u.tags.length, v.tags.length)),
    likes: believe(overlap(u.likes, v.likes), middle.profile, Math.min(u.likes.size, v.likes.size)),
  };
}

/** How good v is for u. */
function worthTo(u: Matchable, v: Matchable, { alike, evidence, tags, likes }: Common): number {
  return (
    share.emotions * believe(fit(u.preference, alike), middle.emotions, evidence) +
    share.tags * tags +
    share.profile * Math.max(0, likes - dislikeCost * countShared(u.dislikes, v.likes)) +
    share.activity * 2 ** (-v.daysAway / activityHalfLifeDays)
  );
}

/** 0 to 1. The harmonic mean: good for one and bad for the other is not half good. */
export function exactScore(u: Matchable, v: Matchable, worth: TagWorth): number {
  const shared = common(u, v, worth);
  const [there, back] = [worthTo(u, v, shared), worthTo(v, u, shared)];
  return (2 * there * back) / (there + back);
}

/** As it is stored and shown, to two decimals. */
export function matchScore(u: Matchable, v: Matchable, worth: TagWorth): number {
  return Math.round(100 * exactScore(u, v, worth)) / 100;
}

/**
 * What can be said before the other's profile is read: for picking, among a thousand, those whose profile
 * is worth reading.
 */
export function firstImpression(
  u: Matchable,
  v: Pick<Matchable, 'weights' | 'tags' | 'daysAway'>,
  worth: TagWorth,
): number {
  const evidence = Math.min(sum(u.weights), sum(v.weights));
  return (
    share.emotions * believe(fit(u.preference, similarity(u.weights, v.weights)), middle.emotions, evidence) +
    share.tags *
      believe(tagOverlap(u.tags, v.tags, worth), middle.tags, Math.min(u.tags.length, v.tags.length)) +
    share.activity * 2 ** (-v.daysAway / activityHalfLifeDays)
  );
}

/** The score without reciprocity, which the simulation is measured against. */
export function oneSidedScore(u: Matchable, v: Matchable, worth: TagWorth): number {
  return worthTo(u, v, common(u, v, worth));
}

function countShared<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): number {
  let count = 0;
  for (const item of one) if (other.has(item)) count += 1;
  return count;
}

/** Cosine of two sets: somebody with a long list is not drowned by it. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  return countShared(one, other) / Math.sqrt(one.size * other.size);
}

function tagOverlap(one: readonly number[], other: readonly number[], worth: TagWorth): number {
  if (one.length === 0 || other.length === 0) return 0;
  let [shared, ofOne, ofOther] = [0, 0, 0];
  for (const tag of one) {
    const squared = worth(tag) ** 2;
    ofOne += squared;
    if (other.includes(tag)) shared += squared;
  }
  // As with most people: nothing to divide.
  if (shared === 0) return 0;
  for (const tag of other) ofOther += worth(tag) ** 2;
  return shared / Math.sqrt(ofOne * ofOther);
}
