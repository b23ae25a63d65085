import type { FastifyInstance } from 'fastify';
import { sendNotFound } from '../platform/http/errors.ts';
import { drawAvatar } from './avatars.ts';

/**
 * Not an api call but a picture: public, because an img element sends no token. It never changes, and is still kept for
 * an hour alone: whose pictures lie in a browser says whom its owner has met.
 */
export function registerAvatars(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/avatars/:name.svg', async (request, reply) => {
    const picture = drawAvatar(request.params.name);
    if (!picture) return sendNotFound(request, reply);
    return reply.headers({ 'cache-control': 'private, max-age=3600' }).type('image/svg+xml').send(picture);
  });
}
