import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Cluster, Redis } from 'ioredis';
import { expect, TestRunner } from 'vitest';
import type { Config } from '../src/config.ts';
import { slotPartOf } from '../src/platform/slots.ts';
import { seed } from './runs.ts';

/** How tests look into Redis, single or a cluster (TEST_REDIS=cluster). TEST_REDIS=split: single, and all files as in a cluster. */

/** Reads and deletes any keys, also of several slots. */
export function openInspector({ redisUrl, isRedisCluster }: Config): Redis {
  if (!isRedisCluster) return new Redis(redisUrl);
  const cluster = new Cluster(redisUrl.split(','), { redisOptions: { maxRetriesPerRequest: 1 } });
  return new Proxy(cluster as unknown as Redis, {
    get(_, name) {
      if (name === 'keys')
        return async (pattern: string) =>
          // Also from replicas: right after the start a node's role is not known yet. A test may have killed one.
          [
            ...new Set(
              (await Promise.all(cluster.nodes().map((node) => node.keys(pattern).catch(() => [])))).flat(),
            ),
          ];
      if (name === 'quit') return async () => cluster.disconnect();
      if (name === 'del')
        return async (...keys: (string | string[])[]) => {
          const counts = await Promise.all(keys.flat().map((key) => cluster.del(key)));
          return counts.reduce((all, one) => all + one, 0);
        };
      const value: unknown = Reflect.get(cluster, name);
      return typeof value === 'function' ? (value.bind(cluster) as unknown) : value;
    },
  });
}

/**
 * Half of the files, others for each commit, run as in a cluster, also on a single Redis. The rest runs as production on
 * a single Redis does.
 */
export function isSplitHere(): boolean {
  if (process.env['TEST_REDIS'] === 'split') return true;
  const file = basename(expect.getState().testPath ?? '');
  return createHash('sha256').update(`${seed} ${file}`).digest().readUInt8() % 2 === 0;
}

/**
 * Every command of a test that is split: in a Redis Cluster one with keys of two slots fails. It must have one tag, or one key, also
 * where the tests run on a single Redis.
 */
export function checkSlots(name: string, keys: readonly string[]): void {
  const parts = new Set(keys.map(slotPartOf));
  if (parts.size > 1) throw new Error(`CROSSSLOT ${name} has keys of ${parts.size} slots: ${keys.join(' ')}`);
}

/** For tests that put a proxy before Redis: the nodes of a cluster know each other by their own addresses. */
export function skipOnCluster({ isRedisCluster }: Config): void {
  if (isRedisCluster) TestRunner.getCurrentTest()?.context.skip('needs a single Redis');
}
