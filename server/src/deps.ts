import { setTimeout as pause } from 'node:timers/promises';
import type { DestinationStream } from 'pino';
import pg from 'pg';
import { limits } from '@unsaid/contract';
import type { Config } from './config.ts';
import { systemClock, type Clock } from './platform/clock.ts';
import type { Schema } from './db/schemas.ts';
import { openDatabases, type Databases } from './platform/db.ts';
import { openDataKeys, type DataKeys } from './platform/crypto/data-keys.ts';
import { DataKeyError } from './platform/crypto/keys.ts';
import { createLocalMasterKey, type MasterKey } from './platform/crypto/master-key.ts';
import { createRedisCrypto } from './platform/crypto/redis-crypto.ts';
import { createRowSeals } from './platform/crypto/row-seals.ts';
import { createLimiter } from './platform/limiter.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { connectionOf } from './platform/logins.ts';
import { createMetrics } from './platform/metrics.ts';
import { openRedis, type RedisOptions } from './platform/redis.ts';
import { secureRandom } from './platform/shuffle.ts';
import type { Base } from './kernel/base.ts';
import { createPersons } from './kernel/person-keys.ts';
import { createPublicIds } from './kernel/public-ids.ts';
import { createSpeakers } from './kernel/speakers.ts';
import { createSmsDelivery, type SmsDelivery } from './platform/sms/delivery.ts';
import { createMsg91 } from './platform/sms/msg91.ts';
import { createOutbox, type Outbox } from './platform/sms/outbox.ts';
import { createTwilio } from './platform/sms/twilio.ts';
import { openContentStandby, type ContentStandby } from './platform/standby/content-standby.ts';
import { createSwitches, type Switches } from './platform/switches.ts';

/** What the process has, built once for the api, the worker and the tests. Features get the base and pools. */
export interface Deps extends Base {
  readonly config: Config;
  readonly databases: Databases;
  /** A standby for reads of content; null without one, and in processes that answer no users. */
  readonly standby: ContentStandby | null;
  /** Uses the jobs login; for the queue's metrics and for switches. */
  readonly jobsPool: pg.Pool;
  readonly switches: Switches;
  readonly dataKeys: DataKeys;
  readonly sms: SmsDelivery;
  /** Receives messages in development and tests. */
  readonly outbox: Outbox;
  backgroundDone(): Promise<void>;
  close(): Promise<void>;
}

interface Overrides {
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logDestination?: DestinationStream;
  readonly onStatement?: (schema: Schema, text: string) => void;
  readonly onSecondConnection?: () => void;
  readonly redis?: Pick<RedisOptions, 'isSplit' | 'onCommand'>;
  readonly masterKey?: MasterKey;
  /** Tried again while the database is away or not migrated. */
  readonly waitsForDatabase?: boolean;
}

export async function buildDeps(config: Config, overrides: Overrides = {}): Promise<Deps> {
  const clock = overrides.clock ?? systemClock;
  const logger = createLogger(config.logLevel, overrides.logDestination);
  const metrics = createMetrics();
  const redis = await openRedis({
    url: config.redisUrl,
    isCluster: config.isRedisCluster,
    prefix: config.redisPrefix,
    timeoutMs: config.redisTimeoutMs,
    logger,
    metrics,
    ...overrides.redis,
  });
  const wrongRedis = await redis.wrongKind();
  if (wrongRedis !== null) throw new Error(wrongRedis);
  const databases = openDatabases({
    services: config.services,
    databaseUrl: config.databaseUrl,
    roleUrls: config.roleUrls,
    poolSize: config.databasePoolSize,
    timeoutMs: config.databaseTimeoutMs,
    logger,
    ...(overrides.onStatement ? { onStatement: overrides.onStatement } : {}),
    onSecondConnection: overrides.onSecondConnection,
  });
  const ring = config.masterKeys;
  const masterKey = overrides.masterKey ?? createLocalMasterKey(ring);
  const openKeys = () => openDataKeys({ databases, masterKey, ring, logger, metrics });
  const dataKeys = await (overrides.waitsForDatabase ? untilItCan(openKeys, logger) : openKeys()).catch(
    async (error: unknown) => {
      await Promise.allSettled([databases.close(), redis.close()]);
      throw error;
    },
  );
  const { keys } = dataKeys;
  const redisCrypto = createRedisCrypto(keys);
  const standby =
    config.contentReadUrl !== null && config.services.has('api')
      ? openContentStandby({
          ...config,
          contentReadUrl: config.contentReadUrl,
          logger,
          metrics,
          onStatement: overrides.onStatement && ((text) => overrides.onStatement?.('content', text)),
        })
      : null;
  await standby?.watch.start();
  const jobsPool = new pg.Pool({
    ...connectionOf(config, 'jobs'),
    max: 1,
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
  });
  jobsPool.on('error', () => {});
  jobsPool.on('connect', (client) => client.on('error', () => {}));
  const switches = createSwitches(jobsPool, logger);
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
    random: overrides.random ?? secureRandom,
    logger,
    metrics,
    keys,
    publicIds: createPublicIds(keys),
    persons: createPersons(keys),
    speakers: createSpeakers(keys),
    redisCrypto,
    seals: createRowSeals(keys, metrics),
    databases,
    standby,
    jobsPool,
    switches,
    dataKeys,
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
      switches.stop();
      dataKeys.stop();
      await backgroundDone();
      await Promise.allSettled([databases.close(), standby?.close(), jobsPool.end(), redis.close()]);
    },
  };
}

/** The process is useless without its keys. */
async function untilItCan<T>(work: () => Promise<T>, logger: Logger): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DataKeyError) throw error;
      logger.warn({ event: 'waiting_for_database' });
      await pause(1000);
    }
  }
}
