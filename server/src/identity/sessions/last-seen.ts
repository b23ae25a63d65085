import type { Day } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { inPages } from '../../platform/pages.ts';
import { rewriteTable } from '../../platform/rewrite-rows.ts';
import type { IdentityContext } from '../context.ts';
import { factColumns, openFacts } from '../facts/account-facts.ts';
import * as queries from './last-seen.queries.ts';
import { openSession, sealSession } from './session-facts.ts';

/**
 * Users per transaction. A single one would block sign-ins and sign-outs of a million people for minutes. Batches follow
 * the user ids, so the transaction id of a row reveals nothing about the visit.
 */
const batchSize = 1000;
/** Up to so many rows a new file takes half a second, in which nobody can sign in. */
const largeTable = 100_000;
const visitors = rowsOf('identity', 'visitors', (userId: bigint) => userId, batchSize);

interface Visitors {
  hasUser(id: bigint): boolean;
  hasSession(id: bigint): boolean;
}

interface Batch {
  readonly day: Day;
  readonly tables: readonly string[];
  readonly seen: Visitors;
}

/**
 * Writes the recorded visits of all days before a day to PostgreSQL, in id order. Idempotent. Written at once, a row's
 * position and transaction id would reveal the moment of the visit (docs/adr/0009-last-seen-days.md).
 */
export async function flushVisits(ctx: IdentityContext, rows: JobRows, before: Day): Promise<void> {
  const { db, visits } = ctx;
  const pending = await visits.listTags(before);
  if (pending.size === 0) return;
  const tables = await queries.listTablesOfUsers(db);
  for (const [day, tags] of pending) {
    const seen = await readVisitors(ctx, day, tags);
    const pages = inPages(batchSize, {
      from: 0n,
      list: (after) => queries.listUserIds(db, after, batchSize),
      cursorOf: (userId) => userId,
    });
    for await (const userIds of pages)
      await rows.eachBatch(userIds, visitors, (batch) =>
        inTransaction(ctx, (ctx) => rewriteBatch(ctx, batch, { day, tables, seen })),
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
}

async function readVisitors(
  { visits }: IdentityContext,
  day: Day,
  tags: readonly string[],
): Promise<Visitors> {
  const users: number[] = [];
  const sessions: number[] = [];
  for (const tag of tags)
    for await (const part of visits.read(day, tag))
      for (const visitor of part) {
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
  { db, seals }: IdentityContext,
  userIds: readonly bigint[],
  { day, tables, seen }: Batch,
): Promise<void> {
  const atLeast = <T extends { readonly lastSeenOn: Day }>(facts: T, isVisitor: boolean): T =>
    isVisitor && facts.lastSeenOn < day ? { ...facts, lastSeenOn: day } : facts;
  const users = await queries.lockFactsOf(db, userIds);
  await queries.rewriteUsers(
    db,
    users.map((row) => {
      const facts = openFacts(seals, row);
      const columns = facts && factColumns(seals, row.id, atLeast(facts, seen.hasUser(row.id)));
      return { ...row, lookOn: null, ...columns };
    }),
  );
  const sessions = await queries.lockSessionsOf(db, userIds);
  await queries.rewriteSessions(
    db,
    sessions.map((row) => {
      const facts = openSession(seals, row);
      return facts
        ? { ...row, facts: sealSession(seals, row.id, atLeast(facts, seen.hasSession(row.id))) }
        : row;
    }),
  );
  await queries.rewriteAsTheyAre(db, tables, userIds);
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
