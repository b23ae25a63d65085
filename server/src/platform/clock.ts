import { dayMs } from '@unsaid/contract';

export { dayMs };
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** The only source of the current time, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after this time. Returns what cancels it. */
  schedule(delayMs: number, callback: () => Promise<void>): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, callback) {
    const timer = setTimeout(() => void callback(), delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Elapsed time, for what must not change when the clock is set. With a test's clock it is that clock's time. */
export function elapsedMs(clock: Clock): number {
  return clock === systemClock ? performance.now() : clock.now();
}

/**
 * The first argument of a Lua script. Empty: the script reads Redis's own clock, which all processes share and which does
 * not change when the clock of one of them is set. With a test's clock it is that clock's time.
 */
export function luaClockArg(clock: Clock): number | '' {
  return clock === systemClock ? '' : clock.now();
}

/** The start of such a script: sets `now` to milliseconds since 1970. */
export const luaReadClock = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end`;

/**
 * The step of expiries in Redis: an exact one would tell the moment of the write. For the same reason stored times are
 * masked (`RedisCrypto.counter`).
 */
export const expiryStepMs = 10 * minuteMs;

/** At least so long, and ends on a full step. */
export const coarseLifeMs = (now: number, ms: number) => ms + expiryStepMs - ((now + ms) % expiryStepMs);

/** The same for a script, after `luaReadClock`. */
export const luaCoarseLife = `
local function coarseLife(ms) return ms + ${expiryStepMs} - (now + ms) % ${expiryStepMs} end`;

/** A calendar day in UTC. The identity side stores no finer time. */
export type Day = string;

export function dayOf(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10);
}

export function today(clock: Clock): Day {
  return dayOf(clock.now());
}

/** Midnight UTC at the start of a day. */
export function startOfDay(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

export function addDays(day: Day, count: number): Day {
  return dayOf(startOfDay(day) + count * dayMs);
}

/** Whole days: UTC has no other. */
export const daysBetween = (from: Day, to: Day): number => (startOfDay(to) - startOfDay(from)) / dayMs;

const indiaOffsetMs = 5.5 * hourMs;

/** The calendar day in India, where nearly all readers are. */
export function dayInIndia(ms: number): Day {
  return dayOf(ms + indiaOffsetMs);
}

/** Midnight in India at the start of a day. */
export function startOfDayInIndia(day: Day): number {
  return startOfDay(day) - indiaOffsetMs;
}

export function startOfMinute(ms: number): Date {
  return new Date(Math.floor(ms / minuteMs) * minuteMs);
}
