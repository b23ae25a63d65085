import { expect, onTestFinished, test } from 'vitest';
import { createJobs } from '../src/platform/jobs.ts';
import { ownTestApp } from './app.ts';
import { withClient } from './db.ts';

test('a worker keeps the schedules of a newer release', async () => {
  const app = await ownTestApp();
  const schedules = () =>
    withClient(app.config.databaseUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>('select name from jobs.schedule order by name');
      return rows.map(({ name }) => name);
    });
  const daily = (name: string) => ({ name, cron: '0 3 * * *', run: async () => {} });

  const newer = createJobs(app.config, [daily('kept'), daily('only-in-newer')], app.deps);
  await newer.start();
  onTestFinished(newer.stop);

  const older = createJobs(app.config, [daily('kept')], app.deps);
  await older.start();
  onTestFinished(older.stop);
  expect(await schedules()).toEqual(['kept', 'only-in-newer']);
});
