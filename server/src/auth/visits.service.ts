import { setTimeout } from 'node:timers/promises';
import { addDays, dayMs, today, type Clock, type Day } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { RedisUnavailable, type RedisStore } from '../platform/redis.ts';
import type { Seals, Visitor } from '../platform/seals.ts';
import * as queries from './visits.queries.ts';

/**
 * The day somebody was here, without the moment. A row that is written when its owner comes lies behind those of
 * everybody who came before, and bears the number of a transaction that stands beside those of vents. So a visit is
 * noted in Redis, and the visits of a day are written together in the night after it, in the order of ids.
 */
export interface VisitsService {
  /** Gives whether it was noted: without Redis it is not, and the day stays what it was. */
  note(visitor: Visitor): Promise<boolean>;
  /** For each, the last day that waits to be written, among the last so many. */
  waitingDays(visitors: readonly Visitor[], count: number): Promise<(Day | null)[]>;
  /** Writes all that waits of the days before one. Doing it twice is doing it once. */
  write(before: Day): Promise<void>;
}

interface VisitsDeps {
  readonly db: Databases;
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly seals: Seals;
}

/** A worker that was away for longer than a session lives has nothing to catch up with. */
const keptDays = 40;
const scanCount = 1000;
const mostTries = 5;
const pauseMs = 1000;
/**
 * So many visitors a transaction. One for all would keep a million people for minutes from signing in or out. Which of
 * the transactions wrote a row follows from whose it is, and so tells nothing.
 */
const batchSize = 1000;

const noteScript = `
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])`;

export function createVisitsService({ db, redis, clock, seals }: VisitsDeps): VisitsService {
  const setOf = (day: Day) => `visits:${day}`;
  const keep = redis.script(noteScript);
  /** Oldest first. */
  const daysBefore = (day: Day, count: number) =>
    Array.from({ length: count }, (_, n) => addDays(day, n - count));

  async function read(day: Day): Promise<Roll> {
    const roll = createRoll();
    let cursor = '0';
    do {
      const from = cursor;
      const [next, members] = await patiently(() =>
        redis.run((client) => client.sscan(setOf(day), from, 'COUNT', scanCount)),
      );
      for (const member of members) {
        const visitor = seals.openVisit(day, member);
        if (visitor) roll.add(visitor);
      }
      cursor = next;
    } while (cursor !== '0');
    return roll;
  }

  return {
    async note(visitor) {
      const day = today(clock);
      try {
        await keep([setOf(day)], [seals.visit(day, visitor), (keptDays * dayMs) / 1000]);
        return true;
      } catch (error) {
        if (error instanceof RedisUnavailable) return false;
        throw error;
      }
    },

    async waitingDays(visitors, count) {
      if (visitors.length === 0) return [];
      const newestFirst = daysBefore(addDays(today(clock), 1), count).toReversed();
      const found = await redis.run((client) =>
        Promise.all(
          newestFirst.map((day) =>
            client.smismember(
              setOf(day),
              visitors.map((visitor) => seals.visit(day, visitor)),
            ),
          ),
        ),
      );
      return visitors.map((_, n) => newestFirst.find((_day, which) => found[which]?.[n] === 1) ?? null);
    },

    async write(before) {
      const kept = daysBefore(before, keptDays);
      const sizes = await redis.run((client) => Promise.all(kept.map((day) => client.scard(setOf(day)))));
      const waiting = kept.filter((_, n) => (sizes[n] ?? 0) > 0);
      for (const day of waiting) {
        const roll = await read(day);
        for (const visitors of roll.batches()) {
          await transaction(db.identity, async (tx) => {
            await queries.goByIndex(tx);
            await queries.writeVisits(tx, visitors, day);
          });
        }
        await redis.run((client) => client.unlink(setOf(day)));
      }
    },
  };
}

/** A million visitors are a thousand questions: one that is answered late is asked again, and not all of them. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RedisUnavailable) || tries === mostTries) throw error;
      await setTimeout(pauseMs);
    }
  }
}

interface Roll {
  add(visitor: Visitor): void;
  /** In the order of people. A scan may give a visitor twice, and somebody may have come with two sessions. */
  batches(): Generator<queries.Visitors>;
}

/** A million visitors are two runs of numbers, where as many objects would take ten times that. */
function createRoll(): Roll {
  const users: number[] = [];
  const sessions: number[] = [];
  return {
    add({ userId, sessionId }) {
      users.push(Number(userId));
      sessions.push(Number(sessionId));
    },
    *batches() {
      const order = Uint32Array.from(users.keys()).toSorted(
        (a, b) => (users[a] ?? 0) - (users[b] ?? 0) || (sessions[a] ?? 0) - (sessions[b] ?? 0),
      );
      for (let done = 0; done < order.length; done += batchSize) {
        const places = [...order.subarray(done, done + batchSize)];
        yield {
          userIds: [...new Set(places.map((place) => users[place] ?? 0))],
          sessionIds: [...new Set(places.map((place) => sessions[place] ?? 0))],
        };
      }
    },
  };
}
