import { deleteAccount, matchSuggestions } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { usePool, useTestApp } from './app.ts';
import { expectLockWaiters } from './locks.ts';
import { runJob } from './factories.ts';
import { makeNamed, pairKeysOf } from './pairs.ts';

/**
 * The rewrite of pairs deletes rows and inserts them again. It must not reinsert rows of an account that is
 * deleted meanwhile.
 */

const app = useTestApp({ limitsScale: 1_000_000, logLevel: 'error' });
const rows = usePool(app);

test('a rewrite of pairs that is running does not reinsert pairs of a deleted account', async () => {
  const [leaver] = await Promise.all(Array.from({ length: 8 }, () => makeNamed(app)));
  if (!leaver) throw new Error('no account');
  const { body } = await app.call(matchSuggestions, { as: leaver });
  expect(body.matches.length).toBeGreaterThan(3);
  const viewer = await app.features.sessions.authenticate(leaver.token, { skipCache: true });
  if (viewer) await app.features.sessions.markReauthenticated(viewer);

  // A row lock stops the rewrite in the middle of its rows.
  const holder = await rows.connect();
  await holder.query('begin');
  await holder.query('select 1 from matching.pairs order by id desc limit 1 for update');
  const settling = runJob(app, 'settle-todays-pairs');
  await expectLockWaiters(rows, 1);
  const leaving = app.call(deleteAccount, { as: leaver });
  await expectLockWaiters(rows, 2);
  await holder.query('commit');
  holder.release();

  await settling;
  expect((await leaving).status).toBe(200);
  const { rows: left } = await rows.query(
    'select id from matching.pairs where a_key = any($1) or b_key = any($1)',
    [pairKeysOf(app, leaver.userId)],
  );
  expect(left).toEqual([]);
});
