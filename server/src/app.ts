import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Deps } from './deps.ts';
import type { Features } from './features.ts';
import { registerDevOutbox } from './auth/otp/dev-outbox.ts';
import { addressKey } from './platform/http/address.ts';
import { registerBindings } from './platform/http/bind.ts';
import {
  createClientErrorHandler,
  createFrameworkErrorHandler,
  registerErrors,
} from './platform/http/errors.ts';
import { registerGuards } from './platform/http/guards.ts';
import { registerHeaders } from './platform/http/headers.ts';
import { registerHealth } from './platform/http/health.ts';
import { registerStatic } from './platform/http/static.ts';
import { registerRequestLog } from './platform/http/request-log.ts';
import { createLiveSockets, isLiveUpgrade, type LiveSockets } from './platform/live/live-sockets.ts';
import { registerAvatars } from './profiles/avatars.routes.ts';

const newRequestId = () => randomBytes(9).toString('base64url');

export interface App {
  readonly server: FastifyInstance;
  readonly live: LiveSockets;
  /** Every response closes its connection, and /readyz fails, so that load balancers use other instances. */
  startDraining(): void;
}

export async function buildApp(deps: Deps, features: Features): Promise<App> {
  const { config } = deps;
  const isSecure = config.publicOrigin.protocol === 'https:';
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
    frameworkErrors: createFrameworkErrorHandler(isSecure),
    clientErrorHandler: createClientErrorHandler(isSecure, newRequestId),
    // Node's response to a missing Host has neither our body nor our headers; guards.ts sends one.
    http: {
      headersTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
      shouldUpgradeCallback: isLiveUpgrade,
    },
  });
  // The same for an unknown Expect header, which a server may ignore.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );

  registerErrors(server, deps.logger);
  registerRequestLog(server, deps);
  registerHeaders(server, config.publicOrigin);
  registerGuards(server, config.corsOrigins);
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining) reply.header('connection', 'close');
    done(null, payload);
  });

  registerHealth(server, deps, () => isDraining);
  registerBindings(server, features.bindings, {
    ...deps,
    addressKey: (request) => addressKey(deps.keys.current('ip/1').key, request.ip),
    authenticate: features.sessions.authenticate,
  });
  registerAvatars(server);
  if (!config.isProduction) registerDevOutbox(server, deps.outbox);
  await registerStatic(server, config.webRoot);
  const live = createLiveSockets({ ...deps, ...features.live });
  server.server.on('upgrade', live.upgrade);
  // The server waits for its connections before it has closed.
  server.addHook('preClose', async () => live.close());
  return {
    server,
    live,
    startDraining() {
      isDraining = true;
    },
  };
}
