import { emotions, type Emotion } from '@unsaid/contract';
import { addDays, type Day } from '../platform/clock.ts';

/** Stored form of a profile's feelings: one bit per emotion, and the half month in which they were named. */

export function toFeelingBits(named: readonly Emotion[]): number {
  return emotions.reduce((bits, emotion, n) => (named.includes(emotion) ? bits | (1 << n) : bits), 0);
}

export function fromFeelingBits(bits: number): Emotion[] {
  return emotions.filter((_, n) => (bits & (1 << n)) !== 0);
}

/** Rounds down to the 1st or the 16th: the exact day could be compared with the days of vents. */
export function halfMonthOf(day: Day): Day {
  return `${day.slice(0, 8)}${Number(day.slice(8)) < 16 ? '01' : '16'}`;
}

/** The start of the first half month that begins on a day or later. */
export function nextHalfMonth(day: Day): Day {
  return halfMonthOf(addDays(day, 16));
}

const halfMonthDays = 15;
const staleDays = 30;

/** Half months that began before this day are stale: each of their days is over 30 days ago. */
export function staleBefore(today: Day): Day {
  return addDays(today, -halfMonthDays - staleDays);
}

export function areFeelingsStale(from: Day | null, today: Day): boolean {
  return from !== null && from < staleBefore(today);
}
