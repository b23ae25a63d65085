import type { DestinationStream } from 'pino';
import pg from 'pg';
import { limits } from '@unsaid/contract';
import type { Config } from './config.ts';
import { systemClock, type Clock } from './platform/clock.ts';
import { openDatabases, type Databases, type DatabaseRole } from './platform/db.ts';
import { createKeys, type Keys } from './platform/crypto/keys.ts';
import { createRedisCrypto, type RedisCrypto } from './platform/crypto/redis-crypto.ts';
import { createLimiter, type Limiter } from './platform/limiter.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { connectionOf } from './platform/logins.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { openRedis, type RedisStore } from './platform/redis.ts';
import { createPersons, type Persons } from './pseudonyms/person-keys.ts';
import { createPublicIds, type PublicIds } from './pseudonyms/public-ids.ts';
import { createSpeakers, type Speakers } from './pseudonyms/speakers.ts';
import { createSmsDelivery, type SmsDelivery } from './platform/sms/delivery.ts';
import { createMsg91 } from './platform/sms/msg91.ts';
import { createOutbox, type Outbox } from './platform/sms/outbox.ts';
import { createTwilio } from './platform/sms/twilio.ts';

/** The shared dependencies of all features, built once for the api, the worker and the tests. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly keys: Keys;
  readonly publicIds: PublicIds;
  readonly persons: Persons;
  readonly speakers: Speakers;
  readonly redisCrypto: RedisCrypto;
  readonly db: Databases;
  /** Uses the jobs login; for the queue's metrics and for pending migrations. */
  readonly jobsPool: pg.Pool;
  readonly redis: RedisStore;
  readonly limiter: Limiter;
  readonly sms: SmsDelivery;
  /** Receives messages in development and tests. */
  readonly outbox: Outbox;
  /** Work that continues after the response; `close` waits for it. */
  runInBackground(work: Promise<void>): void;
  backgroundDone(): Promise<void>;
  close(): Promise<void>;
}

interface Overrides {
  readonly clock?: Clock;
  readonly logDestination?: DestinationStream;
  readonly onStatement?: (role: DatabaseRole, text: string) => void;
}

export async function buildDeps(config: Config, overrides: Overrides = {}): Promise<Deps> {
  const clock = overrides.clock ?? systemClock;
  const logger = createLogger(config.logLevel, overrides.logDestination);
  const metrics = createMetrics();
  const keys = createKeys(config.masterKeys);
  const redisCrypto = createRedisCrypto(keys);
  const redis = await openRedis({
    url: config.redisUrl,
    prefix: config.redisPrefix,
    timeoutMs: config.redisTimeoutMs,
    logger,
    metrics,
  });
  const db = openDatabases({
    databaseUrl: config.databaseUrl,
    roleUrls: config.roleUrls,
    poolSize: config.databasePoolSize,
    timeoutMs: config.databaseTimeoutMs,
    logger,
    ...(overrides.onStatement ? { onStatement: overrides.onStatement } : {}),
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
    keys,
    publicIds: createPublicIds(keys),
    persons: createPersons(keys),
    speakers: createSpeakers(keys),
    redisCrypto,
    db,
    jobsPool,
    redis,
    limiter: createLimiter({ redis, clock, metrics, redisCrypto, scale: config.limitsScale }),
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
      await Promise.allSettled([db.close(), jobsPool.end(), redis.close()]);
    },
  };
}
