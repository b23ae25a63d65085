import { dayInIndia, startOfDayInIndia, type Clock } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import type { Moderator } from './moderator.ts';
import { readSevereLeft } from './severe-limit.queries.ts';

/**
 * How many severe texts (severity 3 and 4) may still be revealed today, by the day in India. Counts audit entries
 * `revealed`, whose detail has the `severity` of the case.
 */
export function severeLeft(
  db: ModerationDb,
  moderator: Pick<Moderator, 'moderatorId' | 'alias'>,
  clock: Clock,
): Promise<number> {
  return readSevereLeft(db, moderator, new Date(startOfDayInIndia(dayInIndia(clock.now()))));
}
