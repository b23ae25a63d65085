import type { Deps } from './deps.ts';
import type { Features } from './features.ts';
import { createChallenges } from './moderation/moderators/challenges.ts';
import { createModeratorAccess } from './moderation/moderators/moderator-access.ts';
import { createModeratorCookie } from './moderation/moderators/moderator-cookie.ts';
import { moderatorsRoutes } from './moderation/moderators/moderators.routes.ts';
import { createModeratorsService } from './moderation/moderators/sign-in.ts';
import { createPasskeys } from './moderation/moderators/passkeys.ts';
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
  const { sessions } = features.moderators;
  const cookie = createModeratorCookie(modOrigin);
  const moderators = createModeratorsService({
    ...deps,
    db: deps.databases.moderation,
    sessions,
    challenges: createChallenges(deps),
    passkeys: await createPasskeys(modOrigin),
  });
  const app = createHttpServer({
    ...deps,
    pages: consolePages(modOrigin),
    corsOrigins: [],
    isUpgrade: () => false,
  });
  const access = createModeratorAccess({
    ...deps,
    sessions,
    cookie,
    addressKey: (request, prefix) => addressKey(deps.keys.of('ip/1'), request.ip, prefix),
  });
  const bindings = [...moderatorsRoutes(moderators, cookie), ...features.consoleBindings];
  registerBindings(app.server, bindings, access, {
    isPaused: () => deps.switches.isOff('maintenance'),
  });
  await registerStatic(app.server, config.modWebRoot);
  return app;
}
