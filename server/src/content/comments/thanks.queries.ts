import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';
import type { CommentId } from '../../kernel/public-ids.ts';

export interface Thanks extends CommentId {
  readonly thankKey: Buffer;
  /** Whoever wrote the comment learns of it from this day on. */
  readonly shownFrom: Day;
}

/** One to seven: told the next day, a farm that answers every vent could link those thanked on one day. */
export const drawDelayDays = () => randomInt(1, 8);

/** Excludes a deletion of the comment, which would leave the thanks behind: it locks the vent to share it. */
export async function lockForThanks(tx: ContentDb, ventId: bigint): Promise<void> {
  await tx.selectFrom('content.vents').select('id').where('id', '=', ventId).forUpdate().execute();
}

/** A second press changes nothing: the first one's day stays. */
export async function insertThanks(tx: ContentDb, thanks: Thanks): Promise<void> {
  await tx
    .insertInto('content.thanks')
    .values(thanks)
    .onConflict((conflict) => conflict.columns(['ventId', 'no']).doNothing())
    .execute();
}

/** False where they are shown already. */
export async function withdrawThanks(tx: ContentDb, { ventId, no }: CommentId, today: Day): Promise<boolean> {
  const { rows } = await sql<{ isShown: boolean }>`
    with withdrawn as (delete from content.thanks
                        where vent_id = ${ventId} and no = ${no} and shown_from > ${today}::date)
    select shown_from <= ${today}::date as is_shown from content.thanks
     where vent_id = ${ventId} and no = ${no}`.execute(tx);
  return !rows[0]?.isShown;
}
