import type { TestProject } from 'vitest/node';
import { createLogger } from '../src/platform/logger.ts';
import { migrate } from '../src/platform/migrate.ts';
import { admin, databaseUrl, dropDatabase } from './db.ts';

declare module 'vitest' {
  interface ProvidedContext {
    templateDatabase: string;
  }
}

/** Migrates once; every test file then starts from a copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = `unsaid_test_${process.pid}`;
  await migrate(databaseUrl(template), createLogger('warn'));
  project.provide('templateDatabase', template);
  return async () => {
    // Including copies left by crashed test files.
    const { rows } = await admin((client) =>
      client.query<{ datname: string }>('select datname from pg_database where datname like $1', [
        `${template}%`,
      ]),
    );
    for (const { datname } of rows) await dropDatabase(datname);
  };
}
