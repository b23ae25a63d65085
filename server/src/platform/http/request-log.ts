import type { FastifyInstance } from 'fastify';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';

/** Logs the route template and the outcome; never the address, the query, a header, a body or a person. */
export function registerRequestLog(app: FastifyInstance, deps: { logger: Logger; metrics: Metrics }): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    // A proxy asks every second.
    if (route === '/healthz' && reply.statusCode === 200) return done();
    deps.metrics.requestSeconds.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    deps.logger.info({
      event: 'request',
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    });
    done();
  });
}
