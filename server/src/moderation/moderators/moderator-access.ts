import type { ModerationBase } from '../../kernel/base.ts';
import { consolePath } from '@unsaid/contract/moderation/console';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';
import { enforceLimits, type Access } from '../../platform/http/access.ts';
import type { ModeratorCookie } from './moderator-cookie.ts';
import type { ModeratorSessions } from './moderator-sessions.ts';
import { requireProof } from './moderator.ts';

interface ModeratorAccessDeps extends Pick<ModerationBase, 'limiter' | 'clock'> {
  readonly sessions: ModeratorSessions;
  readonly cookie: ModeratorCookie;
  addressKey: Access['addressKey'];
}

/** Moderators: same origin, session, budgets, role and proof, in this order. A user's token is never read. */
export function createModeratorAccess(deps: ModeratorAccessDeps): Access {
  const { limiter, clock, sessions, cookie, addressKey } = deps;
  const limitByAddress = (request: FastifyRequest) =>
    enforceLimits(limiter, [{ budget: 'callsPerAddress', subject: addressKey(request) }]);

  return {
    addressKey,
    serves: ({ auth, path }) => path.startsWith(consolePath) && (auth === 'moderator' || auth === 'public'),
    async authorize(request, endpoint) {
      // Only the console's own pages call. Browsers set this header, and no script can.
      if (request.headers['sec-fetch-site'] !== 'same-origin') throw new AppError('CROSS_SITE');
      if (endpoint.auth === 'public') {
        await limitByAddress(request);
        return null;
      }
      const token = cookie.read(request.headers.cookie);
      const moderator = token === null ? null : await sessions.find(token, { isUse: !endpoint.isPolled });
      if (!moderator) {
        await limitByAddress(request);
        throw new AppError('UNAUTHENTICATED');
      }
      await enforceLimits(limiter, [
        { budget: 'callsPerToken', subject: moderator.sessionHash },
        { budget: 'consoleCallsPerAddress', subject: addressKey(request) },
      ]);
      if (endpoint.roles && !endpoint.roles.includes(moderator.role)) throw new AppError('ROLE_REQUIRED');
      if (endpoint.needsProof) requireProof(moderator, clock);
      return moderator;
    },
  };
}
