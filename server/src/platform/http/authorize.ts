import type { BudgetName, Endpoint, RawQuery } from '@unsaid/contract';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Limiter } from '../limiter.ts';
import { rejectionError } from '../limits/rejection.ts';

/** What the platform knows of a signed-in caller. */
export interface Principal {
  /** The subject that a budget counts: the user, or this session of theirs. */
  rateLimitKey(budget: BudgetName): Buffer;
  /** A keyed hash under a key of the user's own, so that hashes of two users cannot be compared. */
  readonly person: { mark(use: 'idempotency', ...fields: readonly string[]): Buffer };
  readonly isSuspended: boolean;
  /** The account is at most two days old; some budgets are smaller then. */
  readonly isNewcomer: boolean;
}

export interface AuthorizeServices {
  readonly limiter: Limiter;
  addressKey(request: FastifyRequest): string;
  /** Null if the token belongs to no session. */
  authenticate(token: string, options: { readonly skipCache: boolean }): Promise<Principal | null>;
}

const tokenPattern = /^Bearer (uns_[A-Za-z0-9_-]{43})$/u;

/** Session, budgets and suspension, in this order. Sets `request.viewer` and `request.token`. */
export async function authorize(
  request: FastifyRequest,
  endpoint: Endpoint,
  services: AuthorizeServices,
): Promise<void> {
  request.token = tokenPattern.exec(request.headers.authorization ?? '')?.[1] ?? null;
  if (endpoint.auth === 'public') return limitByAddress(request, services);
  const viewer = request.token
    ? await services.authenticate(request.token, { skipCache: endpoint.isSensitive ?? false })
    : null;
  if (!viewer) {
    // Guessed tokens are counted by address.
    await limitByAddress(request, services);
    throw new AppError('UNAUTHENTICATED');
  }
  request.viewer = viewer;
  const budgets: readonly BudgetName[] = ['callsPerToken', 'callsPerUser', ...(endpoint.rate ?? [])];
  await enforceLimits(
    services.limiter,
    budgets.map((budget) => ({
      budget,
      subject: viewer.rateLimitKey(budget),
      isNewcomer: viewer.isNewcomer,
      cost: endpoint.cost?.[budget]?.(request.query as RawQuery) ?? 1,
    })),
  );
  if (viewer.isSuspended && !endpoint.isOpenToSuspended) throw new AppError('ACCOUNT_SUSPENDED');
}

function limitByAddress(request: FastifyRequest, { limiter, addressKey }: AuthorizeServices): Promise<void> {
  return enforceLimits(limiter, [{ budget: 'callsPerAddress', subject: addressKey(request) }]);
}

async function enforceLimits(
  limiter: Limiter,
  requests: Parameters<Limiter['consumeBuckets']>[0],
): Promise<void> {
  const rejection = await limiter.consumeBuckets(requests);
  if (rejection) throw rejectionError('RATE_LIMITED', rejection);
}
