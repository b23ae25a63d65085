import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, Command, Redis } from 'ioredis';
import { slotPartOf } from '../slots.ts';

/** The connection to one Redis, or to every node of a Redis Cluster, which 35 million people a month need (docs/capacity.md). */

const connectTimeoutMs = 2000;

export type RedisClient = Redis | Cluster;

export interface RedisAddress {
  /** For a cluster also several, separated by commas: the nodes that are asked for all others. */
  readonly url: string;
  readonly isCluster: boolean;
  readonly prefix: string;
  /** Timeout of a command. */
  readonly timeoutMs: number;
}

export function createRedisClient({ url, isCluster, prefix, timeoutMs }: RedisAddress): RedisClient {
  const common = {
    lazyConnect: true,
    commandTimeout: timeoutMs,
    connectTimeout: connectTimeoutMs,
    // A connection that sends no reply for this long is closed.
    socketTimeout: timeoutMs * 5,
    // A command that timed out may have been executed; it must not be executed twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  };
  const retryStrategy = (attempt: number) => Math.min(attempt * 100, 1000);
  if (!isCluster)
    return new Redis(url, { ...common, keyPrefix: prefix, enableOfflineQueue: false, retryStrategy });
  const urls = url.split(',').map((one) => new URL(one.trim()));
  const [first] = urls as [URL, ...URL[]];
  const usesTls = first.protocol === 'rediss:';
  return new Cluster(
    urls.map(({ hostname, port }) => ({ host: hostname, port: Number(port || 6379) })),
    {
      keyPrefix: prefix,
      lazyConnect: true,
      enableOfflineQueue: false,
      // Where a part of the cluster is away, the rest serves.
      enableReadyCheck: false,
      clusterRetryStrategy: retryStrategy,
      // No retries of a lost command, for the same reason. A moved slot is followed: there it was not executed.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      maxRedirections: 3,
      slotsRefreshInterval: 1000,
      slotsRefreshTimeout: 1000,
      // A certificate is for a name, not for the address behind it.
      ...(usesTls ? { dnsLookup: (name, done) => done(null, name) } : {}),
      redisOptions: {
        ...common,
        ...(usesTls ? { tls: {} } : {}),
        ...(first.username ? { username: decodeURIComponent(first.username) } : {}),
        ...(first.password ? { password: decodeURIComponent(first.password) } : {}),
      },
    },
  );
}

/**
 * Connects, in a cluster to every node: also to replicas, which may become masters, and to those that join later. A command
 * to a node that is being connected to would fail.
 */
export async function connectAll(client: RedisClient): Promise<void> {
  const connectNode = async (node: Redis) => {
    if (node.status === 'wait') await node.connect().catch(() => {});
  };
  if (client instanceof Cluster) client.on('+node', (node: Redis) => void connectNode(node));
  const connecting = client.connect();
  if (!(client instanceof Cluster)) return connecting;
  const all = connecting.then(() => Promise.all(client.nodes().map(isConnected)));
  all.catch(() => {});
  // The client of a cluster may wait for ever.
  await Promise.race([all, pause(connectTimeoutMs, null, { ref: false })]);
}

function isConnected(node: Redis): Promise<void> {
  if (node.status === 'ready' || node.status === 'end') return Promise.resolve();
  return new Promise((resolve) => {
    node.once('ready', resolve);
    node.once('end', resolve);
  });
}

/** Numbers of slots by what decides them. */
const slots = new Map<string, number>();
const maxSlots = 4096;

function slotOf(key: string): number {
  const part = slotPartOf(key);
  const known = slots.get(part);
  if (known !== undefined) return known;
  const slot = new Command('get', [part]).getSlot() ?? 0;
  if (slots.size >= maxSlots) slots.clear();
  slots.set(part, slot);
  return slot;
}

/** The addresses of the master of a key and of its replicas that are up, as last heard. Empty without a cluster. */
export function nodesOf(client: RedisClient, prefixedKey: string): readonly string[] {
  return client instanceof Cluster ? (client.slots[slotOf(prefixedKey)] ?? []) : [];
}

/** The connection to the master of a key. */
export function masterOf(client: RedisClient, prefixedKey: string): Redis | undefined {
  const [address] = nodesOf(client, prefixedKey);
  return client instanceof Cluster
    ? client.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === address)
    : undefined;
}
