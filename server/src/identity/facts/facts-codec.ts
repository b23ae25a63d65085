import { dayMs, dayOf, startOfDay, type Day } from '../../platform/clock.ts';

/** Two bytes a day; 0 is none. */
export function writeDay(bytes: Buffer, day: Day | null, at: number): void {
  bytes.writeUInt16BE(day === null ? 0 : Math.round(startOfDay(day) / dayMs), at);
}

export function readDay(bytes: Buffer, at: number): Day {
  return dayOf(bytes.readUInt16BE(at) * dayMs);
}

export const readDayOrNull = (bytes: Buffer, at: number) =>
  bytes.readUInt16BE(at) === 0 ? null : readDay(bytes, at);
