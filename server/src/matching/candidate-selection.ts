import { limits } from '@unsaid/contract';
import { feelingSets, noFeelings, setsByFit } from './emotion-space.ts';
import type { Matchable } from './matches.score.ts';

/**
 * Which people a search samples, and in which order it suggests them. Pure: the simulation in bench/ runs the same
 * functions as the server.
 */

/** Upper bounds of the activity classes, in days since the last visit. Beyond the last one people are not suggested. */
export const activityDays = [7, 30, 90] as const;
export const newcomerDays = 14;
/** One position in five goes to a newcomer: otherwise people without any history would never be suggested. */
const newcomerEvery = 5;

/** 0, 1 or 2. In the score, or in finer steps, activity would reveal the day of the other's last visit. */
export function activityClass(daysAway: number): number {
  const found = activityDays.findIndex((days) => daysAway <= days);
  return found === -1 ? activityDays.length - 1 : found;
}

/** How many people of each set of feelings to sample. */
export type SamplePlan = readonly { readonly feelings: number; readonly most: number }[];

/** 1,000 would raise the best score from .560 to .573, for twice the time. */
export const sampleSize = 300;
const bestSets = 8;
/** The share of people without named feelings: otherwise they would never be suggested. */
const unnamedShare = 0.1;
/** With fewer candidates than this, the search samples every set instead. */
export const minCandidates = 60;
const maxPerSet = 100;
const maxUnnamed = 150;

/** Samples the sets that fit best; every set for a person who names no feelings. */
export function samplePlan({ feelings, preference }: Pick<Matchable, 'feelings' | 'preference'>): SamplePlan {
  if (feelings === noFeelings) {
    const most = Math.ceil(sampleSize / (feelingSets.length + 1));
    return [noFeelings, ...feelingSets].map((set) => ({ feelings: set, most }));
  }
  const unnamed = Math.round(sampleSize * unnamedShare);
  const most = Math.ceil((sampleSize - unnamed) / bestSets);
  return [
    ...setsByFit(feelings, preference)
      .slice(0, bestSets)
      .map((set) => ({ feelings: set, most })),
    { feelings: noFeelings, most: unnamed },
  ];
}

/** Samples every set equally, whatever fits. */
export const uniformPlan: SamplePlan = [
  ...feelingSets.map((feelings) => ({ feelings, most: maxPerSet })),
  { feelings: noFeelings, most: maxUnnamed },
];

export interface ScoredCandidate {
  /** Exact, not rounded. */
  readonly score: number;
  readonly activity: number;
  readonly isNewcomer: boolean;
}

/**
 * Subtracted from a candidate's rank for each activity class, never from the score. Sorting by class first would leave
 * 14.2 % of the simulated people without any suggestion; this leaves 9.2 %.
 */
const inactivityPenalty = 0.05;

/** By score and activity, with newcomers moved up. The sort is stable and the sample random, so ties are random. */
export function rank<T extends ScoredCandidate>(candidates: readonly T[]): T[] {
  const value = ({ score, activity }: ScoredCandidate) => score - inactivityPenalty * activity;
  return promoteNewcomers(candidates.toSorted((a, b) => value(b) - value(a)));
}

/**
 * Subtracted from a candidate's rank for each pair that others made with them, never from the score. Of two who fit
 * about equally well the one found less often comes first; otherwise the same few would be in every list.
 */
const exposurePenalty = 0.015;

/** Ranks a batch with the exposure penalty and leaves out candidates over the limit of `timesFound`. */
export function rankFairly<T extends ScoredCandidate>(
  batch: readonly T[],
  timesFound: (candidate: T) => number,
  { isNewcomer }: { readonly isNewcomer: boolean },
): T[] {
  const maxFound = limits.foundByOthers + (isNewcomer ? limits.foundByNewcomers : 0);
  const adjusted = batch
    .map((candidate) => ({ ...candidate, candidate, found: timesFound(candidate) }))
    .filter(({ found }) => found < maxFound)
    .map((one) => ({ ...one, score: one.score - exposurePenalty * one.found }));
  return rank(adjusted).map(({ candidate }) => candidate);
}

/** Moves the best newcomers up to every fifth position. */
function promoteNewcomers<T extends ScoredCandidate>(ranked: readonly T[]): T[] {
  const newcomers = ranked.filter(({ isNewcomer }) => isNewcomer);
  const placed = new Set<T>();
  const list: T[] = [];
  let nextBest = 0;
  let nextNewcomer = 0;
  while (list.length < ranked.length) {
    while (nextNewcomer < newcomers.length && placed.has(newcomers[nextNewcomer] as T)) nextNewcomer += 1;
    while (nextBest < ranked.length && placed.has(ranked[nextBest] as T)) nextBest += 1;
    const isNewcomersTurn = (list.length + 1) % newcomerEvery === 0 && nextNewcomer < newcomers.length;
    const next = (isNewcomersTurn ? newcomers[nextNewcomer] : ranked[nextBest]) as T;
    placed.add(next);
    list.push(next);
  }
  return list;
}

/** How many more pairs a person's own search may make today. */
export function remainingQuota(
  { isNamed, isNewAccount }: { readonly isNamed: boolean; readonly isNewAccount: boolean },
  { waiting, madeToday }: { readonly waiting: number; readonly madeToday: number },
): number {
  const maxOpen = isNamed ? limits.openSuggestions : limits.openSuggestionsUnnamed;
  const daily = isNewAccount ? limits.newPairsAtFirst : limits.newPairsADay;
  return Math.max(0, Math.min(maxOpen - waiting, daily - madeToday));
}
