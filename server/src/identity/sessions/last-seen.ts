import type { IdentityBase } from '../../kernel/base.ts';
import { addDays, today, type Day } from '../../platform/clock.ts';
import { transaction, type IdentityDb } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { inPages } from '../../platform/pages.ts';
import { rewriteTable } from '../../platform/rewrite-rows.ts';
import { RedisUnavailable } from '../../platform/redis.ts';
import { factColumns, openFacts } from '../facts/account-facts.ts';
import { openSession, sealSession } from './session-facts.ts';
import { createVisitCodec, type Visitor } from './visit-codec.ts';
import { createVisitStore, visitRetentionDays } from './visits.store.ts';
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
  flush(rows: JobRows, before: Day): Promise<void>;
}

type LastSeenDeps = Pick<IdentityBase, 'db' | 'redis' | 'clock' | 'keys' | 'seals'>;

/**
 * Users per transaction. A single one would block sign-ins and sign-outs of a million people for minutes. Batches follow
 * the user ids, so the transaction id of a row reveals nothing about the visit.
 */
const batchSize = 1000;
/** Up to so many rows a new file takes half a second, in which nobody can sign in. */
const largeTable = 100_000;
const visitors = rowsOf('identity', 'visitors', (userId: bigint) => userId, batchSize);

export function createLastSeenService(deps: LastSeenDeps): LastSeenService {
  const { db, redis, clock, keys, seals } = deps;
  const visits = createVisitStore(redis, clock);
  const visitCodec = createVisitCodec(keys);
  /** Oldest first. */
  const daysBefore = (day: Day, count: number) =>
    Array.from({ length: count }, (_, n) => addDays(day, n - count));

  async function read(day: Day, tags: readonly string[]): Promise<Visitors> {
    const users: number[] = [];
    const sessions: number[] = [];
    for (const tag of tags)
      for await (const members of visits.read(day, tag))
        for (const member of members) {
          const visitor = visitCodec.decode(day, member);
          if (!visitor) continue;
          users.push(Number(visitor.userId));
          sessions.push(Number(visitor.sessionId));
        }
    return { hasUser: lookup(users), hasSession: lookup(sessions) };
  }

  /**
   * Rewrites every row of a batch of users, of visitors and of others: rows that only visits moved would lie in the order
   * of the last visits. A row that this service did not write stays as it is.
   */
  async function rewriteBatch(
    tx: IdentityDb,
    userIds: readonly bigint[],
    { day, tables }: Batch,
    { hasUser, hasSession }: Visitors,
  ): Promise<void> {
    const seen = <T extends { readonly lastSeenOn: Day }>(facts: T, isVisitor: boolean): T =>
      isVisitor && facts.lastSeenOn < day ? { ...facts, lastSeenOn: day } : facts;
    const users = await queries.lockUsers(tx, userIds);
    await queries.rewriteUsers(
      tx,
      users.map((row) => {
        const facts = openFacts(seals, row);
        const columns = facts && factColumns(seals, row.id, seen(facts, hasUser(row.id)));
        return { ...row, lookOn: null, ...columns };
      }),
    );
    const sessions = await queries.lockSessionsOf(tx, userIds);
    await queries.rewriteSessions(
      tx,
      sessions.map((row) => {
        const facts = openSession(seals, row);
        return facts ? { ...row, facts: sealSession(seals, row.id, seen(facts, hasSession(row.id))) } : row;
      }),
    );
    await queries.rewriteAsTheyAre(tx, tables, userIds);
  }

  return {
    async record(visitor) {
      const day = today(clock);
      try {
        await visits.add(day, [visitCodec.encode(day, visitor)]);
        return true;
      } catch (error) {
        if (error instanceof RedisUnavailable) return false;
        throw error;
      }
    },

    async pendingDays(visitors, count) {
      if (visitors.length === 0) return [];
      const newestFirst = daysBefore(addDays(today(clock), 1), count).toReversed();
      const found = await Promise.all(
        visitors.map((visitor) =>
          Promise.all(newestFirst.map((day) => visits.has(day, visitCodec.encode(day, visitor)))),
        ),
      );
      return found.map((days) => newestFirst.find((_day, which) => days[which]) ?? null);
    },

    async flush(rows, before) {
      const pending = await visits.listTags(daysBefore(before, visitRetentionDays));
      if (pending.size === 0) return;
      const tables = await queries.listTablesOfUsers(db);
      for (const [day, tags] of pending) {
        const seen = await read(day, tags);
        const pages = inPages(batchSize, {
          from: 0n,
          list: (after) => queries.listUserIds(db, after, batchSize),
          cursorOf: (userId) => userId,
        });
        for await (const userIds of pages)
          await rows.eachBatch(userIds, visitors, (batch) =>
            transaction(db, (tx) => rewriteBatch(tx, batch, { day, tables }, seen)),
          );
      }
      // An update stays on its page: without this rows lie in the order of signing up whatever is written later.
      for (const table of queries.nightlyTables) {
        const isSmall = (await queries.countRows(db, table, largeTable)) < largeTable;
        if (isSmall) await queries.layOut(db, table);
        else await rewriteTable(db, rows, table);
      }
      // Last: a night that failed is done again.
      for (const [day, tags] of pending) await Promise.all(tags.map((tag) => visits.forget(day, tag)));
    },
  };
}

interface Batch {
  readonly day: Day;
  readonly tables: readonly string[];
}

interface Visitors {
  hasUser(id: bigint): boolean;
  hasSession(id: bigint): boolean;
}

/** A sorted array takes a fifth of the memory of a set. */
function lookup(ids: readonly number[]): (id: bigint) => boolean {
  const sorted = Float64Array.from(ids).toSorted();
  return (id) => {
    const wanted = Number(id);
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return sorted[low] === wanted;
  };
}
