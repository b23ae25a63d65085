import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';
import type { CommentId } from '../../kernel/public-ids.ts';

interface Thanks extends CommentId {
  readonly thankKey: Buffer;
  /** Whoever wrote the comment learns of it from this day on. */
  readonly shownFrom: Day;
}

/** A second press changes nothing: the first one's day stays. */
export async function insertThanks(db: ContentDb, thanks: Thanks): Promise<void> {
  await db
    .insertInto('content.thanks')
    .values(thanks)
    .onConflict((conflict) => conflict.columns(['ventId', 'no']).doNothing())
    .execute();
}

/** Begins the statement that deletes a comment: its thanks go with it. */
export const forgettingThanks = (tx: ContentDb, { ventId, no }: CommentId) =>
  tx.with('forgotten', (qb) =>
    qb.deleteFrom('content.thanks').where('ventId', '=', ventId).where('no', '=', no),
  );

/** Deletes thanks whose comment was deleted at the moment of the press. Nothing is locked then: a lock writes the row. */
export async function deleteLeftThanks(db: ContentDb): Promise<void> {
  await sql`
    delete from content.thanks where is_fresh and not exists (
      select from content.comments where comments.vent_id = thanks.vent_id and comments.no = thanks.no)`.execute(
    db,
  );
}
