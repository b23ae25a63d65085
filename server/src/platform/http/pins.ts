import type { Endpoint } from '@unsaid/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { createKeyAead } from '../crypto/aead.ts';
import type { Keys } from '../crypto/keys.ts';
import { appendCookie, cookieName, readCookie } from './cookies.ts';

/**
 * Whoever wrote reads from the primary for a while. The browser keeps until when, encrypted and of one length; the server
 * stores nothing. Every signed-in browser has a pin, made by a write or by its first read, so that neither its presence
 * nor its content tells whether somebody wrote. A client that keeps no cookies reads from the primary.
 */
export type Pins = ReturnType<typeof createPins>;

/**
 * More than the lag of a standby (3 s), the life of a cached page (1 s) and a wrong clock, plus the time that a client
 * waits (15 s): the pin of a first read may arrive after that of a later write, and replaces it.
 */
export const pinnedMs = 30_000;
/** Rounded up. Nobody needs the moment. */
const stepMs = 10_000;
/** Then the browser forgets it, and gets another one with its next read. */
const keptSeconds = 600;
const plainBytes = 4;

export function createPins({
  keys,
  clock,
  isSecure,
}: {
  readonly keys: Keys;
  readonly clock: Clock;
  readonly isSecure: boolean;
}) {
  const aead = createKeyAead(keys, 'read-pin/1');
  const name = cookieName('pin', isSecure);
  return {
    /** Null without a valid pin. */
    read({ headers }: Pick<FastifyRequest, 'headers'>): 'pinned' | 'free' | null {
      const sealed = readCookie(headers.cookie, name);
      const plain = sealed === null ? null : aead.open(Buffer.from(sealed, 'base64url'));
      if (plain?.length !== plainBytes) return null;
      return clock.now() < plain.readUInt32BE() * stepMs ? 'pinned' : 'free';
    },
    /** Sets a pin that begins now. */
    set(reply: FastifyReply): void {
      const plain = Buffer.alloc(plainBytes);
      plain.writeUInt32BE(Math.ceil((clock.now() + pinnedMs) / stepMs));
      appendCookie(reply, name, aead.seal(plain).toString('base64url'), {
        maxAgeSeconds: keptSeconds,
        isSecure,
      });
    },
  };
}

/** A call that may write sets a pin, whatever comes of it. A read does where the caller has none. */
export function needsPin(
  { method }: Pick<Endpoint, 'method'>,
  pin: ReturnType<Pins['read']>,
  isSignedIn: boolean,
): boolean {
  return method === 'GET' ? pin === null && isSignedIn : true;
}
