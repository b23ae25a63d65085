import { consolePath } from '@unsaid/contract/moderation/console';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';
import { enforceLimits, type Access } from '../../platform/http/access.ts';
import type { Caller } from '../../platform/http/bind.ts';
import { cookieName, readCookie } from '../../platform/http/cookies.ts';
import type { ConsoleContext } from '../context.ts';
import { findModerator, sessionHours } from './moderator-sessions.ts';
import { requireProof } from './moderator.ts';

/** `__Host-mod`: sent to this origin only, to no script, and with no request that another site starts. */
const isSecure = ({ origin }: ConsoleContext) => origin.protocol === 'https:';
const nameOf = (ctx: ConsoleContext) => cookieName('mod', isSecure(ctx));

export const setModeratorCookie = (ctx: ConsoleContext, caller: Caller, token: string): void =>
  caller.setCookie(nameOf(ctx), token, { maxAgeSeconds: sessionHours * 3600, isSecure: isSecure(ctx) });

export const clearModeratorCookie = (ctx: ConsoleContext, caller: Caller): void =>
  caller.setCookie(nameOf(ctx), '', { maxAgeSeconds: 0, isSecure: isSecure(ctx) });

/** Moderators: same origin, session, budgets, role and proof, in this order. A user's token is never read. */
export function moderatorAccess(ctx: ConsoleContext): Access {
  const { limiter, addressKey } = ctx;
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
      const token = readCookie(request.headers.cookie, nameOf(ctx));
      const moderator =
        token === null ? null : await findModerator(ctx, token, { isUse: !endpoint.isPolled });
      if (!moderator) {
        await limitByAddress(request);
        throw new AppError('UNAUTHENTICATED');
      }
      await enforceLimits(limiter, [
        { budget: 'callsPerToken', subject: moderator.sessionHash },
        { budget: 'consoleCallsPerAddress', subject: addressKey(request) },
      ]);
      if (endpoint.roles && !endpoint.roles.includes(moderator.role)) throw new AppError('ROLE_REQUIRED');
      if (endpoint.needsProof) requireProof(ctx, moderator);
      return moderator;
    },
  };
}
