import { leastAnswers, leastVents, type HeardWeek } from '@unsaid/contract';
import { dayInIndia, hourMs, minuteMs, startOfDayInIndia, type Day } from '../../platform/clock.ts';

/** How soon vents were answered: how answers are counted, and what is published of a week. Pure. */

/** The bands of waiting end at these minutes. What waited for longer is in the last one. */
const bandEnds = [2, 5, 10, 15, 30, 60, 120, 240, 480, 960, 1440];
const bands = bandEnds.length + 1;
const withinHourBands = bandEnds.indexOf(60) + 1;

/** First answers by band, by day or night, by others or the team; then vents withdrawn unheard, by day or night. */
export type Counts = readonly number[];
const answerCells = bands * 4;
export const noCounts: Counts = Array.from({ length: answerCells + 2 }, () => 0);

export const addCounts = (a: Counts, b: Counts): Counts => noCounts.map((_, n) => (a[n] ?? 0) + (b[n] ?? 0));

/** The hours in India when few people are awake. */
export const night = { from: 23, until: 7 } as const;

function isAtNight(createdAt: Date): boolean {
  const hour = Math.floor(
    (createdAt.getTime() - startOfDayInIndia(dayInIndia(createdAt.getTime()))) / hourMs,
  );
  return hour >= night.from || hour < night.until;
}

export interface FirstAnswer {
  /** Of the vent. */
  readonly createdAt: Date;
  readonly isTeam: boolean;
}

const cellAt = (band: number, isNight: boolean, isTeam: boolean) =>
  (Number(isTeam) * 2 + Number(isNight)) * bands + band;

export function answerCell({ createdAt, isTeam }: FirstAnswer, now: number): number {
  const minutes = Math.floor((now - createdAt.getTime()) / minuteMs);
  const band = bandEnds.findIndex((end) => minutes < end);
  return cellAt(band === -1 ? bands - 1 : band, isAtNight(createdAt), isTeam);
}

export const withdrawalCell = (createdAt: Date) => answerCells + Number(isAtNight(createdAt));

/** Vents of a week that took answers, from the tables. */
export interface WeekVents {
  readonly vents: number;
  /** With an answer now. */
  readonly heard: number;
  readonly nightVents: number;
  readonly nightHeard: number;
  readonly byNextDay: number;
}

/**
 * Null for too few vents. How many were heard is exact, from the tables. The counts say only how long those waited: what a
 * crash lost makes the sample smaller, and does not make vents unheard.
 */
export function figureOf(week: Day, vents: WeekVents, counts: Counts): HeardWeek | null {
  const withdrawn = (isNight: boolean) => counts[answerCells + Number(isNight)] ?? 0;
  const total = vents.vents + withdrawn(false) + withdrawn(true);
  if (total < leastVents) return null;
  const waits = (isTeam: boolean, isNight: boolean) =>
    Array.from({ length: bands }, (_, band) => counts[cellAt(band, isNight, isTeam)] ?? 0);
  const atNight = addAll(waits(false, true), waits(true, true));
  const all = addAll(atNight, waits(false, false), waits(true, false));
  const ofTeam = addAll(waits(true, false), waits(true, true));
  const answers = sum(all);
  const nightTotal = vents.nightVents + withdrawn(true);
  const hasTimes = answers >= leastAnswers;
  const soon = sum(all.slice(0, withinHourBands)) / answers;
  return {
    week,
    medianMinutes: medianOf(all, vents.heard / total),
    nightMedianMinutes: nightTotal < leastVents ? null : medianOf(atNight, vents.nightHeard / nightTotal),
    withinHour: hasTimes ? Math.floor((100 * vents.heard * soon) / total) : null,
    byNextDay: Math.floor((100 * vents.byNextDay) / total),
    byTeam: hasTimes ? Math.ceil((100 * sum(ofTeam)) / answers) : null,
  };
}

/** The minutes within which half of all vents were answered, of which a share was at all. */
function medianOf(waits: readonly number[], heardShare: number): number | null {
  const answers = sum(waits);
  if (answers < leastAnswers || heardShare < 0.5) return null;
  let left = (0.5 / heardShare) * answers;
  for (const [band, end] of bandEnds.entries()) {
    const [count, from] = [waits[band] ?? 0, bandEnds[band - 1] ?? 0];
    if (left <= count) return Math.ceil(from + (left / count) * (end - from));
    left -= count;
  }
  return null;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const addAll = (...lists: readonly (readonly number[])[]) =>
  Array.from({ length: bands }, (_, band) => sum(lists.map((list) => list[band] ?? 0)));
