import type { HeardWeek } from '@unsaid/contract';
import type { Base, ContentBase } from '../../kernel/base.ts';
import { addDays, dayInIndia, dayMs, minuteMs, startOfDayInIndia } from '../../platform/clock.ts';
import { weekOf } from '../../platform/coarse-days.ts';
import { createLocalCache, type LocalCache } from '../../platform/local-cache.ts';
import type { HeardCounts } from './heard-counts.ts';
import { figureOf } from './heard-figure.ts';
import * as queries from './heard.queries.ts';

/** How soon the vents of a week were answered, for everybody to see. */
export interface HeardService {
  /** The newest figure. Null where there was none for the last week, or the one before while it is not computed yet. */
  read(): Promise<NewestWeek>;
  /** Writes the figure of the last week that ended a day ago or earlier: until then its vents are answered by the next day. */
  writeWeek(): Promise<void>;
}

interface HeardDeps extends Pick<ContentBase, 'db' | 'clock'> {
  readonly counts: HeardCounts;
  readonly cache: LocalCache<NewestWeek>;
}

interface NewestWeek {
  readonly week: HeardWeek | null;
}

export const createHeardCache = (base: Base) =>
  createLocalCache<NewestWeek>(base, { name: 'heard', ttlMs: minuteMs });

export function createHeardService({ db, clock, counts, cache }: HeardDeps): HeardService {
  return {
    read: () =>
      cache.getOrLoad('newest', async () => ({
        week: await queries.findNewestWeek(db, addDays(weekOf(dayInIndia(clock.now())), -14)),
      })),
    async writeWeek() {
      const thisWeek = weekOf(dayInIndia(clock.now() - dayMs));
      const week = addDays(thisWeek, -7);
      if (await queries.findNewestWeek(db, week)) return;
      const span = {
        from: new Date(startOfDayInIndia(week)),
        before: new Date(startOfDayInIndia(thisWeek)),
      };
      const figure = figureOf(week, await queries.countWeek(db, span), await counts.read(week));
      if (figure) await queries.insertWeek(db, figure);
    },
  };
}
