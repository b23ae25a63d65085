/** Time comes from here alone, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * What a script in Redis is given for the time: nothing, and it takes Redis's own clock, which is one for all
 * processes and stands firm when one of theirs is set. A moment, where somebody moves our clock to see what follows.
 */
export function scriptTime(clock: Clock): number | '' {
  return clock === systemClock ? '' : clock.now();
}

/** The first line of such a script: milliseconds, in `now`. */
export const readScriptTime = `
local now = tonumber(ARGV[1])
if not now then
  local told = redis.call('TIME')
  now = told[1] * 1000 + math.floor(told[2] / 1000)
end`;

export const dayMs = 24 * 60 * 60 * 1000;

/** A calendar day in UTC: all that the identity side remembers of any moment. */
export type Day = string;

export function dayOf(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10);
}

export function today(clock: Clock): Day {
  return dayOf(clock.now());
}

/** Midnight UTC at which a day begins. */
export function startOfDay(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

export function addDays(day: Day, count: number): Day {
  return dayOf(startOfDay(day) + count * dayMs);
}

const indiaOffsetMs = 5.5 * 60 * 60 * 1000;

/** The date in India, where nearly everybody who reads it is. */
export function dayInIndia(ms: number): Day {
  return dayOf(ms + indiaOffsetMs);
}
