import type { FastifyInstance } from 'fastify';
import { sendNotFound } from '../../platform/http/errors.ts';
import { renderAvatar } from './avatars.ts';

/**
 * Public, because an img element sends no token. The picture never changes but is cached for an hour only: the pictures in
 * a browser's cache reveal whom its owner has met.
 */
export function registerAvatars(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/avatars/:name.svg', async (request, reply) => {
    const picture = renderAvatar(request.params.name);
    if (!picture) return sendNotFound(request, reply);
    return reply.headers({ 'cache-control': 'private, max-age=3600' }).type('image/svg+xml').send(picture);
  });
}
