import { setTimeout } from 'node:timers/promises';
import { dayMs, luaClockArg, luaReadClock, type Clock, type Day } from '../../platform/clock.ts';
import { RedisUnavailable, type RedisStore } from '../../platform/redis.ts';
import { allTags, slotTag } from '../../platform/slots.ts';

/** Encoded visits of each day, in a set for each tag: one for everybody would be on one node. */
export interface VisitStore {
  add(day: Day, visits: readonly string[]): Promise<void>;
  has(day: Day, visit: string): Promise<boolean>;
  /** Those of the days that have visits, in their order, with the tags of their sets. */
  listTags(days: readonly Day[]): Promise<ReadonlyMap<Day, string[]>>;
  /** In parts of about a thousand. */
  read(day: Day, tag: string): AsyncIterable<readonly string[]>;
  remove(day: Day, tag: string, visits: readonly string[]): Promise<void>;
  forget(day: Day, tag: string): Promise<void>;
}

/** Longer than any session lives: after it, a visit changes nothing. */
export const visitRetentionDays = 40;
const scanCount = 1000;
const maxAttempts = 5;
const retryDelayMs = 1000;

// Until the end of a day: how long a set lives must not tell when it was written.
const addScript = `${luaReadClock}
redis.call('SADD', KEYS[1], unpack(ARGV, 4))
redis.call('SADD', KEYS[2], ARGV[3])
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[2] - now % ${dayMs}) end`;

const forgetScript = `
redis.call('UNLINK', KEYS[1])
redis.call('SREM', KEYS[2], ARGV[1])`;

const keyOf = (day: Day, tag: string) => `visits:${tag}:${day}`;
/** The days that have a set. Without it the nightly job would ask for 40 days of 256 tags. */
const daysKeyOf = (tag: string) => `visit-days:${tag}`;

export function createVisitStore(redis: RedisStore, clock: Clock): VisitStore {
  const runAdd = redis.script(addScript);
  const runForget = redis.script(forgetScript);
  return {
    async add(day, visits) {
      const lifeMs = (visitRetentionDays + 1) * dayMs;
      const groups = Map.groupBy(visits, slotTag);
      await Promise.all(
        [...groups].map(([tag, some]) =>
          runAdd([keyOf(day, tag), daysKeyOf(tag)], [luaClockArg(clock), lifeMs, day, ...some]),
        ),
      );
    },
    has: async (day, visit) =>
      (await redis.run((client) => client.sismember(keyOf(day, slotTag(visit)), visit))) === 1,
    async listTags(days) {
      const found = new Map<Day, string[]>(days.map((day) => [day, []]));
      for (const tag of allTags)
        for (const day of await withRetry(() => redis.run((client) => client.smembers(daysKeyOf(tag)))))
          found.get(day)?.push(tag);
      return new Map([...found].filter(([, tags]) => tags.length > 0));
    },
    async *read(day, tag) {
      let cursor = '0';
      do {
        const from = cursor;
        const [next, members] = await withRetry(() =>
          redis.run((client) => client.sscan(keyOf(day, tag), from, 'COUNT', scanCount)),
        );
        yield members;
        cursor = next;
      } while (cursor !== '0');
    },
    async remove(day, tag, visits) {
      await redis.run((client) => client.srem(keyOf(day, tag), ...visits));
    },
    async forget(day, tag) {
      await runForget([keyOf(day, tag), daysKeyOf(tag)], [day]);
    },
  };
}

/** Retries one Redis call. A million visitors take a thousand calls: a late reply must not restart all of them. */
async function withRetry<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RedisUnavailable) || attempt === maxAttempts) throw error;
      await setTimeout(retryDelayMs);
    }
  }
}
