import type { BudgetName, RawQuery } from '@unsaid/contract';
import { consolePath } from '@unsaid/contract/moderation/console';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Limiter } from '../limiter.ts';
import { enforceLimits, type Access, type Principal } from './access.ts';

/** What the platform knows of a signed-in user. */
export interface UserPrincipal extends Principal {
  /** The subject that a budget counts: the user, or this session of theirs. */
  rateLimitKey(budget: BudgetName): Buffer;
  readonly person: NonNullable<Principal['person']>;
  readonly isSuspended: boolean;
  /** May read, but not speak. */
  readonly isLimited: boolean;
  /** The account is at most two days old; some budgets are smaller then. */
  readonly isNewcomer: boolean;
}

interface UserAccessDeps {
  readonly limiter: Limiter;
  addressKey: Access['addressKey'];
  /** Null if the token belongs to no session. */
  authenticate(token: string, options: { readonly skipCache: boolean }): Promise<UserPrincipal | null>;
}

const tokenPattern = /^Bearer (uns_[A-Za-z0-9_-]{51})$/u;

/** Users: session, budgets and suspension, in this order. Sets `request.token`. */
export function createUserAccess({ limiter, addressKey, authenticate }: UserAccessDeps): Access {
  const limitByAddress = (request: FastifyRequest) =>
    enforceLimits(limiter, [{ budget: 'callsPerAddress', subject: addressKey(request) }]);

  return {
    addressKey,
    serves: ({ auth, path }) => auth !== 'moderator' && !path.startsWith(consolePath),
    async authorize(request, endpoint) {
      request.token = tokenPattern.exec(request.headers.authorization ?? '')?.[1] ?? null;
      if (endpoint.auth === 'public') {
        if (!endpoint.hasOwnLimits) await limitByAddress(request);
        return null;
      }
      const viewer = request.token
        ? await authenticate(request.token, { skipCache: endpoint.isSensitive ?? false })
        : null;
      if (!viewer) {
        // Guessed tokens are counted by address.
        await limitByAddress(request);
        throw new AppError('UNAUTHENTICATED');
      }
      const budgets: readonly BudgetName[] = ['callsPerToken', 'callsPerUser', ...(endpoint.rate ?? [])];
      await enforceLimits(
        limiter,
        budgets.map((budget) => ({
          budget,
          subject: viewer.rateLimitKey(budget),
          isNewcomer: viewer.isNewcomer,
          cost: endpoint.cost?.[budget]?.(request.query as RawQuery) ?? 1,
        })),
      );
      if (viewer.isSuspended && !endpoint.isOpenToSuspended) throw new AppError('ACCOUNT_SUSPENDED');
      if (viewer.isLimited && endpoint.isSpeaking) throw new AppError('ACCOUNT_LIMITED');
      return viewer;
    },
  };
}
