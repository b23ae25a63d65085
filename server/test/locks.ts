import type pg from 'pg';
import { expect } from 'vitest';

/** Collisions that happen at any speed: a test holds a lock, and goes on once others wait for it. */

export type Queryable = Pick<pg.Pool | pg.Client, 'query'>;

/** The transactions of this database that wait for a lock. */
export async function countLockWaiters(on: Queryable): Promise<number> {
  const { rows } = await on.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

export const expectLockWaiters = (on: Queryable, count: number): Promise<void> =>
  expect.poll(() => countLockWaiters(on)).toBe(count);

/**
 * Runs calls that meet at one lock: `lock` is SQL that takes it. Each call starts when those before it wait, and the lock
 * is released when all do: each has read only what was there before the others. The first call then goes on first. The
 * order of the others is open.
 */
export async function collide<T>(
  pool: pg.Pool,
  lock: string,
  calls: readonly (() => Promise<T>)[],
  values: readonly unknown[] = [],
): Promise<T[]> {
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(lock, [...values]);
    const answers: Promise<T>[] = [];
    for (const call of calls) {
      answers.push(call());
      await expectLockWaiters(pool, answers.length);
    }
    await holder.query('commit');
    return await Promise.all(answers);
  } finally {
    // Ends the lock after a failure, too. A connection that is being closed must not meet the end of its database.
    await holder.query('rollback');
    holder.release();
  }
}

/** Runs a call up to the lock that the SQL takes, then `meanwhile`, and the call to its end: it has read what was there before. */
export async function whileWaiting<T>(
  pool: pg.Pool,
  lock: string,
  call: () => Promise<T>,
  meanwhile: (holder: Queryable) => Promise<unknown>,
): Promise<T> {
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(lock);
    const waiting = call();
    await expectLockWaiters(pool, 1);
    await meanwhile(holder);
    await holder.query('commit');
    return await waiting;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

/** The advisory lock that a held commit waits for. */
const holdKey = 1;

/** From now on commits that change the counters of a vent in `public.held` wait while `whileCommitting` holds them. */
export async function prepareHeldCommits(on: Queryable): Promise<void> {
  await on.query('create table public.held (vent_id bigint primary key)');
  await on.query(`
    create function public.hold_commit() returns trigger language plpgsql security definer as $$
      begin
        if exists (select from public.held where vent_id = new.vent_id) then
          perform pg_advisory_xact_lock(${holdKey});
        end if;
        return null;
      end $$`);
  await on.query(`
    create constraint trigger hold_commit after update on content.vent_stats
      deferrable initially deferred for each row execute function public.hold_commit()`);
}

export const holdCommitsOf = (on: Queryable, ventId: bigint) =>
  on.query('insert into public.held values ($1)', [String(ventId)]);

/** Runs `check` while the transaction of `write` waits in its commit, with all of its locks. */
export async function whileCommitting<T>(
  pool: pg.Pool,
  write: () => Promise<T>,
  check: () => Promise<void>,
): Promise<T> {
  const holder = await pool.connect();
  try {
    await holder.query('select pg_advisory_lock($1)', [holdKey]);
    const held = write();
    await expectLockWaiters(pool, 1);
    await check();
    await holder.query('select pg_advisory_unlock($1)', [holdKey]);
    return await held;
  } finally {
    await holder.query('select pg_advisory_unlock_all()');
    holder.release();
  }
}
