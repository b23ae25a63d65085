import type { Endpoint } from '@unsaid/contract';
import type { FastifyRequest } from 'fastify';

/** Keys are made by clients: a UUID, or anything of that length and alphabet. */
const idempotencyPattern = /^[A-Za-z0-9_-]{8,64}$/u;

/** A keyed hash of the user, the endpoint and the `Idempotency-Key` header. Null without a valid header. */
export function idempotencyKeyOf(request: FastifyRequest, endpoint: Endpoint): Buffer | null {
  const sent = request.headers['idempotency-key'];
  const person = request.viewer?.person;
  if (!endpoint.isIdempotent || !person || typeof sent !== 'string' || !idempotencyPattern.test(sent)) {
    return null;
  }
  return person.mark('idempotency', endpoint.path, sent);
}
