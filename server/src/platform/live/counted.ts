import type { LiveCounts } from '@unsaid/contract';
import { createKeyAead } from '../crypto/aead.ts';
import type { Keys } from '../crypto/keys.ts';

/** Counts of content, and the time from which they are counted again. */
export interface Counted extends Pick<LiveCounts, 'answers' | 'gifts'> {
  readonly recountAt: number;
}

/** Fixed size: the length must not show a count. */
const plainBytes = 64;

/**
 * Counts of content for the browser to send back. So they are not newer after a reconnect or over polling than the delay
 * allows, a server that comes back after an outage need not count for everybody at once, and nothing is kept about a
 * person who polls.
 */
export function createCountedCodec(keys: Keys) {
  const aead = createKeyAead(keys, 'live-counted/1');
  const boundTo = (session: Buffer, cursor = '') => Buffer.concat([session, Buffer.from(cursor)]);
  return {
    seal(counted: Counted, session: Buffer, cursor: string | undefined): string {
      const plain = Buffer.from(JSON.stringify(counted).padEnd(plainBytes));
      return aead.seal(plain, boundTo(session, cursor)).toString('base64url');
    },
    /** Null if it is forged, of another session, or of another cursor: something was read meanwhile. */
    open(text: string, session: Buffer, cursor: string | undefined): Counted | null {
      const plain = aead.open(Buffer.from(text, 'base64url'), boundTo(session, cursor));
      return plain ? (JSON.parse(plain.toString()) as Counted) : null;
    },
  };
}
