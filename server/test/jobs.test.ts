import { expect, onTestFinished, test } from 'vitest';
import { createJobs } from '../src/platform/jobs.ts';
import { ownTestApp } from './app.ts';
import { withClient } from './db.ts';

test('a worker removes the schedules of retired jobs and keeps those of a newer release', async () => {
  const app = await ownTestApp();
  const schedules = () =>
    withClient(app.config.databaseUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>('select name from jobs.schedule order by name');
      return rows.map(({ name }) => name);
    });
  const daily = (name: string) => ({ name, cron: '0 3 * * *', run: async () => {} });

  const newer = createJobs(
    app.config,
    [daily('kept'), daily('former-name'), daily('only-in-newer')],
    app.deps,
  );
  await newer.start();
  onTestFinished(newer.stop);
  expect(await schedules()).toEqual(['former-name', 'kept', 'only-in-newer']);

  const older = createJobs(app.config, [daily('kept')], { ...app.deps, retiredJobs: ['former-name'] });
  await older.start();
  onTestFinished(older.stop);
  expect(await schedules()).toEqual(['kept', 'only-in-newer']);
});
