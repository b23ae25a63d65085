import { deleteAccount, matchSuggestions } from '@unsaid/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import { runJob } from './make.ts';
import { makeNamed } from './pairs.ts';

/** Rewriting pairs takes rows out and puts them back. Whoever leaves in the middle of it must not be put back. */

let app: TestApp;
let rows: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ limitsScale: 1_000_000, logLevel: 'error' });
  rows = new pg.Pool({ connectionString: app.config.databaseUrl, max: 2 });
});
afterAll(async () => {
  await rows.end();
  await app.close();
});

async function untilWaiting(count: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows: found } = await rows.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return found[0]?.waiting;
      },
      { timeout: 10_000 },
    )
    .toBe(count);
}

test('nothing of a leaver is put back by a rewrite of pairs that was under way', async () => {
  const [leaver] = await Promise.all(Array.from({ length: 8 }, () => makeNamed(app)));
  if (!leaver) throw new Error('nobody');
  const { body } = await app.call(matchSuggestions, { as: leaver });
  expect(body.matches.length).toBeGreaterThan(3);
  const viewer = await app.features.sessions.authenticate(leaver.token, { skipCache: true });
  if (viewer) await app.features.sessions.markReauthenticated(viewer);

  // Holds the rewrite in the middle of its rows.
  const holder = await rows.connect();
  await holder.query('begin');
  await holder.query('select 1 from matching.pairs order by id desc limit 1 for update');
  const settling = runJob(app, 'settle-todays-pairs');
  await untilWaiting(1);
  const leaving = app.call(deleteAccount, { as: leaver });
  await untilWaiting(2);
  await holder.query('commit');
  holder.release();

  await settling;
  expect((await leaving).status).toBe(200);
  const { rows: left } = await rows.query('select id from matching.pairs where $1 in (a_key, b_key)', [
    app.deps.seals.pairKey(leaver.userId),
  ]);
  expect(left).toEqual([]);
});
