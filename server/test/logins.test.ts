import { createVent } from '@unsaid/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { openDatabases, type Databases } from '../src/platform/db.ts';
import { noTraces } from '../src/platform/traces.ts';
import { startTestApp, type TestApp } from './app.ts';
import { makeUser } from './make.ts';

/** One URL for everything, as deploy/compose.yaml and deploy/k8s give it: F14 of the adversary review. */
const productionEnv = (databaseUrl: string) => ({
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  REDIS_URL: 'redis://127.0.0.1:6379',
  PUBLIC_ORIGIN: 'https://unsaid.example',
  MASTER_KEY: Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64'),
  SMS_PROVIDER: 'msg91',
  MSG91_AUTH_KEY: 'key',
  MSG91_TEMPLATE_ID: 'flow',
});

describe('the configuration that is shipped', () => {
  let app: TestApp;
  let shipped: Databases;
  beforeAll(async () => {
    app = await startTestApp();
    const person = await makeUser(app);
    await app.call(createVent, { as: person, body: { title: 'Mine', text: 'alone', emotion: 'Sad' } });
    shipped = openDatabases({
      databaseUrl: app.config.databaseUrl,
      roleUrls: {},
      poolSize: 1,
      logger: app.deps.logger,
      traces: noTraces,
    });
  });
  afterAll(async () => {
    await shipped.close();
    await app.close();
  });

  test.fails('production refuses one login for all schemas', () => {
    expect(() => readConfig(productionEnv(app.config.databaseUrl))).toThrow();
  });

  test.fails('a connection of the content pool cannot leave its role and read accounts', async () => {
    const read = shipped.content.connection().execute(async (connection) => {
      await sql`set role none`.execute(connection);
      const { rows } = await sql<{ who: string; isSuper: boolean; accounts: bigint }>`
        select current_user as who, current_setting('is_superuser')::bool as is_super,
               (select count(*) from identity.users) as accounts`.execute(connection);
      console.log('content pool after set role none:', rows);
      return rows;
    });
    await expect(read).rejects.toThrow(/permission denied/u);
  });
});
