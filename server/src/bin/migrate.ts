import { readMigrationConfig } from '../config.ts';
import { createLogger } from '../platform/logger.ts';
import { waitUntilAvailable } from '../platform/login-check.ts';
import { migrate } from '../platform/migrate.ts';
import { readOrRefuse, refuse } from './refuse.ts';

const { databaseUrl, jobsUrl, logLevel, isProduction } = readOrRefuse(readMigrationConfig, process.env);
const logger = createLogger(logLevel);
const run = () => migrate(databaseUrl, logger, { jobsUrl });
// Safe to repeat: a migration is one transaction. In development the reason is more useful than waiting.
await (isProduction ? waitUntilAvailable(run, logger) : run()).catch((error: unknown) =>
  refuse(error instanceof Error ? error.message : String(error), 'migrate'),
);
