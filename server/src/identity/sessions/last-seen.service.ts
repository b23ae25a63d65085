import type { IdentityBase } from '../../kernel/base.ts';
import { setTimeout } from 'node:timers/promises';
import { addDays, dayMs, today, type Day } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { RedisUnavailable } from '../../platform/redis.ts';
import { createVisitCodec, type Visitor } from './visit-codec.ts';
import * as queries from './last-seen.queries.ts';

/**
 * Write-behind of last-seen days: a visit is recorded in Redis, and a nightly job flushes it to PostgreSQL in id order.
 * Written at once, a row's position and transaction id would reveal the moment of the visit
 * (docs/adr/0009-last-seen-days.md).
 */
export interface LastSeenService {
  /** False without Redis: the visit is then not recorded. */
  record(visitor: Visitor): Promise<boolean>;
  /** For each visitor, the newest day of the last `count` that is not flushed yet. */
  pendingDays(visitors: readonly Visitor[], count: number): Promise<(Day | null)[]>;
  /** Writes the recorded visits of all days before a day. Idempotent. */
  flush(before: Day): Promise<void>;
}

type LastSeenDeps = Pick<IdentityBase, 'db' | 'redis' | 'clock' | 'keys'>;

/** Longer than any session lives: after it, a visit changes nothing. */
const retentionDays = 40;
const scanCount = 1000;
const maxAttempts = 5;
const retryDelayMs = 1000;
/**
 * Visitors per transaction. A single transaction would block sign-ins and sign-outs of a million people for minutes.
 * Batches follow the user ids, so the transaction id of a row reveals nothing about the visit.
 */
const batchSize = 1000;

const recordScript = `
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])`;

export function createLastSeenService({ db, redis, clock, keys }: LastSeenDeps): LastSeenService {
  const keyOf = (day: Day) => `visits:${day}`;
  const runRecord = redis.script(recordScript);
  const visitCodec = createVisitCodec(keys);
  /** Oldest first. */
  const daysBefore = (day: Day, count: number) =>
    Array.from({ length: count }, (_, n) => addDays(day, n - count));

  async function read(day: Day): Promise<VisitorBuffer> {
    const buffer = createVisitorBuffer();
    let cursor = '0';
    do {
      const from = cursor;
      const [next, members] = await withRetry(() =>
        redis.run((client) => client.sscan(keyOf(day), from, 'COUNT', scanCount)),
      );
      for (const member of members) {
        const visitor = visitCodec.decode(day, member);
        if (visitor) buffer.add(visitor);
      }
      cursor = next;
    } while (cursor !== '0');
    return buffer;
  }

  return {
    async record(visitor) {
      const day = today(clock);
      try {
        await runRecord([keyOf(day)], [visitCodec.encode(day, visitor), (retentionDays * dayMs) / 1000]);
        return true;
      } catch (error) {
        if (error instanceof RedisUnavailable) return false;
        throw error;
      }
    },

    async pendingDays(visitors, count) {
      if (visitors.length === 0) return [];
      const newestFirst = daysBefore(addDays(today(clock), 1), count).toReversed();
      const found = await redis.run((client) =>
        Promise.all(
          newestFirst.map((day) =>
            client.smismember(
              keyOf(day),
              visitors.map((visitor) => visitCodec.encode(day, visitor)),
            ),
          ),
        ),
      );
      return visitors.map((_, n) => newestFirst.find((_day, which) => found[which]?.[n] === 1) ?? null);
    },

    async flush(before) {
      const days = daysBefore(before, retentionDays);
      const sizes = await redis.run((client) => Promise.all(days.map((day) => client.scard(keyOf(day)))));
      const pending = days.filter((_, n) => (sizes[n] ?? 0) > 0);
      const tables = await queries.listTablesOfUsers(db);
      for (const day of pending) {
        const buffer = await read(day);
        for (const visitors of buffer.batches()) {
          await transaction(db, async (tx) => {
            await queries.forceIndexOrder(tx);
            await queries.flushVisits(tx, visitors, day, tables);
          });
        }
        await redis.run((client) => client.unlink(keyOf(day)));
      }
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

interface VisitorBuffer {
  add(visitor: Visitor): void;
  /** In user id order, without duplicates: SSCAN may return a member twice, and a user may have several sessions. */
  batches(): Generator<queries.Visitors>;
}

/** Two arrays of numbers take a tenth of the memory of as many objects. */
function createVisitorBuffer(): VisitorBuffer {
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
        const indexes = [...order.subarray(done, done + batchSize)];
        yield {
          userIds: [...new Set(indexes.map((index) => users[index] ?? 0))],
          sessionIds: [...new Set(indexes.map((index) => sessions[index] ?? 0))],
        };
      }
    },
  };
}
