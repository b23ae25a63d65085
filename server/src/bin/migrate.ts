import { readConfig } from '../config.ts';
import { createLogger } from '../platform/logger.ts';
import { migrate } from '../platform/migrate.ts';

const config = readConfig(process.env);
await migrate(config.databaseUrl, createLogger(config.logLevel));
