import type { ContentBase } from '../../kernel/base.ts';
import { addDays, today } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';
import { createItemCodec, type CommentId } from '../../kernel/public-ids.ts';
import * as queries from './idempotency.queries.ts';

/**
 * Idempotency keys of vents and comments, in PostgreSQL: a lost Redis must not post twice. A row holds the day and its
 * result encrypted, so that keys put no rows in order.
 */
export interface Idempotency {
  /** What an earlier request with this key created. Null where there is no key, or none was completed. */
  find(key: Buffer | null): Promise<CommentId | null>;
  /** False when another request has this key. Without a key every request is a new one. */
  claim(tx: ContentDb, key: Buffer | null): Promise<boolean>;
  /** Stores the result. A vent has the number 0. */
  complete(tx: ContentDb, key: Buffer | null, result: CommentId): Promise<void>;
  deleteExpired(): Promise<void>;
}

type IdempotencyDeps = Pick<ContentBase, 'db' | 'clock' | 'keys'>;

export function createIdempotency({ db, clock, keys }: IdempotencyDeps): Idempotency {
  const results = createItemCodec(keys, 'result/1');
  return {
    async find(key) {
      const result = key && (await queries.findResult(db, key));
      return result && results.decode(result);
    },
    claim: async (tx, key) => key === null || queries.insertKey(tx, key, today(clock)),
    async complete(tx, key, result) {
      if (key) await queries.updateResult(tx, key, results.encode(result));
    },
    // A row has a day and no time, so a key lives for one day at least and two at most.
    deleteExpired: () => queries.deleteKeysBefore(db, addDays(today(clock), -1)),
  };
}
