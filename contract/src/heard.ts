import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { success } from './fields.ts';

/** A figure from fewer vents could be about one person. */
export const leastVents = 100;

const heardWeek = z.object({
  /** Its Monday in India, `YYYY-MM-DD`. */
  week: z.string(),
  /** Answered on the day of the vent or the next: percent of all that took answers, rounded down. */
  byNextDay: z.number(),
});
export type HeardWeek = z.output<typeof heardWeek>;

export const getHeard = endpoint({
  method: 'GET',
  path: '/api/heard',
  summary: `How many vents of the last whole week were answered by the next day. Null for fewer than ${leastVents} of them. The same for everyone.`,
  auth: 'public',
  cacheSeconds: 3600,
  response: z.object({ ...success, week: z.nullable(heardWeek) }),
});
