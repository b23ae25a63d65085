import type { FastifyInstance } from 'fastify';
import type { Deps } from './deps.ts';
import type { Features } from './features.ts';
import { isPaused } from './paused-calls.ts';
import { registerAvatars, registerDevOutbox } from './identity/index.ts';
import { addressKey } from './platform/http/address.ts';
import { createUserAccess } from './platform/http/authorize.ts';
import { registerBindings } from './platform/http/bind.ts';
import { userPages } from './platform/http/headers.ts';
import { createPins } from './platform/http/pins.ts';
import { createHttpServer } from './platform/http/server.ts';
import { registerStatic } from './platform/http/static.ts';
import { isLiveUpgrade } from './platform/live/handshake.ts';
import { createLiveSockets, type LiveSockets } from './platform/live/live-sockets.ts';

export interface App {
  readonly server: FastifyInstance;
  readonly live: LiveSockets;
  /** Every response closes its connection, and /readyz fails, so that load balancers use other instances. */
  startDraining(): void;
}

export async function buildApp(deps: Deps, features: Features): Promise<App> {
  const { config } = deps;
  const { server, startDraining } = createHttpServer({
    ...deps,
    pages: userPages(config.publicOrigin),
    corsOrigins: config.corsOrigins,
    isUpgrade: isLiveUpgrade,
  });
  const access = createUserAccess({
    ...deps,
    addressKey: (request, prefix) => addressKey(deps.keys.of('ip/1'), request.ip, prefix),
    authenticate: features.sessions.authenticate,
  });
  registerBindings(server, features.bindings, access, {
    isPaused: (endpoint) => isPaused(deps.switches, endpoint),
    pins: deps.standby && createPins({ ...deps, isSecure: config.publicOrigin.protocol === 'https:' }),
  });
  registerAvatars(server);
  if (!config.isProduction) registerDevOutbox(server, deps.outbox);
  await registerStatic(server, config.webRoot, config.dataLost);
  const live = createLiveSockets({ ...deps, ...features.live, isPaused: () => deps.switches.isOff('live') });
  server.server.on('upgrade', live.upgrade);
  // The server waits for its connections before it has closed.
  server.addHook('preClose', async () => live.close());
  return { server, live, startDraining };
}
