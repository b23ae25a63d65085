import type { TestProject } from 'vitest/node';
import { createLogger } from '../src/platform/logger.ts';
import { migrate } from '../src/platform/migrate.ts';
import { startTempRedisCluster } from '../../testkit/temp-redis-cluster.ts';
import { admin, databaseUrl, dropDatabase } from './db.ts';

declare module 'vitest' {
  interface ProvidedContext {
    templateDatabase: string;
  }
}

/** Migrates once; every test file then starts from a copy. TEST_REDIS=cluster starts a Redis Cluster for all. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = `unsaid_test_${process.pid}`;
  await migrate(databaseUrl(template), createLogger('warn'));
  project.provide('templateDatabase', template);
  // All tests on three masters and three replicas. Long timeouts: a machine that stalls must cause no failover.
  const cluster =
    process.env['TEST_REDIS'] === 'cluster' ? await startTempRedisCluster({ nodeTimeoutMs: 60_000 }) : null;
  if (cluster) Object.assign(process.env, { REDIS_URL: cluster.url, REDIS_CLUSTER: 'true' });
  return async () => {
    await cluster?.remove();
    // Including copies left by crashed test files.
    const { rows } = await admin((client) =>
      client.query<{ datname: string }>('select datname from pg_database where datname like $1', [
        `${template}%`,
      ]),
    );
    for (const { datname } of rows) await dropDatabase(datname);
  };
}
