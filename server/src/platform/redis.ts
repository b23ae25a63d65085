import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { together } from './together.ts';
import type { Traces } from './traces.ts';

/** Thrown instead of whatever Redis or the network said; callers decide between closed and open. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable';
}

export interface RedisStore {
  /** Runs a command or script; rejects with RedisUnavailable within the command timeout. */
  run<T>(work: (client: Redis) => Promise<T>): Promise<T>;
  /** A script that is sent once and then called by its hash. */
  script(text: string): (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;
  /**
   * For what must not be forgotten because Redis was away a moment, such as a revocation: tries now,
   * and goes on trying behind the answer for as long as a stale copy could live.
   */
  insist(work: (client: Redis) => Promise<unknown>, forMs: number): Promise<void>;
  /** A cached value; null when there is none or Redis is away, which to a cache is the same. */
  getOrMiss(key: string): Promise<string | null>;
  /** Told to every process, this one included, and forgotten: a hint, never a fact to rely on. */
  publish(channel: string): Promise<void>;
  onMessage(channel: string, listener: () => void): Promise<void>;
  ping(): Promise<boolean>;
  /** What Redis does when its memory is full; null where it will not say. */
  evictionPolicy(): Promise<string | null>;
  close(): Promise<void>;
}

/** After this many failures in a row Redis is left alone for a while, so that requests do not queue on it. */
const failuresUntilOpen = 5;
const openForMs = 5000;

interface RedisOptions {
  readonly url: string;
  readonly prefix: string;
  /** How long a command is waited for. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly traces: Traces;
}

export async function openRedis({
  url,
  prefix,
  timeoutMs,
  logger,
  metrics,
  traces,
}: RedisOptions): Promise<RedisStore> {
  const client = new Redis(url, {
    keyPrefix: prefix,
    lazyConnect: true,
    commandTimeout: timeoutMs,
    connectTimeout: 2000,
    // A connection that swallows what is sent is given up, not waited for.
    socketTimeout: timeoutMs * 5,
    // What was given up on may have been done: it must not be done again behind anyone's back.
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  });
  // Without a listener the first lost connection would end the process.
  client.on('error', () => {});
  await client.connect().catch(() => logger.warn({ event: 'redis_not_there_yet' }));

  let subscriber: Redis | null = null;
  async function openSubscriber(): Promise<Redis> {
    // The options of the other, but for the timeouts: silence is what this one mostly hears.
    const listening = client.duplicate({
      commandTimeout: undefined,
      socketTimeout: undefined,
      keyPrefix: '',
    } as never);
    listening.on('error', () => {});
    await listening.connect().catch(() => {});
    return listening;
  }

  let failures = 0;
  let openUntil = 0;

  async function run<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    // Real waiting on purpose, whatever a test's clock says and whoever sets the machine's.
    if (performance.now() < openUntil) throw new RedisUnavailable();
    try {
      const result = await traces.span('redis', () => work(client));
      failures = 0;
      return result;
    } catch (error) {
      // A script error of ours is a bug, not an absence.
      if (error instanceof Error && /^(?:ERR|WRONGTYPE|NOSCRIPT)/u.test(error.message)) throw error;
      metrics.redisUnavailable.inc();
      failures += 1;
      if (failures >= failuresUntilOpen) {
        failures = 0;
        openUntil = performance.now() + openForMs;
        logger.warn({ event: 'redis_left_alone' });
      }
      throw new RedisUnavailable();
    }
  }

  return {
    run,
    script(text) {
      const sha1 = hash('sha1', text);
      return (keys, args) =>
        run((connected) =>
          connected.evalsha(sha1, keys.length, ...keys, ...args).catch((error: unknown) => {
            if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
            return connected.eval(text, keys.length, ...keys, ...args);
          }),
        );
    },
    async insist(work, forMs) {
      const giveUpAt = performance.now() + forMs;
      const retry = (): void => {
        if (performance.now() < giveUpAt) setTimeout(() => void run(work).catch(retry), 250).unref();
      };
      await run(work).catch(retry);
    },
    getOrMiss: together(async (keys) => {
      try {
        return await run((connected) => connected.mget(...keys));
      } catch (error) {
        if (error instanceof RedisUnavailable) return keys.map(() => null);
        throw error;
      }
    }),
    async publish(channel) {
      await run((connected) => connected.publish(`${prefix}${channel}`, '')).catch(() => {});
    },
    async onMessage(channel, listener) {
      // A connection that listens can do nothing else.
      subscriber ??= await openSubscriber();
      subscriber.on('message', (heard: string) => {
        if (heard === `${prefix}${channel}`) listener();
      });
      await subscriber.subscribe(`${prefix}${channel}`).catch(() => {});
    },
    async ping() {
      // Asks past the breaker: readiness must notice the return at once.
      try {
        await client.ping();
        openUntil = 0;
        return true;
      } catch {
        return false;
      }
    },
    async evictionPolicy() {
      try {
        const [, policy] = await client.config('GET', 'maxmemory-policy');
        return policy ?? null;
      } catch {
        return null;
      }
    },
    async close() {
      subscriber?.disconnect();
      await client.quit().catch(() => client.disconnect());
    },
  };
}
