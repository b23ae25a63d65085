import { react } from '@unsaid/contract';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usePool, useTestApp } from './app.ts';
import { makeUser, makeVent, type MadeVent, type Person } from './factories.ts';
import {
  countLockWaiters,
  expectLockWaiters,
  holdCommitsOf,
  prepareHeldCommits,
  whileCommitting,
} from './locks.ts';

/**
 * A transaction that locks a row of the author would make reactions to two vents of one author wait for each other, and
 * response times would reveal that the vents have one author. Here the first reaction is held in its commit, with all
 * of its locks, until the second is answered. `author-lock-timing.proof.test.ts` measures the same with a clock.
 */

const app = useTestApp({ limitsScale: 1_000_000 });
const rows = usePool(app, 3);
let watchers: readonly [Person, Person];
let first: MadeVent;
let second: MadeVent;

beforeAll(async () => {
  watchers = [await makeUser(app), await makeUser(app)];
  await prepareHeldCommits(rows);
});
beforeEach(async () => {
  const author = await makeUser(app);
  [first, second] = [await makeVent(app, author), await makeVent(app, author)];
  await holdCommitsOf(rows, first.number);
});

const reactTo = async (as: Person, { id }: MadeVent) =>
  (await app.call(react, { as, body: { ventId: id, reactionType: 'hug' } })).status;

/** Runs `check` while the first reaction waits in its commit. */
async function whileFirstCommits(check: () => Promise<void>): Promise<void> {
  expect(await whileCommitting(rows, () => reactTo(watchers[0], first), check)).toBe(200);
}

describe('a reaction to another vent of the same author', () => {
  test('is answered while the first still holds all of its locks (R48)', async () => {
    await whileFirstCommits(async () => {
      expect(await reactTo(watchers[1], second)).toBe(200);
      expect(await countLockWaiters(rows)).toBe(1);
    });
  });

  test('waits for the first where a lock of the author is planted', async () => {
    const vents = [first, second].map(({ number }) => String(number));
    await rows.query(`
      create function public.lock_author() returns trigger language plpgsql security definer as $$
        begin
          if new.vent_id in (${vents.join(', ')}) then perform pg_advisory_xact_lock(2); end if;
          return null;
        end $$`);
    await rows.query(`
      create trigger lock_author after update on content.vent_stats
        for each row execute function public.lock_author()`);
    const waiting: Promise<number>[] = [];
    await whileFirstCommits(async () => {
      waiting.push(reactTo(watchers[1], second));
      await expectLockWaiters(rows, 2);
    });
    expect(await Promise.all(waiting)).toEqual([200]);
  });
});
