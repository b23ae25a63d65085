import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { countPendingMigrations } from '../migrate.ts';
import type { RedisStore } from '../redis.ts';

export interface HealthDeps {
  readonly jobsPool: Pool;
  readonly redis: RedisStore;
}

export function registerHealth(
  app: FastifyInstance,
  { jobsPool, redis }: HealthDeps,
  isDraining: () => boolean,
): void {
  app.get('/healthz', async () => ({ status: 'up' }));

  app.get('/readyz', async (_request, reply) => {
    const [pending, isRedisUp] = await Promise.all([
      countPendingMigrations(jobsPool).catch(() => null),
      redis.ping(),
    ]);
    const checks = {
      postgres: pending === null ? 'down' : 'up',
      migrations: pending === 0 ? 'applied' : 'pending',
      redis: isRedisUp ? 'up' : 'down',
      draining: isDraining(),
    };
    const isReady = pending === 0 && isRedisUp && !isDraining();
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', ...checks });
  });
}
