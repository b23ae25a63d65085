import type { Deps } from './deps.ts';
import type { Features } from './features.ts';
import { createConsole } from './moderation/index.ts';
import { addressKey } from './platform/http/address.ts';
import { registerBindings } from './platform/http/bind.ts';
import { consolePages } from './platform/http/headers.ts';
import { createHttpServer, type HttpServer } from './platform/http/server.ts';
import { registerStatic } from './platform/http/static.ts';

/** The moderation console and its calls, on an origin of its own. It serves no call of users. */
export async function buildModApp(deps: Deps, features: Features): Promise<HttpServer> {
  const { config } = deps;
  const { modOrigin } = config;
  if (!modOrigin) throw new Error('MOD_ORIGIN is required');
  const app = createHttpServer({
    ...deps,
    pages: consolePages(modOrigin),
    corsOrigins: [],
    isUpgrade: () => false,
  });
  const { bindings, access } = await createConsole(features.moderation, {
    origin: modOrigin,
    addressKey: (request, prefix) => addressKey(deps.keys.of('ip/1'), request.ip, prefix),
  });
  registerBindings(app.server, [...bindings, ...features.consoleBindings], access, {
    isPaused: () => deps.switches.isOff('maintenance'),
  });
  await registerStatic(app.server, config.modWebRoot);
  return app;
}
