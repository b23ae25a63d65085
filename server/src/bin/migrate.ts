import { readMigrationConfig } from '../config.ts';
import { createLogger } from '../platform/logger.ts';
import { waitUntilAvailable } from '../platform/login-check.ts';
import { jobsSchema } from '../platform/logins.ts';
import { migrate } from '../platform/migrate.ts';
import { readOrRefuse, refuse } from './refuse.ts';

const { owned, jobsUrl, logLevel, isProduction } = readOrRefuse(readMigrationConfig, process.env);
const logger = createLogger(logLevel);
async function run(): Promise<void> {
  for (const [url, held] of owned) {
    const names = held.map(({ name }) => name);
    const schemas = names.filter((name) => name !== jobsSchema);
    await migrate(url, logger, { schemas, hasJobs: names.includes(jobsSchema), jobsUrl });
  }
}
// Safe to repeat: a migration is one transaction. In development the reason is more useful than waiting.
await (isProduction ? waitUntilAvailable(run, logger) : run()).catch((error: unknown) =>
  refuse(error instanceof Error ? error.message : String(error), 'migrate'),
);
