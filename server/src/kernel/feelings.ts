import { emotions, type Emotion } from '@unsaid/contract';
import { addDays, type Day } from '../platform/clock.ts';

/** Stored form of a profile's feelings: one bit per emotion, and the half month in which they were named. */

export function toFeelingBits(named: readonly Emotion[]): number {
  return emotions.reduce((bits, emotion, n) => (named.includes(emotion) ? bits | (1 << n) : bits), 0);
}

export function fromFeelingBits(bits: number): Emotion[] {
  return emotions.filter((_, n) => (bits & (1 << n)) !== 0);
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
