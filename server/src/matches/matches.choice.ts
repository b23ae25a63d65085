import { limits } from '@unsaid/contract';
import { blankCell, cellsByFit, sum } from './emotion-space.ts';
import { firstImpression, type Matchable, type TagWorth } from './matches.score.ts';

/**
 * Whom to read, whom to look at closely, and in which order to propose them. Pure, so that the simulation in
 * bench/ chooses exactly as the server does.
 */

/** Whoever has been away for longer is not shown to anybody. */
export const awayDays = 30;
export const newcomerDays = 14;
/** One place in five goes to somebody who came lately: without it, those whom nobody knows yet are shown to nobody. */
const newcomerEvery = 5;

/** Ranked people, best first, with the best newcomers moved up to every fifth place. */
export function withNewcomers<T>(ranked: readonly T[], isNewcomer: (one: T) => boolean): T[] {
  const newcomers = ranked.filter(isNewcomer);
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

/** How many people of a search come from where: most from the cells that fit, a tenth from anywhere. */
export const searchSize = 1000;
const fittingShares = [0.4, 0.25, 0.15, 0.1];

/**
 * How many to read of each cell. `cells` are all of them but the blank one, best first; where nothing is known of
 * the one who asks, all are alike.
 */
export function planSearch(
  cells: readonly number[],
  blankCell: number,
  isBlank: boolean,
): { cell: number; most: number }[] {
  if (isBlank) {
    const most = Math.ceil(searchSize / (cells.length + 1));
    return [blankCell, ...cells].map((cell) => ({ cell, most }));
  }
  const outside = cells.length - fittingShares.length + 1;
  const fewEach = Math.ceil((searchSize * (1 - fittingShares.reduce((a, b) => a + b))) / outside);
  return [
    ...cells.map((cell, place) => ({
      cell,
      most: fittingShares[place] === undefined ? fewEach : searchSize * fittingShares[place],
    })),
    // Newcomers are here, and they have places kept for them.
    { cell: blankCell, most: fewEach * 5 },
  ];
}

export type Plan = ReturnType<typeof planSearch>;

export function planFor({ weights, preference }: Pick<Matchable, 'weights' | 'preference'>): Plan {
  return planSearch(cellsByFit(weights, preference), blankCell, sum(weights) === 0);
}

/** Where fewer people than this are found in the cells that fit, some of every cell are read. */
export const enoughFound = 500;
const mostOfEachCell = 150;

export function planEverywhere(plan: Plan): Plan {
  return plan.map(({ cell }) => ({ cell, most: mostOfEachCell }));
}

/** Of a thousand, so many have their profile read; the others would not have made it. */
const shortlistSize = 240;
const blankShortlistSize = 60;

/** What is known of somebody before their profile is read. */
export type Glimpse = Pick<Matchable, 'weights' | 'tags' | 'daysAway'>;

/** Those whose profile is worth reading, by what is known without it. */
export function shortlist<T extends Glimpse>(me: Matchable, candidates: readonly T[], worth: TagWorth): T[] {
  const impressed = candidates
    .map((one) => ({ one, impression: firstImpression(me, one, worth) }))
    .toSorted((a, b) => b.impression - a.impression)
    .map(({ one }) => one);
  const isBlank = (one: T) => sum(one.weights) === 0;
  const felt = impressed.filter((one) => !isBlank(one)).slice(0, shortlistSize);
  const blank = impressed.filter(isBlank);
  return [...felt, ...blank.slice(0, Math.max(blankShortlistSize, shortlistSize - felt.length))];
}

/** Somebody who was looked at closely. */
export interface Scored {
  readonly score: number;
  readonly isNewcomer: boolean;
}

/** Nobody gets a suggestion who does not stand among so many: for them it is asked how many wait for them already. */
export const likelySize = 100;

/** Those who are likely to be proposed, best first. Equals stay as they were found, which is chance. */
export function likely<T extends Scored>(scored: readonly T[]): T[] {
  const ranked = scored.toSorted((a, b) => b.score - a.score);
  return withNewcomers(ranked, ({ isNewcomer }) => isNewcomer).slice(0, likelySize);
}

/**
 * What everybody who waits for somebody's answer takes off their rank, never off their score: of two who fit
 * nearly as well, the one whom fewer have been given. Without it the best known are in everybody's list.
 */
const waitingCost = 0.015;

/** The order in which the likely ones are proposed. Whoever has ten to answer is left out. */
export function inTurn<T extends Scored>(found: readonly T[], waitingFor: (one: T) => number): T[] {
  const ranked = found
    .map((one) => ({ one, waiting: waitingFor(one) }))
    .filter(({ waiting }) => waiting < limits.openSuggestions)
    .map(({ one, waiting }) => ({ one, rank: one.score - waitingCost * waiting }))
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ one }) => one);
  return withNewcomers(ranked, ({ isNewcomer }) => isNewcomer);
}
