import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Schema } from '../../db/schemas.ts';
import type { Databases } from '../db.ts';
import type { DataKeys } from '../crypto/data-keys.ts';
import { countPendingMigrations } from '../migrate.ts';
import type { RedisStore } from '../redis.ts';

export interface HealthDeps {
  readonly databases: Databases;
  readonly jobsPool: Pool;
  readonly redis: RedisStore;
  readonly dataKeys: Pick<DataKeys, 'isKeyMissing'>;
}

/** A store that does not reply for this long is down: a load balancer must hear of it before it gives up. */
const replyMs = 3000;

const upOrDown = (isUp: boolean) => (isUp ? 'up' : 'down');

export function registerHealth(
  app: FastifyInstance,
  { databases, jobsPool, redis, dataKeys }: HealthDeps,
  isDraining: () => boolean,
): void {
  const within = <T, D>(work: Promise<T>, otherwise: D): Promise<T | D> =>
    Promise.race([work.catch(() => otherwise), pause(replyMs, otherwise, { ref: false })]);

  async function checkStores() {
    const pools = Object.entries(databases.areUsable()) as [Schema, Promise<boolean>][];
    const applied = databases.applied();
    const [areUsable, pending, isQueueUp, isRedisUp] = await Promise.all([
      Promise.all(pools.map(([, isUsable]) => within(isUsable, false))),
      Promise.all(
        pools.map(async ([schema]) => countPendingMigrations(schema, await within(applied[schema], []))),
      ),
      within(
        jobsPool.query('select from jobs.job limit 0').then(() => true),
        false,
      ),
      within(redis.ping(), false),
    ]);
    const isPostgresUp = isQueueUp && areUsable.every(Boolean);
    const isMigrated = pending.every((count) => count === 0);
    const schemas = [
      ...pools.map(([schema], n) => [schema, areUsable[n] === true] as const),
      ['jobs', isQueueUp] as const,
    ];
    return {
      isReady: isPostgresUp && isMigrated && isRedisUp && !dataKeys.isKeyMissing(),
      postgres: upOrDown(isPostgresUp),
      schemas: Object.fromEntries(schemas.map(([name, isUp]) => [name, upOrDown(isUp)])),
      migrations: isMigrated ? 'applied' : 'pending',
      redis: upOrDown(isRedisUp),
      masterKeys: dataKeys.isKeyMissing() ? 'missing' : 'present',
    };
  }
  // Shared by the calls that wait for it: anybody may call this, and it uses a connection of every pool.
  let checking: ReturnType<typeof checkStores> | null = null;

  app.get('/healthz', async (_request, reply) =>
    isDraining() ? reply.code(503).send({ status: 'draining' }) : { status: 'up' },
  );

  app.get('/readyz', async (_request, reply) => {
    checking ??= checkStores().finally(() => {
      checking = null;
    });
    const { isReady, ...checks } = await checking;
    const isServing = isReady && !isDraining();
    const status = isServing ? 'ready' : 'not ready';
    return reply.code(isServing ? 200 : 503).send({ status, ...checks, draining: isDraining() });
  });
}
