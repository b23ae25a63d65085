import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { success } from './fields.ts';

/** A figure from fewer vents, or times from fewer answers, could be about one person. */
export const leastVents = 100;
export const leastAnswers = 50;

/** Percent of all vents of the week that took answers, rounded down. */
const share = z.number();

const heardWeek = z.object({
  /** Its Monday in India, `YYYY-MM-DD`. */
  week: z.string(),
  /** Half of all vents were answered within so many minutes, rounded up. Null: too few were, within a day. */
  medianMinutes: z.nullable(z.number()),
  /** The same for vents posted from 23 to 7 h. Null also where there were too few of them. */
  nightMedianMinutes: z.nullable(z.number()),
  /** Null: too few answers to say it. */
  withinHour: z.nullable(share),
  /** Answered on the day of the vent or the next. */
  byNextDay: share,
  /** Of the first answers, those of the team. Rounded up. Null: too few answers to say it. */
  byTeam: z.nullable(share),
});
export type HeardWeek = z.output<typeof heardWeek>;

export const getHeard = endpoint({
  method: 'GET',
  path: '/api/heard',
  summary: `How soon the vents of the last whole week were answered. Null for fewer than ${leastVents} of them. The same for everyone.`,
  auth: 'public',
  cacheSeconds: 3600,
  response: z.object({ ...success, week: z.nullable(heardWeek) }),
});
