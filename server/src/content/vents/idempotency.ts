import type { ContentBase } from '../../kernel/base.ts';
import { addDays, today } from '../../platform/clock.ts';
import { createItemCodec, type CommentId } from '../../kernel/public-ids.ts';
import * as queries from './idempotency.queries.ts';

/**
 * Idempotency keys of vents and comments, in PostgreSQL: a lost Redis must not post twice. A row holds the day and its
 * result encrypted, so that keys put no rows in order.
 */
export type Idempotency = ReturnType<typeof createIdempotency>;

type IdempotencyDeps = Pick<ContentBase, 'db' | 'clock' | 'keys'>;

export function createIdempotency({ db, clock, keys }: IdempotencyDeps) {
  const results = createItemCodec(keys, 'result/1');
  return {
    /** What an earlier request with this key created. Null where there is no key, or none was completed. */
    async find(key: Buffer | null): Promise<CommentId | null> {
      const result = key && (await queries.findResult(db, key));
      return result && results.decode(result);
    },
    /**
     * What the statement that writes the item stores of its key (slots/slots.ts). A vent has the number 0. Of several
     * results, that statement takes the one that is true.
     */
    claimOf: (key: Buffer | null, ...made: readonly CommentId[]) => ({
      key,
      sentOn: today(clock),
      result: key && results.encode(...made),
    }),
    // A row has a day and no time, so a key lives for one day at least and two at most.
    deleteExpired: () => queries.deleteKeysBefore(db, addDays(today(clock), -1)),
  };
}
