import { isAnswerFilled, padResponseTo } from '@unsaid/contract';
import type { FastifyReply } from 'fastify';
import { padToLength } from '../padding.ts';

/** Sends JSON, filled to the length that its endpoint has in the contract. */
export function sendPadded(reply: FastifyReply, json: string): FastifyReply {
  const { request } = reply;
  const { endpoint } = request.routeOptions.config;
  const bytes = Buffer.byteLength(json);
  const length = endpoint
    ? padResponseTo(endpoint, bytes, Number(request.headers['content-length'] ?? 0))
    : bytes;
  // A proxy that compressed the response would undo the padding.
  if (endpoint && isAnswerFilled(endpoint)) reply.header('cache-control', 'no-store, no-transform');
  return reply.type('application/json; charset=utf-8').send(padToLength(json, length));
}
