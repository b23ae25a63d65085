import { readMigrationConfig } from '../config.ts';
import { createLogger } from '../platform/logger.ts';
import { migrate } from '../platform/migrate.ts';

const { databaseUrl, jobsUrl, logLevel } = readMigrationConfig(process.env);
await migrate(databaseUrl, createLogger(logLevel), { jobsUrl });
