import type { FastifyInstance } from 'fastify';
import { sendNotFound } from '../platform/http/errors.ts';
import { drawAvatar } from './avatars.ts';

/** Not an api call but a picture: public, because an img element sends no token. */
export function registerAvatars(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/avatars/:name.svg', async (request, reply) => {
    const picture = drawAvatar(request.params.name);
    if (!picture) return sendNotFound(request, reply);
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable' })
      .type('image/svg+xml')
      .send(picture);
  });
}
