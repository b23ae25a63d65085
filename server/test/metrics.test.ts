import { commentOnVent, deleteAccount, listVents } from '@unsaid/contract';
import { expect, onTestFinished, test } from 'vitest';
import { createJobs, overdueJobsMs } from '../src/platform/jobs.ts';
import { measureOverdue } from '../src/platform/metrics.ts';
import { ownTestApp, type TestApp } from './app.ts';
import { makeUser, makeVent, markConfirmed } from './make.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

async function firstComments(app: TestApp): Promise<{ count: number; sum: number; withinQuarter: number }> {
  const { values } = await app.deps.metrics.firstCommentSeconds.get();
  const valueOf = (name: string, le?: number) =>
    values.find(
      ({ metricName, labels }) => metricName === name && (le === undefined || Number(labels.le) === le),
    )?.value ?? 0;
  return {
    count: valueOf('unsaid_first_comment_seconds_count'),
    sum: valueOf('unsaid_first_comment_seconds_sum'),
    withinQuarter: valueOf('unsaid_first_comment_seconds_bucket', 900),
  };
}

test('the first comment under a vent is timed in whole minutes, once, and the author is not their own company', async () => {
  const app = await ownTestApp();
  const [author, reader] = [await makeUser(app), await makeUser(app)];
  const say = (as: typeof author, ventId: string) =>
    app.call(commentOnVent, { as, body: { ventId, text: 'I hear you' } });
  const answered = await makeVent(app, author);
  const alone = await makeVent(app, author);
  app.clock.advance(7 * minute + 41_000);
  expect((await say(author, alone.id)).status).toBe(201);
  expect(await firstComments(app)).toEqual({ count: 0, sum: 0, withinQuarter: 0 });

  expect((await say(reader, answered.id)).status).toBe(201);
  expect((await say(reader, answered.id)).status).toBe(201);
  expect(await firstComments(app)).toEqual({ count: 1, sum: 7 * 60, withinQuarter: 1 });
});

test('a comment that is refused is not timed', async () => {
  const app = await ownTestApp();
  const reader = await makeUser(app);
  const refused = await app.call(commentOnVent, { as: reader, body: { ventId: 'A'.repeat(22), text: 'x' } });
  expect(refused.status).toBe(404);
  expect((await firstComments(app)).count).toBe(0);
});

test('what the copies of a second save can be counted', async () => {
  const app = await ownTestApp();
  const me = await makeUser(app);
  const pages = async () => {
    const { values } = await app.deps.metrics.copies.get();
    const of = (outcome: string) =>
      values.find(({ labels }) => labels.of === 'pages' && labels.outcome === outcome)?.value ?? 0;
    return { hit: of('hit'), miss: of('miss') };
  };
  for (let n = 0; n < 3; n += 1) await app.call(listVents, { as: me });
  expect(await pages()).toEqual({ hit: 2, miss: 1 });
  app.clock.advance(1000);
  await app.call(listVents, { as: me });
  expect(await pages()).toEqual({ hit: 2, miss: 2 });
});

test('work that lies about is seen by every process, and a store that is away leaves no figure behind', async () => {
  const app = await ownTestApp();
  const { metrics, jobsPool } = app.deps;
  const work = { jobs: () => overdueJobsMs(jobsPool), leavings: app.features.leaving.overdueMs };
  const overdue = async () => {
    await measureOverdue(metrics, work);
    const { values } = await metrics.overdueSeconds.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.work, value]));
  };
  expect(await overdue()).toEqual({ jobs: 0, leavings: 0 });

  const leaver = await makeUser(app);
  await markConfirmed(app, leaver);
  await app.call(deleteAccount, { as: leaver, query: { removeWords: '3days' } });
  // The span begins with the next day, and a day more is no reason to worry.
  app.clock.advance(5 * day - (app.clock.now() % day) + 12 * minute + 5000);
  await jobsPool.query(`select jobs.create_queue('waiting', '{"policy":"standard"}')`);
  await jobsPool.query(`insert into jobs.job (name, start_after)
    values ('waiting', now() - interval '12 minutes 5 seconds'), ('waiting', now() + interval '1 hour')`);
  expect(await overdue()).toEqual({ jobs: 12 * 60, leavings: 12 * 60 });

  work.jobs = () => Promise.reject(new Error('away'));
  expect(await overdue()).toEqual({ leavings: 12 * 60 });
});

test('a job that fails is counted as one that failed', async () => {
  const app = await ownTestApp();
  const work = [
    { name: 'good', aboutEverySeconds: 1, run: async () => {} },
    { name: 'bad', aboutEverySeconds: 1, run: () => Promise.reject(new Error('no')) },
  ];
  const jobs = createJobs(app.config, work, app.deps);
  await jobs.start();
  onTestFinished(jobs.stop);
  const outcomes = async () => {
    const { values } = await app.deps.metrics.jobRuns.get();
    return [...new Set(values.map(({ labels }) => `${labels.queue} ${labels.outcome}`))].toSorted();
  };
  await expect.poll(outcomes, { timeout: 15_000 }).toEqual(['bad failed', 'good done']);
}, 30_000);
