import { callbackify } from 'node:util';
import { openPool, poolConnection, type ContentDb } from '../db.ts';
import type { Logger } from '../logger.ts';
import type { Logins } from '../logins.ts';
import type { Metrics } from '../metrics.ts';
import type { OnStatement } from '../prepared-sql.ts';
import type { ReadableStandby } from './reads.ts';
import { createStandbyWatch, type StandbyWatch } from './watch.ts';

/** A standby of the database of content, for reads. */
export interface ContentStandby extends ReadableStandby<ContentDb> {
  readonly watch: StandbyWatch;
  close(): Promise<void>;
}

interface ContentStandbyOptions extends Logins {
  readonly contentReadUrl: string;
  readonly databasePoolSize: number;
  readonly databaseTimeoutMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onStatement: OnStatement;
}

const place = { role: 'content', schema: 'content' } as const;

export function openContentStandby(options: ContentStandbyOptions): ContentStandby {
  const { contentReadUrl: url, databasePoolSize: poolSize, databaseTimeoutMs: timeoutMs, ...rest } = options;
  const { services, databaseUrl, roleUrls, logger, metrics, onStatement } = rest;
  const primary = poolConnection({ services, databaseUrl, roleUrls }, place, timeoutMs);
  const standby = { ...primary, connectionString: url };
  const watch = createStandbyWatch({ primary, standby, logger, metrics });
  const { handle, pool } = openPool({
    ...place,
    connection: standby,
    poolSize,
    timeoutMs,
    logger,
    onStatement,
    // Shorter than on the primary: the read runs there again, within the time of the request.
    settings: {
      application_name: 'unsaid-content-read',
      connectionTimeoutMillis: Math.min(timeoutMs || 1000, 1000),
      query_timeout: timeoutMs,
      verify: callbackify(watch.verify),
    },
  });
  return {
    handle,
    watch,
    isBusy: () => pool.waitingCount > 0,
    async close() {
      await Promise.allSettled([watch.stop(), handle.destroy()]);
    },
  };
}
