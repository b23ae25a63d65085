import { Cluster, Redis } from 'ioredis';
import type { RedisAddress, RedisClient } from './client.ts';

/** Whether a Redis is of the kind that the settings name. A fault of the set-up is no outage to fall back from. */

export const probeScript = "return redis.call('set', KEYS[1], '', 'px', 1000)";
/** Replies of a Redis that does not let us do what we need. To callers it is away. */
export const refusal =
  /^(?:NO(?:PERM|AUTH)|WRONGPASS|ERR (?:unknown command|The user executing the script))/u;

const allSlots = 16_384;

/** A Redis that is connected and slow to reply is asked again. */
async function insist<T>(client: RedisClient, work: () => Promise<T>, left = 20): Promise<T> {
  return work().catch((error: unknown) => {
    if (left === 0 || client.status !== 'ready') throw error;
    return insist(client, work, left - 1);
  });
}

/** A line for the operator; null if it is the right kind, or away. */
export async function wrongKindOf(
  client: RedisClient,
  address: RedisAddress,
  lastError: () => string,
): Promise<string | null> {
  const refused = (text: string) =>
    refusal.test(text)
      ? `Redis must accept the password in REDIS_URL and run scripts (EVAL, EVALSHA); it replied ${text.split(/[,.]| script:/u, 1)[0]}`
      : null;
  const wrongCluster = address.isCluster ? await wrongClusterOf(address) : null;
  if (wrongCluster !== null) return wrongCluster;
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  for (const node of nodes) {
    const facts = await insist(node, () => node.info()).catch(() => '');
    const read = factsOf(facts);
    if (!address.isCluster && read('cluster_enabled') === '1')
      return 'Redis is a node of a cluster: set REDIS_CLUSTER=true, or give a single server (docs/operations.md)';
    // An eviction could delete the attempt counter of a code.
    const policy = read('maxmemory_policy') ?? 'noeviction';
    if (policy !== 'noeviction') return `Redis must have maxmemory-policy noeviction, not ${policy}`;
  }
  const reply = await insist(client, () => client.eval(probeScript, 1, 'ready')).then(
    String,
    (error: Error) => error.message,
  );
  // Without the right password a connection fails before any command.
  return refused(reply) ?? refused(lastError());
}

function factsOf(text: string): (name: string) => string | undefined {
  const lines = text.split('\r\n').map((line) => line.split(':'));
  return (name) => lines.find(([key]) => key === name)?.[1];
}

/** Asks the given nodes one by one: the client of a cluster does not connect to one that lacks slots. */
async function wrongClusterOf({ url }: RedisAddress): Promise<string | null> {
  for (const one of url.split(',')) {
    const node = new Redis(one.trim(), { lazyConnect: true, retryStrategy: null, connectTimeout: 2000 });
    node.on('error', () => {});
    try {
      await node.connect();
      const read = factsOf(
        `${await node.info()}\r\n${String(await node.call('CLUSTER', 'INFO').catch(() => ''))}`,
      );
      if (read('cluster_enabled') !== '1') return 'Redis is a single server: unset REDIS_CLUSTER';
      if (Number(read('cluster_slots_assigned')) < allSlots)
        return 'Redis Cluster has slots that no node serves (CLUSTERDOWN): see redis-cli --cluster check';
      return null;
    } catch {
      // Away, or it refuses the password, which the client reports.
    } finally {
      node.disconnect();
    }
  }
  return null;
}
