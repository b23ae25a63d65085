import { leastVents, type HeardWeek } from '@unsaid/contract';
import type { Base, ContentBase } from '../../kernel/base.ts';
import { addDays, dayInIndia, dayMs, minuteMs, startOfDayInIndia } from '../../platform/clock.ts';
import { weekOf } from '../../platform/coarse-days.ts';
import { createLocalCache, type LocalCache } from '../../platform/local-cache.ts';
import * as queries from './heard.queries.ts';

/** How many vents of a week were answered by the next day, for everybody to see. */
export type HeardService = ReturnType<typeof createHeardService>;

interface HeardDeps extends Pick<ContentBase, 'db' | 'clock'> {
  readonly cache: LocalCache<NewestWeek>;
}

interface NewestWeek {
  readonly week: HeardWeek | null;
}

export const createHeardCache = (base: Base) =>
  createLocalCache<NewestWeek>(base, { name: 'heard', ttlMs: minuteMs });

export function createHeardService({ db, clock, cache }: HeardDeps) {
  return {
    /** The newest figure. Null where there was none for the last week, or the one before while it is not computed yet. */
    read: () =>
      cache.getOrLoad('newest', async () => ({
        week: await queries.findNewestWeek(db, addDays(weekOf(dayInIndia(clock.now())), -14)),
      })),
    /** Writes the figure of the last week that ended a day ago or earlier: until then its vents are answered by the next day. */
    async writeWeek(): Promise<void> {
      const thisWeek = weekOf(dayInIndia(clock.now() - dayMs));
      const week = addDays(thisWeek, -7);
      if (await queries.findNewestWeek(db, week)) return;
      const span = {
        from: new Date(startOfDayInIndia(week)),
        before: new Date(startOfDayInIndia(thisWeek)),
      };
      const { vents, byNextDay } = await queries.countWeek(db, span);
      if (vents < leastVents) return;
      await queries.insertWeek(db, { week, byNextDay: Math.floor((100 * byNextDay) / vents) });
    },
  };
}
