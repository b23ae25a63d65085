import type { Endpoint } from '@unsaid/contract';
import type { FastifyRequest } from 'fastify';
import { rejectionError, type Limiter } from '../limiter.ts';

/** What the platform knows of any signed-in caller, a user or a moderator. */
export interface Principal {
  /** A keyed hash under a key of the caller's own, so that hashes of two callers cannot be compared. */
  readonly person?: { mark(use: 'idempotency', ...fields: readonly string[]): Buffer };
}

/** Who may make the calls of an application, and how they prove it. An application has one. */
export interface Access {
  /** Asked when routes are registered: an endpoint that is meant for other callers stops the start. */
  serves(endpoint: Endpoint): boolean;
  /** Throws, or returns the caller. Null for a public call. */
  authorize(request: FastifyRequest, endpoint: Endpoint): Promise<Principal | null>;
  /** A keyed hash of the address, cut to /64 for IPv6, or of its network, cut to /56. */
  addressKey(request: FastifyRequest, prefix?: 56): string;
}

export async function enforceLimits(
  limiter: Limiter,
  requests: Parameters<Limiter['consumeBuckets']>[0],
): Promise<void> {
  const rejection = await limiter.consumeBuckets(requests);
  if (rejection) throw rejectionError('RATE_LIMITED', rejection);
}
