import type { Clock } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Opaque } from '../platform/opaque.ts';
import { type RedisStore, RedisUnavailable } from '../platform/redis.ts';
import * as queries from './pens.queries.ts';

/** An author as the content side knows them: whether they take comments, and their standing. */
export interface PensService {
  allowsComments(authorKey: Buffer): Promise<boolean>;
  setAllowsComments(authorKey: Buffer, allowComments: boolean): Promise<void>;
  isSuspended(authorKey: Buffer, options: { readonly skipCache: boolean }): Promise<boolean>;
  /** Null lifts it. Whoever calls this knows a pen, never an account. */
  suspend(authorKey: Buffer, until: Date | null): Promise<void>;
}

const cacheSeconds = 60;

interface PensDeps {
  readonly db: Databases;
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly opaque: Opaque;
}

export function createPensService({ db, redis, clock, opaque }: PensDeps): PensService {
  const cacheKey = (authorKey: Buffer) => `standing:${opaque.name('standing', authorKey)}`;

  async function readCache(authorKey: Buffer): Promise<number | undefined> {
    try {
      const kept = await redis.run((client) => client.get(cacheKey(authorKey)));
      return kept === null ? undefined : Number(kept);
    } catch (error) {
      if (error instanceof RedisUnavailable) return undefined;
      throw error;
    }
  }

  return {
    async allowsComments(authorKey) {
      return (await queries.findPen(db.content, authorKey))?.allowComments ?? true;
    },

    async setAllowsComments(authorKey, allowComments) {
      await queries.setAllowComments(db.content, authorKey, allowComments);
    },

    async isSuspended(authorKey, { skipCache }) {
      let until = skipCache ? undefined : await readCache(authorKey);
      if (until === undefined) {
        until = (await queries.findPen(db.content, authorKey))?.suspendedUntil?.getTime() ?? 0;
        const value = String(until);
        void redis
          .run((client) => client.set(cacheKey(authorKey), value, 'EX', cacheSeconds, 'NX'))
          .catch(() => {});
      }
      return until > clock.now();
    },

    async suspend(authorKey, until) {
      await queries.setSuspendedUntil(db.content, authorKey, until);
      const value = String(until?.getTime() ?? 0);
      await redis.insist(
        (client) => client.set(cacheKey(authorKey), value, 'EX', cacheSeconds),
        cacheSeconds * 1000,
      );
    },
  };
}
