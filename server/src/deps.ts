import type { DestinationStream } from 'pino';
import pg from 'pg';
import { limits } from '@unsaid/contract';
import type { Config } from './config.ts';
import { systemClock, type Clock } from './platform/clock.ts';
import { openDatabases, type Databases, type DatabaseRole } from './platform/db.ts';
import { createKeys, type Keys } from './platform/keys.ts';
import { createOpaque, type Opaque } from './platform/opaque.ts';
import { createLimiter, type Limiter } from './platform/limiter.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { connectionOf } from './platform/logins.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { openRedis, type RedisStore } from './platform/redis.ts';
import { createPersons, type Persons } from './platform/persons.ts';
import { createSeals, type Seals } from './platform/seals.ts';
import { createSpeakers, type Speakers } from './platform/speakers.ts';
import { createSmsDelivery, type SmsDelivery } from './platform/sms/delivery.ts';
import { createMsg91 } from './platform/sms/msg91.ts';
import { createOutbox, type Outbox } from './platform/sms/outbox.ts';
import { createTwilio } from './platform/sms/twilio.ts';
import { createTraces, noTraces, type Traces } from './platform/traces.ts';

/** Everything the features stand on, built once for the api, the worker and the tests. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly keys: Keys;
  readonly seals: Seals;
  readonly persons: Persons;
  readonly speakers: Speakers;
  readonly opaque: Opaque;
  readonly db: Databases;
  /** The login of the jobs: what waits, and whether the schema is as this code needs it. */
  readonly jobsPool: pg.Pool;
  readonly redis: RedisStore;
  readonly limiter: Limiter;
  readonly sms: SmsDelivery;
  /** Where messages end up while developing and testing. */
  readonly outbox: Outbox;
  /** Work that goes on after its answer; closing waits for it. */
  runInBackground(work: Promise<void>): void;
  backgroundDone(): Promise<void>;
  close(): Promise<void>;
}

interface Overrides {
  readonly clock?: Clock;
  readonly logDestination?: DestinationStream;
  readonly onStatement?: (role: DatabaseRole, text: string) => void;
  /** Only for tools that fill a database; 0 waits for ever. */
  readonly statementTimeoutMs?: number;
}

export async function buildDeps(config: Config, overrides: Overrides = {}): Promise<Deps> {
  const clock = overrides.clock ?? systemClock;
  const logger = createLogger(config.logLevel, overrides.logDestination);
  const metrics = createMetrics();
  const traces = config.tracesEndpoint ? createTraces(config.tracesEndpoint) : noTraces;
  const keys = createKeys(config.masterKeys);
  const opaque = createOpaque(keys);
  const redis = await openRedis({
    url: config.redisUrl,
    prefix: config.redisPrefix,
    timeoutMs: config.redisTimeoutMs,
    logger,
    metrics,
    traces,
  });
  const db = openDatabases({
    databaseUrl: config.databaseUrl,
    roleUrls: config.roleUrls,
    poolSize: config.databasePoolSize,
    logger,
    traces,
    ...(overrides.onStatement ? { onStatement: overrides.onStatement } : {}),
    ...(overrides.statementTimeoutMs === undefined
      ? {}
      : { statementTimeoutMs: overrides.statementTimeoutMs }),
  });
  const jobsPool = new pg.Pool({
    ...connectionOf(config, 'jobs'),
    max: 1,
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
  });
  jobsPool.on('error', () => {});
  jobsPool.on('connect', (client) => client.on('error', () => {}));
  const outbox = createOutbox(config.sms.outboxFile, clock);
  const { twilio, msg91, timeoutMs } = config.sms;
  const makeProvider = {
    outbox: () => outbox,
    twilio: () => createTwilio(twilio, { timeoutMs, validSeconds: limits.otpLifeSeconds }),
    msg91: () => createMsg91(msg91, { timeoutMs }),
  };
  const pending = new Set<Promise<void>>();
  async function backgroundDone(): Promise<void> {
    await Promise.allSettled(pending);
  }
  return {
    config,
    clock,
    logger,
    metrics,
    traces,
    keys,
    seals: createSeals(keys),
    persons: createPersons(keys),
    speakers: createSpeakers(keys),
    opaque,
    db,
    jobsPool,
    redis,
    limiter: createLimiter({ redis, clock, metrics, opaque, scale: config.limitsScale }),
    outbox,
    sms: createSmsDelivery({
      providers: config.sms.providers.map((name) => makeProvider[name]()),
      clock,
      metrics,
      logger,
    }),
    runInBackground(work) {
      pending.add(work);
      void work.finally(() => pending.delete(work));
    },
    backgroundDone,
    async close() {
      await backgroundDone();
      await Promise.allSettled([db.close(), jobsPool.end(), redis.close(), traces.close()]);
    },
  };
}
