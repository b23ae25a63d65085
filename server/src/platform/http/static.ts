import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { sendNotFound } from './errors.ts';
import { workerPolicy } from './headers.ts';

/**
 * Static files of the built web application, with SPA fallback: any other path gets index.html, and the web shows 404.
 * `dataLost` is told in the page itself, which everybody loads: no call of its own for what hardly ever happens.
 */
export async function registerStatic(
  app: FastifyInstance,
  webRoot: string,
  dataLost: string | null = null,
): Promise<void> {
  const indexFile = join(webRoot, 'index.html');
  const isBuilt = existsSync(indexFile);
  const page =
    isBuilt && dataLost
      ? readFileSync(indexFile, 'utf8').replace(
          '<title>',
          `<meta name="data-lost" content="${dataLost}" /><title>`,
        )
      : null;
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: webRoot,
      preCompressed: true,
      index: page === null && 'index.html',
      // File names contain a hash: conditional requests gain nothing, and tell a proxy which client came back.
      etag: false,
      lastModified: false,
      cacheControl: false,
      setHeaders(reply, path) {
        const isHashed = path.includes('/assets/');
        reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
        if (/\/sw\.js(?:\.\w+)?$/u.test(path)) reply.header('content-security-policy', workerPolicy);
      },
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const isPage = request.method === 'GET' || request.method === 'HEAD';
    const isFile = /\.[a-z0-9]+$/iu.test(path);
    if (!isBuilt || !isPage || isFile || path.startsWith('/api/')) return sendNotFound(request, reply);
    if (page === null) return reply.sendFile('index.html');
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page);
  });
}
