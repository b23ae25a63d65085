import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sendNotFound } from '../../platform/http/errors.ts';

/**
 * "Horizon": a sun over two hills, generated from a seed. No faces: an avatar must not resemble a person. The seed is in
 * the URL, so nothing is stored.
 */

export function avatarUrl(seed: string): string {
  return `/avatars/${seed}.svg`;
}

const avatarSeedPattern = /^[A-Za-z0-9_-]{12}$/u;

const size = 80;

interface Palette {
  readonly sky: string;
  readonly sun: string;
  readonly far: string;
  readonly near: string;
}

const neutral: Palette = { sky: '#E7DED4', sun: '#FBF7F2', far: '#B9ADA2', near: '#8B7F75' };

function paletteOf(bytes: Buffer): Palette {
  const hue = Math.round(((bytes[0] ?? 0) / 255) * 360);
  const shift = 60 + Math.round(((bytes[1] ?? 0) / 255) * 240);
  const other = (hue + shift) % 360;
  return {
    sky: `hsl(${hue},45%,84%)`,
    sun: `hsl(${(other + 180) % 360},62%,93%)`,
    far: `hsl(${other},36%,60%)`,
    near: `hsl(${(hue + (bytes[2] ?? 0)) % 360},40%,38%)`,
  };
}

function renderSvg({ sky, sun, far, near }: Palette, bytes: Buffer): string {
  const at = (index: number, from: number, to: number) =>
    Math.round(from + ((bytes[index] ?? 128) / 255) * (to - from));
  const hill = (level: number, bend: number) =>
    `M0 ${level} Q${size / 4} ${level - bend} ${size / 2} ${level} T${size} ${level - Math.round(bend / 2)} V${size} H0 Z`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">` +
    `<rect width="${size}" height="${size}" fill="${sky}"/>` +
    `<circle cx="${at(3, 24, 56)}" cy="${at(4, 26, 42)}" r="${at(5, 12, 18)}" fill="${sun}"/>` +
    `<path d="${hill(at(6, 50, 58), at(7, 4, 12))}" fill="${far}"/>` +
    `<path d="${hill(at(8, 62, 68), -at(9, 3, 10))}" fill="${near}"/></svg>`
  );
}

/** Null for a name that is not a seed. */
function renderAvatar(name: string): string | null {
  if (name === 'neutral') return renderSvg(neutral, Buffer.alloc(16, 128));
  if (!avatarSeedPattern.test(name)) return null;
  const bytes = createHash('sha256').update(`horizon ${name}`).digest();
  return renderSvg(paletteOf(bytes.subarray(16)), bytes);
}

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
