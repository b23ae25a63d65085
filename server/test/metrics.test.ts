import type { AddressInfo } from 'node:net';
import { deleteAccount, listVents } from '@unsaid/contract';
import { expect, onTestFinished, test } from 'vitest';
import { createJobs, overdueJobsMs } from '../src/platform/jobs.ts';
import { measureOverdue, serveMetrics } from '../src/platform/metrics.ts';
import { ownTestApp } from './app.ts';
import { makeUser, markConfirmed } from './factories.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

test('the local cache counts its hits and misses', async () => {
  const app = await ownTestApp();
  const me = await makeUser(app);
  const lookups = async () => {
    const { values } = await app.deps.metrics.cacheRequests.get();
    const count = (result: string) =>
      values.find(({ labels }) => labels.cache === 'feed' && labels.result === result)?.value ?? 0;
    return { hit: count('hit'), miss: count('miss') };
  };
  for (let n = 0; n < 3; n += 1) await app.call(listVents, { as: me });
  expect(await lookups()).toEqual({ hit: 2, miss: 1 });
  app.clock.advance(1000);
  await app.call(listVents, { as: me });
  expect(await lookups()).toEqual({ hit: 2, miss: 2 });
});

test('overdue work is measured by every process, and an unreachable store leaves no stale value', async () => {
  const app = await ownTestApp();
  const { metrics, jobsPool } = app.deps;
  const work = { jobs: () => overdueJobsMs(jobsPool), erasures: app.features.leaving.overdueMs };
  const overdue = async () => {
    await measureOverdue(metrics, work);
    const { values } = await metrics.overdueSeconds.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.kind, value]));
  };
  expect(await overdue()).toEqual({ jobs: 0, erasures: 0 });

  const leaver = await makeUser(app);
  await markConfirmed(app, leaver);
  await app.call(deleteAccount, { as: leaver, query: { removeWords: '3days' } });
  // The removal period begins on the next day, and one more day does not count as overdue.
  app.clock.advance(5 * day - (app.clock.now() % day) + 12 * minute + 5000);
  await jobsPool.query(`select jobs.create_queue('waiting', '{"policy":"standard"}')`);
  await jobsPool.query(`insert into jobs.job (name, start_after)
    values ('waiting', now() - interval '12 minutes 5 seconds'), ('waiting', now() + interval '1 hour')`);
  expect(await overdue()).toEqual({ jobs: 12 * 60, erasures: 12 * 60 });

  work.jobs = () => Promise.reject(new Error('away'));
  expect(await overdue()).toEqual({ erasures: 12 * 60 });
});

test('a scrape that fails is answered, and the next one works', async () => {
  const app = await ownTestApp();
  let isAway = true;
  const beforeScrape = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve());
  const server = await serveMetrics(app.deps.metrics, { host: '127.0.0.1', port: 0 }, beforeScrape);
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const scrape = () => fetch(`http://127.0.0.1:${port}/metrics`).then(({ status }) => status);
  expect(await scrape()).toBe(500);
  isAway = false;
  expect(await scrape()).toBe(200);
});

test('a failing job is counted as failed', async () => {
  const app = await ownTestApp();
  const work = [
    { name: 'good', jitteredIntervalSeconds: 1, run: async () => {} },
    { name: 'bad', jitteredIntervalSeconds: 1, run: () => Promise.reject(new Error('no')) },
  ];
  const jobs = createJobs(app.config, work, app.deps);
  await jobs.start();
  onTestFinished(jobs.stop);
  const outcomes = async () => {
    const { values } = await app.deps.metrics.jobRuns.get();
    return [...new Set(values.map(({ labels }) => `${labels.queue} ${labels.outcome}`))].toSorted();
  };
  await expect.poll(outcomes).toEqual(['bad failed', 'good completed']);
});
