import { addDays, today } from '../../platform/clock.ts';
import type { CommentId } from '../../kernel/public-ids.ts';
import * as queries from './idempotency.queries.ts';
import type { ContentContext } from '../context.ts';

/**
 * Idempotency keys of vents and comments, in PostgreSQL: a lost Redis must not post twice. A row holds the day and its
 * result encrypted, so that keys put no rows in order.
 */

/** What an earlier request with this key created. Null where there is no key, or none was completed. */
export async function findByKey(ctx: ContentContext, key: Buffer | null): Promise<CommentId | null> {
  const result = key && (await queries.findResult(ctx.db, key));
  return result && ctx.keyResults.decode(result);
}

/**
 * What the statement that writes the item stores of its key (slots/slots.ts). A vent has the number 0. Of several
 * results, that statement takes the one that is true.
 */
export const claimKey = (ctx: ContentContext, key: Buffer | null, ...made: readonly CommentId[]) => ({
  key,
  sentOn: today(ctx.clock),
  result: key && ctx.keyResults.encode(...made),
});

// A row has a day and no time, so a key lives for one day at least and two at most.
export const deleteExpiredKeys = (ctx: ContentContext) =>
  queries.deleteKeysBefore(ctx.db, addDays(today(ctx.clock), -1));
