import { deleteAccount, limits, matchSuggestions } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { createPairCipher } from '../src/matching/pair-details.ts';
import { randomPairId } from '../src/matching/pair-keys.ts';
import { newDetails } from '../src/matching/pair-view.ts';
import { addDays, today } from '../src/platform/clock.ts';
import { weekOf } from '../src/platform/coarse-days.ts';
import { usePool, useTestApp } from './app.ts';
import { expectLockWaiters } from './locks.ts';
import { runJob } from './factories.ts';
import { makeNamed, pairKeysOf, peersIn } from './pairs.ts';

/**
 * The rewrite of pairs deletes rows and inserts them again. It must not reinsert rows of an account that is
 * deleted meanwhile. Searches of two people at once must not pair them twice, and searches of many wait for nobody.
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

test('a search that waits for another one makes no second pair, though the first is of the week before', async () => {
  const [one, other] = [await makeNamed(app, ['Happy']), await makeNamed(app, ['Happy'])];
  const holder = await rows.connect();
  await holder.query('begin');
  await holder.query('select pg_advisory_xact_lock($1)', [app.pairKeys.lockOf(other.userId)]);
  const searching = app.call(matchSuggestions, { as: one });
  await expectLockWaiters(rows, 1);
  const madeOn = addDays(weekOf(today(app.clock)), -1);
  const week = weekOf(madeOn);
  const [mine, theirs] = app.pairKeys.encodeAll([one.userId, other.userId], [week]) as [Buffer, Buffer];
  const isAskedByA = theirs.compare(mine) < 0;
  const [aKey, bKey] = isAskedByA ? [theirs, mine] : [mine, theirs];
  const columns = { aKey, bKey, isAskedByA, week };
  const details = createPairCipher(app.deps.keys).seal(
    newDetails({ score: 0.5, emotions: [], reasons: [] }, madeOn),
    columns,
  );
  await holder.query(
    `insert into matching.pairs (id, a_key, b_key, is_asked_by_a, week, details) values ($1, $2, $3, $4, $5, $6)`,
    [randomPairId(), aKey, bKey, isAskedByA, week, details],
  );
  await holder.query('commit');
  holder.release();
  const { matches } = (await searching).body;
  const met = await peersIn(app, one, matches);
  expect(met.filter((id) => id === other.userId)).toHaveLength(1);
});

test('a search does not wait for people whom another one holds, where enough others fit', async () => {
  const [one, ...others] = await Promise.all(Array.from({ length: 21 }, () => makeNamed(app, ['Happy'])));
  if (!one) throw new Error('no account');
  const held = others.slice(0, 5);
  const holder = await rows.connect();
  await holder.query('begin');
  for (const { userId } of held)
    await holder.query('select pg_advisory_xact_lock($1)', [app.pairKeys.lockOf(userId)]);
  const { matches } = (await app.call(matchSuggestions, { as: one })).body;
  await holder.query('commit');
  holder.release();
  const met = await peersIn(app, one, matches);
  expect(met).toHaveLength(limits.openSuggestions);
  for (const { userId } of held) expect(met).not.toContain(userId);
});

test('searches of everybody at once pair no two twice, and leave nobody without', async () => {
  const town = await Promise.all(Array.from({ length: 8 }, () => makeNamed(app, ['Angry'])));
  const lists = await Promise.all(town.map((as) => app.call(matchSuggestions, { as })));
  for (const [n, { status, body }] of lists.entries()) {
    expect(status).toBe(200);
    const met = await peersIn(app, town[n] as (typeof town)[number], body.matches);
    expect(new Set(met).size).toBe(met.length);
    expect(met.length).toBeGreaterThanOrEqual(limits.openSuggestions);
  }
});
