import { randomBytes } from 'node:crypto';
import { limits, type LiveCounts } from '@unsaid/contract';
import type { Clock } from '../clock.ts';
import { createKeyAead } from '../crypto/aead.ts';
import type { Keys } from '../crypto/keys.ts';
import type { RedisCrypto } from '../crypto/redis-crypto.ts';
import { RedisUnavailable, type RedisStore } from '../redis.ts';

/** What a ticket says about the connection that it opens. */
export interface LiveGrant {
  /** The hash of the session's token. */
  readonly session: Buffer;
  readonly cursor: string | undefined;
  readonly counts: LiveCounts;
  /** The time from which content is counted again. */
  readonly recountAt: number;
}

export type LiveTickets = ReturnType<typeof createLiveTickets>;

interface TicketsDeps {
  readonly keys: Keys;
  readonly redis: RedisStore;
  readonly redisCrypto: RedisCrypto;
  readonly clock: Clock;
}

const lifeMs = 30_000;
/** Fixed sizes: the length of a ticket must not show whether a browser has a cursor. */
const headBytes = 320;
const cursorBytes = Math.ceil((limits.inboxCursorChars * 3) / 4);

interface Head extends Pick<LiveGrant, 'counts' | 'recountAt'> {
  readonly session: string;
  readonly cursorBytes: number | null;
  readonly expiresAt: number;
  readonly nonce: string;
}

export function createLiveTickets({ keys, redis, redisCrypto, clock }: TicketsDeps) {
  const aead = createKeyAead(keys, 'live-ticket/1');
  /** Nonces that were used in this process, with the end of their ticket. The only record while Redis is away. */
  const used = new Map<string, number>();

  async function isFirstUse({ nonce, expiresAt }: Head): Promise<boolean> {
    for (const [old, end] of used) {
      if (end > clock.now()) break;
      used.delete(old);
    }
    if (used.has(nonce)) return false;
    // Before anything is awaited: two uses at the same time are one too many.
    used.set(nonce, expiresAt);
    try {
      const key = `live-ticket:${redisCrypto.keyedHash('live-ticket', nonce)}`;
      return (await redis.run((client) => client.set(key, '', 'PX', lifeMs * 2, 'NX'))) === 'OK';
    } catch (error) {
      if (error instanceof RedisUnavailable) return true;
      throw error;
    }
  }

  return {
    issue({ session, cursor, counts, recountAt }: LiveGrant): string {
      const seen = cursor === undefined ? null : Buffer.from(cursor, 'base64url');
      const head: Head = {
        session: session.toString('base64url'),
        cursorBytes: seen?.length ?? null,
        counts,
        recountAt,
        expiresAt: clock.now() + lifeMs,
        nonce: randomBytes(12).toString('base64url'),
      };
      const plain = Buffer.alloc(headBytes + cursorBytes, ' ');
      const written = plain.write(JSON.stringify(head));
      if (written >= headBytes) throw new RangeError('the head of a ticket is too long');
      seen?.copy(plain, headBytes);
      return aead.seal(plain).toString('base64url');
    },

    /** The grant of a ticket that is used for the first time, within 30 seconds; otherwise null. */
    async redeem(ticket: string): Promise<LiveGrant | null> {
      const plain = aead.open(Buffer.from(ticket, 'base64url'));
      if (!plain) return null;
      const head = JSON.parse(plain.toString('utf8', 0, headBytes)) as Head;
      if (clock.now() >= head.expiresAt || !(await isFirstUse(head))) return null;
      return {
        session: Buffer.from(head.session, 'base64url'),
        cursor:
          head.cursorBytes === null
            ? undefined
            : plain.toString('base64url', headBytes, headBytes + head.cursorBytes),
        counts: head.counts,
        recountAt: head.recountAt,
      };
    },
  };
}
