import { limits } from '@unsaid/contract';
import { feelingSets, noFeelings, setsByFit } from './emotion-space.ts';
import type { Matchable } from './matches.score.ts';

/**
 * Whom to read, and in which order to propose them. Pure, so that the simulation in bench/ chooses exactly as the server
 * does.
 */

/** Days since a last visit at which the classes of activity end. Whoever was away for longer than the last is shown to nobody. */
export const activityDays = [7, 30, 90] as const;
export const newcomerDays = 14;
/** One place in five goes to a newcomer: without it, people whom nobody knows yet are shown to nobody. */
const newcomerEvery = 5;

/** 0, 1 or 2. Classes only: in the score, or in finer steps, it would tell the day of the other's last visit. */
export function activityClass(daysAway: number): number {
  const found = activityDays.findIndex((days) => daysAway <= days);
  return found === -1 ? activityDays.length - 1 : found;
}

/** How many people of each set of feelings to read. */
export type Plan = readonly { readonly feelings: number; readonly most: number }[];

/** More raises the best score from .560 to .573 at 1,000, for twice the time. */
export const searchSize = 300;
const bestSets = 8;
/** A tenth of them have named nothing: otherwise they would be shown to nobody. */
const unnamedShare = 0.1;
/** Where fewer than this are found, everybody is looked for, whatever they feel. */
export const enoughFound = 60;
const mostOfEachSet = 100;
const mostUnnamed = 150;

export function planFor({ feelings, preference }: Pick<Matchable, 'feelings' | 'preference'>): Plan {
  if (feelings === noFeelings) {
    const most = Math.ceil(searchSize / (feelingSets.length + 1));
    return [noFeelings, ...feelingSets].map((set) => ({ feelings: set, most }));
  }
  const unnamed = Math.round(searchSize * unnamedShare);
  const most = Math.ceil((searchSize - unnamed) / bestSets);
  return [
    ...setsByFit(feelings, preference)
      .slice(0, bestSets)
      .map((set) => ({ feelings: set, most })),
    { feelings: noFeelings, most: unnamed },
  ];
}

export const planForEverybody: Plan = [
  ...feelingSets.map((feelings) => ({ feelings, most: mostOfEachSet })),
  { feelings: noFeelings, most: mostUnnamed },
];

/** A candidate with the exact score. */
export interface Scored {
  readonly score: number;
  readonly activity: number;
  readonly isNewcomer: boolean;
}

/**
 * What each class of activity takes off somebody's rank, never off their score. Were each class before the next whatever
 * the score, 14.2 % of all in the simulation would be shown to nobody; so it is 9.2 %.
 */
const classCost = 0.05;

/** By score and class of activity, with newcomers moved up. Equals stay as they were found, which is random. */
export function rank<T extends Scored>(scored: readonly T[]): T[] {
  const worth = ({ score, activity }: Scored) => score - classCost * activity;
  return withNewcomers(scored.toSorted((a, b) => worth(b) - worth(a)));
}

/**
 * What every pair that others made with somebody takes off their rank, never off their score: of two who fit nearly as
 * well, the one who was found less. Without it the best known are in everybody's list.
 */
const foundCost = 0.015;

/** The order in which a batch of candidates is proposed. Whoever was found too often is left out. */
export function inTurn<T extends Scored>(
  batch: readonly T[],
  timesFound: (one: T) => number,
  { isNewcomer }: { readonly isNewcomer: boolean },
): T[] {
  const most = limits.foundByOthers + (isNewcomer ? limits.foundByNewcomers : 0);
  const turns = batch
    .map((one) => ({ ...one, one, found: timesFound(one) }))
    .filter(({ found }) => found < most)
    .map((turn) => ({ ...turn, score: turn.score - foundCost * turn.found }));
  return rank(turns).map(({ one }) => one);
}

/** Ranked people, best first, with the best newcomers moved up to every fifth place. */
function withNewcomers<T extends Scored>(ranked: readonly T[]): T[] {
  const newcomers = ranked.filter(({ isNewcomer }) => isNewcomer);
  const placed = new Set<T>();
  const list: T[] = [];
  let nextBest = 0;
  let nextNewcomer = 0;
  while (list.length < ranked.length) {
    while (nextNewcomer < newcomers.length && placed.has(newcomers[nextNewcomer] as T)) nextNewcomer += 1;
    while (nextBest < ranked.length && placed.has(ranked[nextBest] as T)) nextBest += 1;
    const isTheirTurn = (list.length + 1) % newcomerEvery === 0 && nextNewcomer < newcomers.length;
    const one = (isTheirTurn ? newcomers[nextNewcomer] : ranked[nextBest]) as T;
    placed.add(one);
    list.push(one);
  }
  return list;
}

/** How many pairs somebody's own search may still make today. */
export function roomFor(
  { isNamed, isNewAccount }: { readonly isNamed: boolean; readonly isNewAccount: boolean },
  { waiting, madeToday }: { readonly waiting: number; readonly madeToday: number },
): number {
  const places = isNamed ? limits.openSuggestions : limits.openSuggestionsUnnamed;
  const daily = isNewAccount ? limits.newPairsAtFirst : limits.newPairsADay;
  return Math.max(0, Math.min(places - waiting, daily - madeToday));
}
