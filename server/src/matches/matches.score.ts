import type { MatchPreference } from '@unsaid/contract';
import { fit, noFeelings, similarity } from './emotion-space.ts';

/** One number that holds for both people. Pure: it depends on what the two say about themselves, and on nothing else. */

export interface Matchable {
  /** The feelings they name, as bits. */
  readonly feelings: number;
  /** Named over 30 days ago. */
  readonly isStale: boolean;
  /** Interests and likes, folded. */
  readonly likes: ReadonlySet<string>;
  readonly dislikes: ReadonlySet<string>;
  readonly preference: MatchPreference | null;
}

const share = { feelings: 0.65, profile: 0.35 } as const;
/** What counts where nothing is known: a newcomer is neither first nor last. */
const middle = { feelings: 0.5, profile: 0.3 } as const;
/** With this many interests, the overlap counts half and the middle half. */
const halfBelieved = 2;
const dislikeCost = 0.25;

/** How much their feelings say: nothing where either names none, half where either named them long ago. */
function weightOfFeelings(u: Matchable, v: Matchable): number {
  if (u.feelings === noFeelings || v.feelings === noFeelings) return 0;
  return u.isStale || v.isStale ? 0.5 : 1;
}

/** What two have in common, the same from both sides. */
interface Common {
  readonly alike: number;
  readonly weight: number;
  readonly likes: number;
}

function common(u: Matchable, v: Matchable): Common {
  const weight = weightOfFeelings(u, v);
  const known = Math.min(u.likes.size, v.likes.size);
  const belief = known / (known + halfBelieved);
  return {
    alike: weight > 0 ? similarity(u.feelings, v.feelings) : 0,
    weight,
    likes: belief * overlap(u.likes, v.likes) + (1 - belief) * middle.profile,
  };
}

/** How good v is for u. */
function worthTo(u: Matchable, v: Matchable, { alike, weight, likes }: Common): number {
  return (
    share.feelings * (weight * fit(u.preference, alike) + (1 - weight) * middle.feelings) +
    share.profile * Math.max(0, likes - dislikeCost * countShared(u.dislikes, v.likes))
  );
}

/** 0 to 1: the harmonic mean of both directions, since good for one and bad for the other is not half good. */
export function exactScore(u: Matchable, v: Matchable): number {
  const shared = common(u, v);
  const [there, back] = [worthTo(u, v, shared), worthTo(v, u, shared)];
  return there + back === 0 ? 0 : (2 * there * back) / (there + back);
}

/** As it is stored and shown, in steps of .05: an exact number could be solved for what went into it. */
export function shownScore(exact: number): number {
  return Math.round(exact * 20) / 20;
}

/** The score without reciprocity, which the simulation compares with. */
export function oneSidedScore(u: Matchable, v: Matchable): number {
  return worthTo(u, v, common(u, v));
}

function countShared<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): number {
  let count = 0;
  for (const item of one) if (other.has(item)) count += 1;
  return count;
}

/** Cosine of two sets, so that a long list is no disadvantage. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  return countShared(one, other) / Math.sqrt(one.size * other.size);
}
