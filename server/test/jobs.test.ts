import { sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import { expect, onTestFinished, test } from 'vitest';
import { transaction, type ContentDb } from '../src/platform/db.ts';
import { bindJobs } from '../src/platform/job-rows.ts';
import type { BoundJob } from '../src/platform/job.ts';
import { createJobs } from '../src/platform/jobs.ts';
import { connectionOf, jobsSchema } from '../src/platform/logins.ts';
import { prepare } from '../src/platform/prepared-sql.ts';
import { ownTestApp, productionTimeouts, type TestApp } from './app.ts';
import { withClient } from './db.ts';

const daily = (name: string, run = async () => {}): BoundJob => ({ name, cron: '0 3 * * *', run });

async function startWorker(app: TestApp, jobs: readonly BoundJob[], isPaused = () => false) {
  const worker = createJobs(app.config, jobs, { ...app.deps, isPaused });
  await worker.start();
  onTestFinished(worker.stop);
  return worker;
}

/** A client of the queue, as schedules use it. */
async function openBoss(app: TestApp): Promise<PgBoss> {
  const boss = new PgBoss({
    ...connectionOf(app.config, 'jobs'),
    schema: jobsSchema,
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  onTestFinished(() => boss.stop({ graceful: false }));
  return boss;
}

const query = <T extends object>(app: TestApp, text: string) =>
  withClient(app.config.databaseUrl, async (client) => (await client.query<T>(text)).rows);

test('a statement of a job may take a minute, inside a transaction or outside, and that of a request two seconds', async () => {
  const app = await ownTestApp(productionTimeouts);
  const { content } = app.deps.databases;
  const show = async (db: ContentDb) =>
    (await sql<{ statementTimeout: string }>`show statement_timeout`.execute(db)).rows[0]?.statementTimeout;
  const prepared = prepare<{ setting: string }>(`select current_setting('statement_timeout') as setting`);
  const timeouts = async () => [
    await show(content),
    await transaction(content, show),
    (await prepared.rows(content))[0]?.setting,
  ];
  let inJob: unknown;
  const job = { ...daily('slow'), run: async () => void (inJob = await timeouts()) };
  const [bound] = bindJobs([job], { ...app.deps, random: Math.random });
  await bound?.run();
  expect(inJob).toEqual(['1min', '1min', '1min']);
  expect(await timeouts()).toEqual(['2s', '2s', '2s']);
  // A statement that fails outside of a transaction leaves no connection inside one.
  const failing = { ...daily('failing'), run: () => sql`select 1 / 0`.execute(content) as Promise<never> };
  await expect(bindJobs([failing], { ...app.deps, random: Math.random })[0]?.run()).rejects.toThrow();
  expect(await timeouts()).toEqual(['2s', '2s', '2s']);
});

test('a worker keeps the schedules of a newer release', async () => {
  const app = await ownTestApp();
  const schedules = async () =>
    (await query<{ name: string }>(app, 'select name from jobs.schedule order by name')).map(
      ({ name }) => name,
    );

  await startWorker(app, [daily('kept'), daily('only-in-newer')]);
  await startWorker(app, [daily('kept')]);
  expect(await schedules()).toEqual(['kept', 'only-in-newer']);
});

test('a run has no second one beside it, however long it takes and however many workers there are', async () => {
  const app = await ownTestApp();
  let [active, most, runs] = [0, 0, 0];
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const long = daily('long', async () => {
    runs += 1;
    active += 1;
    most = Math.max(most, active);
    await ended;
    active -= 1;
  });
  await startWorker(app, [long]);
  await startWorker(app, [long]);
  const boss = await openBoss(app);
  await boss.send('long');
  await expect.poll(() => active, { timeout: 60_000 }).toBe(1);
  // What schedules and other workers send meanwhile is one run.
  for (let n = 0; n < 5; n += 1) await boss.send('long');
  const waiting = `select count(*)::int as count from jobs.job where name = 'long' and state in ('created', 'retry')`;
  expect(await query(app, waiting)).toEqual([{ count: 1 }]);
  // pg-boss ends what takes longer than this, and starts it again beside itself.
  const [limits] = await query<{ expire: number; heartbeat: number }>(
    app,
    `select expire_seconds as expire, heartbeat_seconds as heartbeat from jobs.job where name = 'long' and state = 'active'`,
  );
  expect(limits?.expire).toBeGreaterThan(12 * 3600);
  expect(limits?.heartbeat).toBeLessThanOrEqual(120);
  end();
  await expect.poll(() => runs, { timeout: 60_000 }).toBe(2);
  expect(most).toBe(1);
});

test('runs do not pile up while jobs are paused', async () => {
  const app = await ownTestApp();
  let isPaused = true;
  let runs = 0;
  const minutely: BoundJob = { name: 'minutely', cron: '* * * * *', run: async () => void (runs += 1) };
  await startWorker(app, [minutely], () => isPaused);
  const boss = await openBoss(app);
  const states = () =>
    query<{ state: string; count: number }>(
      app,
      `select state::text, count(*)::int as count from jobs.job where name = 'minutely' group by 1`,
    );
  const countOf = async (state: string) => (await states()).find((one) => one.state === state)?.count ?? 0;
  for (let n = 1; n <= 5; n += 1) {
    await boss.send('minutely');
    await expect.poll(() => countOf('completed'), { timeout: 60_000 }).toBeGreaterThanOrEqual(n);
    // As the schedule does each minute. Only what a paused run puts off is there.
    await boss.send('minutely');
    expect(await countOf('created')).toBe(1);
    await query(app, `update jobs.job set start_after = now() where name = 'minutely' and state = 'created'`);
  }
  isPaused = false;
  await expect.poll(() => runs, { timeout: 60_000 }).toBe(1);
});

test('the queue stores no error of the database, which quotes rows', async () => {
  const app = await ownTestApp();
  await startWorker(app, [
    daily('fails', async () => {
      throw Object.assign(new Error('Key (slot_key)=(secret) exists'), { detail: 'secret', where: 'secret' });
    }),
  ]);
  const boss = await openBoss(app);
  await boss.send('fails');
  const stored = () =>
    query<{ row: string }>(
      app,
      `select to_jsonb(t)::text as row from jobs.job t where name = 'fails' and output is not null`,
    );
  await expect.poll(async () => (await stored()).length, { timeout: 60_000 }).toBe(1);
  expect(JSON.stringify(await stored())).not.toContain('secret');
  expect(app.log.lines.join()).not.toContain('secret');
  expect(app.log.lines.join()).toContain('job_failed');
});

test('a queue of an earlier release gets the policy of this one', async () => {
  const app = await ownTestApp();
  const boss = await openBoss(app);
  await boss.createQueue('old', { policy: 'standard' });
  await startWorker(app, [daily('old')]);
  expect((await boss.getQueue('old'))?.policy).toBe('stately');
});
