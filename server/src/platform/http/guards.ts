import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { parseAddress } from './address.ts';

const jsonType = /^application\/json(?:; ?charset=utf-8)?$/iu;
const maxUrlChars = 8192;

function hasBody(request: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** A proxy may have read the other one of two headers with the same name. */
function isRepeated({ raw }: FastifyRequest, name: string): boolean {
  return raw.rawHeaders.filter((entry, index) => index % 2 === 0 && entry.toLowerCase() === name).length > 1;
}

/** Checks that apply to every request. */
export function registerGuards(app: FastifyInstance, corsOrigins: readonly string[]): void {
  // Only application/json is accepted. It makes browsers send a preflight request from other origins.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, JSON.parse(body as string));
    } catch {
      done(new AppError('BAD_REQUEST'));
    }
  });

  // In a hook with a callback, throwing is the same as calling back with an error.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.length > maxUrlChars) throw new AppError('URI_TOO_LONG');
    const isHostMissing = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    if (isHostMissing || isRepeated(request, 'host')) throw new AppError('BAD_REQUEST');
    // A proxy that forwards something else would give each of its callers as many addresses as they like.
    if (parseAddress(request.ip) === null) throw new AppError('BAD_REQUEST');
    if (request.method === 'GET' || request.method === 'HEAD') return pass();
    // CSRF: another site must not make its visitors request codes, or act for them.
    const origin = request.headers.origin;
    const isInvited = origin !== undefined && corsOrigins.includes(origin);
    if (request.headers['sec-fetch-site'] === 'cross-site' && !isInvited) throw new AppError('CROSS_SITE');
    const isJson =
      jsonType.test(request.headers['content-type'] ?? '') && !isRepeated(request, 'content-type');
    if (hasBody(request) && !isJson) {
      throw new AppError('UNSUPPORTED_MEDIA_TYPE');
    }
    return pass();

    function pass(): void {
      if (corsOrigins.length > 0) allowOrigin();
      done();
    }

    function allowOrigin(): void {
      reply.header('vary', 'Origin');
      const asking = request.headers.origin;
      if (asking !== undefined && corsOrigins.includes(asking)) {
        reply.headers({
          'access-control-allow-origin': asking,
          'cross-origin-resource-policy': 'cross-origin',
        });
      }
    }
  });

  if (corsOrigins.length > 0) {
    app.options('/api/*', async (_request, reply) =>
      reply
        .headers({
          'access-control-allow-methods': 'GET, POST, PUT, DELETE',
          'access-control-allow-headers': 'authorization, content-type, idempotency-key',
          'access-control-max-age': '600',
        })
        .code(204)
        .send(),
    );
  }
}
