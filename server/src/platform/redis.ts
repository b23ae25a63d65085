import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { createBatcher } from './batch.ts';

/** Replaces any Redis or network error. The caller decides whether to fail open or closed. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable';
}

export interface RedisStore {
  /** Runs a command. Rejects with `RedisUnavailable` within the command timeout. */
  run<T>(work: (client: Redis) => Promise<T>): Promise<T>;
  /** A Lua script, called by its hash (EVALSHA). The text is sent only if Redis does not have it yet. */
  script(text: string): (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;
  /**
   * Tries now, and retries in the background for `forMs`. For writes that must not be lost to a short outage, such as a
   * revocation: `forMs` is how long a stale cache entry could live.
   */
  retryInBackground(work: (client: Redis) => Promise<unknown>, forMs: number): Promise<void>;
  /** A cached value; null if there is none or Redis is unavailable. */
  getCached(key: string): Promise<string | null>;
  /** Fire-and-forget pub/sub to all processes, this one included. Delivery is not guaranteed. */
  publish(channel: string, message?: string): Promise<void>;
  onMessage(channel: string, listener: (message: string) => void): Promise<void>;
  /** Whether Redis runs a script that writes, as counting attempts does. */
  ping(): Promise<boolean>;
  /** Why this Redis can never serve us, as a line for the operator; null if it can, or is away. */
  wrongKind(): Promise<string | null>;
  close(): Promise<void>;
}

/** Circuit breaker: after this many consecutive failures commands fail at once for `openForMs`. */
const failuresUntilOpen = 5;
const openForMs = 5000;
const retryIntervalMs = 250;
const probe = "return redis.call('set', KEYS[1], '', 'px', 1000)";
/** Replies of a Redis that does not let us do what we need. To callers it is away. */
const refusal =
  /^(?:NO(?:PERM|AUTH)|WRONGPASS|CROSSSLOT|ERR (?:unknown command|The user executing the script))/u;

interface RedisOptions {
  readonly url: string;
  readonly prefix: string;
  /** Timeout of a command. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export async function openRedis({
  url,
  prefix,
  timeoutMs,
  logger,
  metrics,
}: RedisOptions): Promise<RedisStore> {
  const client = new Redis(url, {
    keyPrefix: prefix,
    lazyConnect: true,
    commandTimeout: timeoutMs,
    connectTimeout: 2000,
    // A connection that sends no reply for this long is closed.
    socketTimeout: timeoutMs * 5,
    // A command that timed out may have been executed; it must not be executed twice.
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  });
  let lastError = '';
  // Without a listener an error event would end the process.
  client.on('error', ({ message }: Error) => (lastError = message));
  await client.connect().catch(() => logger.warn({ event: 'redis_connect_failed' }));

  let subscriber: Redis | null = null;
  async function openSubscriber(): Promise<Redis> {
    // No timeouts: a subscriber mostly waits.
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
  /** Writes that are being retried. Until they succeed cached values may be stale, so reads count as misses. */
  let pendingWrites = 0;

  async function run<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    // Monotonic time: neither a test's clock nor a change of the system clock may affect it.
    if (performance.now() < openUntil) throw new RedisUnavailable();
    try {
      const result = await work(client);
      failures = 0;
      return result;
    } catch (error) {
      // A script error is a bug, not an outage.
      if (
        error instanceof Error &&
        /^(?:ERR|WRONGTYPE|NOSCRIPT)/u.test(error.message) &&
        !refusal.test(error.message)
      )
        throw error;
      metrics.redisUnavailable.inc();
      failures += 1;
      if (failures >= failuresUntilOpen) {
        failures = 0;
        openUntil = performance.now() + openForMs;
        logger.warn({ event: 'redis_circuit_open' });
      }
      throw new RedisUnavailable();
    }
  }

  /** For the start: a Redis that is connected and slow to reply is asked again. */
  async function insist<T>(work: () => Promise<T>, left = 20): Promise<T> {
    return work().catch((error: unknown) => {
      if (left === 0 || client.status !== 'ready') throw error;
      return insist(work, left - 1);
    });
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
    async retryInBackground(work, forMs) {
      const giveUpAt = performance.now() + forMs;
      const settle = () => {
        pendingWrites -= 1;
      };
      // Bypasses the circuit breaker, or a recovered Redis would serve the stale value until the breaker closes.
      const retry = (): void => {
        if (performance.now() < giveUpAt)
          setTimeout(() => void work(client).then(settle, retry), retryIntervalMs).unref();
        else settle();
      };
      await run(work).catch(() => {
        pendingWrites += 1;
        retry();
      });
    },
    getCached: createBatcher(async (keys) => {
      if (pendingWrites > 0) return keys.map(() => null);
      try {
        return await run((connected) => connected.mget(...keys));
      } catch (error) {
        if (error instanceof RedisUnavailable) return keys.map(() => null);
        throw error;
      }
    }),
    async publish(channel, message = '') {
      await run((connected) => connected.publish(`${prefix}${channel}`, message)).catch(() => {});
    },
    async onMessage(channel, listener) {
      // A subscribed connection cannot run other commands.
      subscriber ??= await openSubscriber();
      subscriber.on('message', (heard: string, message: string) => {
        if (heard === `${prefix}${channel}`) listener(message);
      });
      const listening = subscriber;
      const subscribe = () => listening.subscribe(`${prefix}${channel}`).catch(() => {});
      // The client itself subscribes again only where it once succeeded: Redis may be away when the process starts.
      listening.on('ready', () => void subscribe());
      await subscribe();
    },
    async ping() {
      // Bypasses the circuit breaker: readiness must notice the recovery at once.
      try {
        await client.eval(probe, 1, 'ready');
        openUntil = 0;
        return true;
      } catch {
        return false;
      }
    },
    async wrongKind() {
      const facts = await insist(() => client.info()).catch(() => '');
      const lines = facts.split('\r\n').map((line) => line.split(':'));
      const read = (name: string) => lines.find(([key]) => key === name)?.[1];
      if (read('cluster_enabled') === '1') return 'Redis must be a single server, not a cluster';
      // An eviction could delete the attempt counter of a code.
      const policy = read('maxmemory_policy') ?? 'noeviction';
      if (policy !== 'noeviction') return `Redis must have maxmemory-policy noeviction, not ${policy}`;
      const reply = await insist(() => client.eval(probe, 1, 'ready')).then(
        String,
        (error: Error) => error.message,
      );
      // Without the right password a connection fails before any command.
      const refused = [reply, lastError].find((text) => refusal.test(text));
      return refused === undefined
        ? null
        : `Redis must accept the password in REDIS_URL and run scripts (EVAL, EVALSHA); it replied ${refused.split(/[,.]| script:/u, 1)[0]}`;
    },
    async close() {
      subscriber?.disconnect();
      await client.quit().catch(() => client.disconnect());
    },
  };
}
