import { leastVents } from '@unsaid/contract';
import type { Base } from '../../kernel/base.ts';
import { addDays, dayInIndia, dayMs, minuteMs, startOfDayInIndia } from '../../platform/clock.ts';
import { weekOf } from '../../platform/coarse-days.ts';
import { createLocalCache } from '../../platform/local-cache.ts';
import * as queries from './heard.queries.ts';
import type { ContentContext, NewestWeek } from '../context.ts';

/** How many vents of a week were answered by the next day, for everybody to see. */

export const createHeardCache = (base: Base) =>
  createLocalCache<NewestWeek>(base, { name: 'heard', ttlMs: minuteMs });

/** The newest figure. Null where there was none for the last week, or the one before while it is not computed yet. */
export const readHeard = (ctx: ContentContext) =>
  ctx.heardCache.getOrLoad('newest', async () => ({
    week: await queries.findNewestWeek(ctx.db, addDays(weekOf(dayInIndia(ctx.clock.now())), -14)),
  }));

/** Writes the figure of the last week that ended a day ago or earlier: until then its vents are answered by the next day. */
export async function writeHeardWeek(ctx: ContentContext): Promise<void> {
  const thisWeek = weekOf(dayInIndia(ctx.clock.now() - dayMs));
  const week = addDays(thisWeek, -7);
  if (await queries.findNewestWeek(ctx.db, week)) return;
  const span = {
    from: new Date(startOfDayInIndia(week)),
    before: new Date(startOfDayInIndia(thisWeek)),
  };
  const { vents, byNextDay } = await queries.countWeek(ctx.db, span);
  if (vents < leastVents) return;
  await queries.insertWeek(ctx.db, { week, byNextDay: Math.floor((100 * byNextDay) / vents) });
}
