import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Command } from 'ioredis';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { createBatcher } from './batch.ts';
import {
  connectAll,
  createRedisClient,
  masterOf,
  nodesOf,
  type RedisAddress,
  type RedisClient,
} from './redis/client.ts';
import { probeScript, refusal, wrongKindOf } from './redis/kind.ts';
import { allTags, groupBySlotPart } from './slots.ts';

/** Replaces any Redis or network error. The caller decides whether to fail open or closed. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable';
}

export interface RedisScript {
  /** The keys have one slot: see `groupBySlot`. */
  (keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

export type RedisStore = Awaited<ReturnType<typeof openRedis>>;

/** Circuit breaker: after this many consecutive failures of a node commands fail at once for `openForMs`. */
const failuresUntilOpen = 5;
const openForMs = 5000;
const retryIntervalMs = 250;
/** Faults of a script or of the set-up, not an outage. */
const fault = /^(?:ERR|WRONGTYPE|NOSCRIPT|CROSSSLOT|MOVED)/u;

export interface RedisOptions extends RedisAddress {
  /** Keys of different slots go in different commands, as in a cluster. Tests set it on a single Redis, too. */
  readonly isSplit?: boolean;
  readonly onCommand?: (name: string, keys: readonly string[]) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface Breaker {
  failures: number;
  openUntil: number;
}

export async function openRedis(options: RedisOptions) {
  const { isCluster, isSplit = isCluster, prefix, timeoutMs, logger, metrics, onCommand } = options;
  let lastError = '';

  async function connect(): Promise<RedisClient> {
    const opened = createRedisClient(options);
    if (onCommand) watchCommands(opened, onCommand);
    // Without a listener an error event would end the process.
    opened.on('error', ({ message }: Error) => (lastError = message));
    opened.on('node error', ({ message }: Error) => (lastError = message));
    await connectAll(opened).catch(() => logger.warn({ event: 'redis_connect_failed' }));
    return opened;
  }
  const client = await connect();
  /** A connection waits for a replica with all its commands, so everyday ones have another. */
  const keeping = isCluster ? await connect() : client;

  let subscriber: RedisClient | null = null;
  async function openSubscriber(): Promise<RedisClient> {
    // No timeouts: a subscriber mostly waits.
    const listening =
      client instanceof Cluster
        ? client.duplicate([], { keyPrefix: '' })
        : client.duplicate({ commandTimeout: undefined, socketTimeout: undefined, keyPrefix: '' } as never);
    listening.on('error', () => {});
    await listening.connect().catch(() => {});
    return listening;
  }

  const breakers = new Map<string, Breaker>();
  /** Of the node that has a key. Commands of unknown keys share one. */
  function breakerOf(key: string | undefined): Breaker {
    const node = key === undefined ? '' : (nodesOf(client, `${prefix}${key}`)[0] ?? '');
    let breaker = breakers.get(node);
    if (!breaker) breakers.set(node, (breaker = { failures: 0, openUntil: 0 }));
    return breaker;
  }
  /** Writes that are being retried. Until they succeed cached values may be stale, so reads count as misses. */
  let pendingWrites = 0;

  async function run<T>(
    work: (client: RedisClient) => Promise<T>,
    { key, on = client }: { readonly key?: string | undefined; readonly on?: RedisClient } = {},
  ): Promise<T> {
    const breaker = breakerOf(key);
    // Monotonic time: neither a test's clock nor a change of the system clock may affect it.
    if (performance.now() < breaker.openUntil) throw new RedisUnavailable();
    try {
      const result = await (isCluster ? within(timeoutMs, work(on)) : work(on));
      breaker.failures = 0;
      return result;
    } catch (error) {
      if (error instanceof Error && fault.test(error.message) && !refusal.test(error.message)) throw error;
      metrics.redisUnavailable.inc();
      breaker.failures += 1;
      if (breaker.failures >= failuresUntilOpen) {
        breaker.failures = 0;
        breaker.openUntil = performance.now() + openForMs;
        logger.warn({ event: 'redis_circuit_open' });
      }
      throw new RedisUnavailable();
    }
  }

  /** Rejects unless a replica has what was just written on this connection, where there is one to fail over to. */
  async function keep<T>(key: string, write: () => Promise<T>): Promise<T> {
    const master = masterOf(keeping, `${prefix}${key}`);
    const reply = await write();
    // Another connection knows nothing of the write: its master may be one that never had it.
    if (masterOf(keeping, `${prefix}${key}`) !== master) throw new Error('the master changed');
    if (master && nodesOf(keeping, `${prefix}${key}`).length > 1 && !(await master.wait(1, timeoutMs / 2)))
      throw new Error('no replica has the write');
    return reply;
  }

  return {
    /** Runs a command on one key. Rejects with `RedisUnavailable` within the command timeout. */
    run: <T>(work: (client: RedisClient) => Promise<T>) => run(work),
    /**
     * A Lua script, called by its hash (EVALSHA). The text is sent only if Redis does not have it yet. `isKept`: in a cluster
     * it resolves only when a replica has the write as well, so that a failover does not undo it.
     */
    script(text: string, { isKept }: { readonly isKept: boolean } = { isKept: false }): RedisScript {
      const sha1 = hash('sha1', text);
      const isConfirmed = isKept && isCluster;
      return (keys, args) =>
        run(
          (connected) => {
            const send = () =>
              connected.evalsha(sha1, keys.length, ...keys, ...args).catch((error: unknown) => {
                if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
                return connected.eval(text, keys.length, ...keys, ...args);
              });
            return isConfirmed ? keep(keys[0] ?? '', send) : send();
          },
          { key: keys[0], on: isConfirmed ? keeping : client },
        );
    },
    /** Groups whose keys may be in one script: one group on a single Redis, one for each slot in a cluster. */
    groupBySlot: <T>(items: readonly T[], keyOf: (item: T) => string) =>
      isSplit ? groupBySlotPart(items, keyOf) : [items],
    /**
     * Overwrites cached values, such as those of a session that was revoked: for as long as a stale one could live. In a
     * cluster a replica must have them too. Tries now, and retries in the background for that time.
     */
    async overwrite(values: ReadonlyMap<string, string>, seconds: number): Promise<void> {
      const write = () =>
        Promise.all(
          [...values].map(([key, value]) => {
            const send = () => keeping.set(key, value, 'EX', seconds);
            return isCluster ? within(timeoutMs, keep(key, send)) : send();
          }),
        );
      const giveUpAt = performance.now() + seconds * 1000;
      const settle = () => {
        pendingWrites -= 1;
      };
      // Bypasses the circuit breaker, or a recovered Redis would serve the stale value until the breaker closes.
      const retry = (): void => {
        if (performance.now() < giveUpAt)
          setTimeout(() => void write().then(settle, retry), retryIntervalMs).unref();
        else settle();
      };
      await run(write).catch(() => {
        pendingWrites += 1;
        retry();
      });
    },
    /** A cached value; null if there is none or Redis is unavailable. */
    getCached: createBatcher<string, string | null>(async (keys) => {
      if (pendingWrites > 0) return keys.map(() => null);
      const missing = (error: unknown) => {
        if (error instanceof RedisUnavailable) return null;
        throw error;
      };
      if (isSplit)
        return Promise.all(keys.map((key) => run((connected) => connected.get(key), { key }).catch(missing)));
      return (await run((connected) => connected.mget(...keys)).catch(missing)) ?? keys.map(() => null);
    }),
    /** Fire-and-forget pub/sub to all processes, this one included. Delivery is not guaranteed. */
    async publish(channel: string, message = ''): Promise<void> {
      await run((connected) => connected.publish(`${prefix}${channel}`, message)).catch(() => {});
    },
    async onMessage(channel: string, listener: (message: string) => void): Promise<void> {
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
    /** Whether Redis, or a master of the cluster, runs a script that writes, as counting attempts does. */
    async ping(): Promise<boolean> {
      // One key for each master.
      const keys = [
        ...new Map(allTags.map((tag) => [nodesOf(client, tag)[0], `ready${tag}`] as const)).values(),
      ];
      // Bypasses the circuit breaker: readiness must notice the recovery at once.
      const replies = keys.map(async (key) => {
        await client.eval(probeScript, 1, key);
        breakerOf(key).openUntil = 0;
        breakerOf(undefined).openUntil = 0;
      });
      // One is enough: without a master its calls fall back, and the others go on.
      return Promise.any(replies).then(
        () => true,
        () => false,
      );
    },
    /** Why this Redis can never serve us, as a line for the operator; null if it can, or is away. */
    wrongKind: () => wrongKindOf(client, options, () => lastError),
    async close(): Promise<void> {
      subscriber?.disconnect();
      for (const opened of new Set([client, keeping])) {
        // A node that does not answer must not hold up the end.
        await Promise.race([opened.quit().catch(() => {}), pause(timeoutMs, null, { ref: false })]);
        opened.disconnect();
      }
    },
  };
}

function watchCommands(client: RedisClient, onCommand: NonNullable<RedisOptions['onCommand']>): void {
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command: Command, ...rest: []) => {
    onCommand(command.name, command.getKeys().map(String));
    return send(command, ...rest);
  };
}

/** The timeout of a connection does not cover redirections, and a command whose node is gone may never settle. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no reply')), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
