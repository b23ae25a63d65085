import { setTimeout } from 'node:timers/promises';
import type { Base } from '../../kernel/base.ts';
import { addDays, dayMs, luaClockArg, luaReadClock, today, type Day } from '../../platform/clock.ts';
import { RedisUnavailable } from '../../platform/redis.ts';
import { allTags, slotTag } from '../../platform/slots.ts';
import { createVisitCodec, type Visitor } from './visit-codec.ts';

/** Longer than any session lives: after it, a visit changes nothing. */
const visitRetentionDays = 40;
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

/** Oldest first. */
const daysBefore = (day: Day, count: number) =>
  Array.from({ length: count }, (_, n) => addDays(day, n - count));

export type VisitStore = ReturnType<typeof createVisitStore>;

/**
 * The visits that are not flushed to PostgreSQL yet: encrypted, of each day, in a set for each tag, because one for
 * everybody would be on one node.
 */
export function createVisitStore({ redis, clock, keys }: Pick<Base, 'redis' | 'clock' | 'keys'>) {
  const runAdd = redis.script(addScript);
  const runForget = redis.script(forgetScript);
  const codec = createVisitCodec(keys);
  const has = async (day: Day, visit: string) =>
    (await redis.run((client) => client.sismember(keyOf(day, slotTag(visit)), visit))) === 1;
  return {
    /** False without Redis: the visit is then not recorded. */
    async record(visitor: Visitor): Promise<boolean> {
      const day = today(clock);
      const visit = codec.encode(day, visitor);
      const tag = slotTag(visit);
      const lifeMs = (visitRetentionDays + 1) * dayMs;
      try {
        await runAdd([keyOf(day, tag), daysKeyOf(tag)], [luaClockArg(clock), lifeMs, day, visit]);
        return true;
      } catch (error) {
        if (error instanceof RedisUnavailable) return false;
        throw error;
      }
    },

    /** For each visitor, the newest day of the last `count` that is not flushed yet. */
    async pendingDays(visitors: readonly Visitor[], count: number): Promise<(Day | null)[]> {
      if (visitors.length === 0) return [];
      const newestFirst = daysBefore(addDays(today(clock), 1), count).toReversed();
      const found = await Promise.all(
        visitors.map((visitor) =>
          Promise.all(newestFirst.map((day) => has(day, codec.encode(day, visitor)))),
        ),
      );
      return found.map((days) => newestFirst.find((_day, which) => days[which]) ?? null);
    },

    /** The days before a day that have visits, oldest first, with the tags of their sets. */
    async listTags(before: Day): Promise<ReadonlyMap<Day, string[]>> {
      const found = new Map<Day, string[]>(daysBefore(before, visitRetentionDays).map((day) => [day, []]));
      for (const tag of allTags)
        for (const day of await withRetry(() => redis.run((client) => client.smembers(daysKeyOf(tag)))))
          found.get(day)?.push(tag);
      return new Map([...found].filter(([, tags]) => tags.length > 0));
    },

    /** In parts of about a thousand. */
    async *read(day: Day, tag: string): AsyncIterable<readonly Visitor[]> {
      let cursor = '0';
      do {
        const from = cursor;
        const [next, members] = await withRetry(() =>
          redis.run((client) => client.sscan(keyOf(day, tag), from, 'COUNT', scanCount)),
        );
        yield members.flatMap((member) => codec.decode(day, member) ?? []);
        cursor = next;
      } while (cursor !== '0');
    },

    async forget(day: Day, tag: string): Promise<void> {
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
