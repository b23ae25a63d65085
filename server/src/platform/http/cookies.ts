import type { FastifyReply } from 'fastify';

export interface CookieOptions {
  readonly maxAgeSeconds: number;
  /** Only if the origin is https: browsers reject `__Host-` and Secure otherwise. */
  readonly isSecure: boolean;
}

export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const split = pair.indexOf('=');
    if (split > 0 && pair.slice(0, split).trim() === name) return pair.slice(split + 1).trim();
  }
  return null;
}

/** Values are base64url and dots, so nothing needs to be escaped. */
export function appendCookie(reply: FastifyReply, name: string, value: string, options: CookieOptions): void {
  const secure = options.isSecure ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`,
  );
}

export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
