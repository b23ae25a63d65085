import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { createClientErrorHandler, createFrameworkErrorHandler, registerErrors } from './errors.ts';
import { registerGuards } from './guards.ts';
import { registerHeaders, type PageRules } from './headers.ts';
import { registerHealth, type HealthDeps } from './health.ts';
import { registerRequestLog } from './request-log.ts';

const idBytes = 9;
/** Drawn for many requests at once: a call of the generator costs as much for 9 bytes as for 2,000. */
const randomPool = Buffer.alloc(idBytes * 256);
let poolUsed = randomPool.length;

function newRequestId(): string {
  if (poolUsed === randomPool.length) {
    randomFillSync(randomPool);
    poolUsed = 0;
  }
  poolUsed += idBytes;
  return randomPool.toString('base64url', poolUsed - idBytes, poolUsed);
}

interface ServerOptions extends HealthDeps {
  readonly config: { readonly trustedProxies: readonly string[]; readonly handlerTimeoutMs: number };
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly pages: PageRules;
  readonly corsOrigins: readonly string[];
  /** Which requests may leave HTTP for a live connection. */
  isUpgrade(request: IncomingMessage): boolean;
}

export interface HttpServer {
  readonly server: FastifyInstance;
  /** Every response closes its connection, and /readyz fails, so that load balancers use other instances. */
  startDraining(): void;
}

/** What every application has: limits, errors, log, headers, guards and health. Routes are added by the caller. */
export function createHttpServer(options: ServerOptions): HttpServer {
  const { config, pages } = options;
  let isDraining = false;
  const server = Fastify({
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    bodyLimit: 32 * 1024,
    routerOptions: { maxParamLength: 64 },
    requestTimeout: 15_000,
    // Longer than any proxy's, so that the proxy closes idle connections and never sends a request on a closed one.
    keepAliveTimeout: 75_000,
    handlerTimeout: config.handlerTimeoutMs,
    maxRequestsPerSocket: 1000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: createFrameworkErrorHandler(pages),
    clientErrorHandler: createClientErrorHandler(pages, newRequestId),
    // Node's response to a missing Host has neither our body nor our headers; guards.ts sends one.
    http: {
      headersTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
      shouldUpgradeCallback: options.isUpgrade,
    },
  });
  // The same for an unknown Expect header, which a server may ignore.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );

  registerErrors(server, options.logger);
  registerRequestLog(server, options);
  registerHeaders(server, pages);
  registerGuards(server, options.corsOrigins);
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining) reply.header('connection', 'close');
    done(null, payload);
  });
  registerHealth(server, options, () => isDraining);
  return {
    server,
    startDraining() {
      isDraining = true;
    },
  };
}
