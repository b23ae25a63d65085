import { sql } from 'kysely';
import { addDays, type Day } from '../../platform/clock.ts';
import { halfMonthOf } from '../../platform/coarse-days.ts';
import type { IdentityDb } from '../../platform/db.ts';
import type { JobRows } from '../../platform/job.ts';
import { lockingOutWriters, rewriteTable } from '../../platform/rewrite-rows.ts';
import type { NameRow } from './profiles.queries.ts';

/** Held for a time, or still shown on comments of somebody who left. */
export async function isNameHeldForAnother(db: IdentityDb, name: string, userId: bigint, today: Day) {
  const { rows } = await sql`
    select 1 from identity.held_usernames
     where name_key = ${name.toLowerCase()} and held_until >= ${today}::date and user_id is distinct from ${userId}
    union all
    select 1 from identity.departed where lower(username) = ${name.toLowerCase()} and until >= ${today}::date`.execute(
    db,
  );
  return rows.length > 0;
}

const heldDays = 30;

/**
 * Holds a former name back from others. The end is rounded down to a half month: the exact day could be compared with
 * other days, and with the keys it would link the name of a person who left to the leaving ticket.
 */
export async function holdName(
  db: IdentityDb,
  name: string,
  userId: bigint | null,
  today: Day,
): Promise<void> {
  const heldUntil = halfMonthOf(addDays(today, heldDays));
  await db
    .insertInto('identity.heldUsernames')
    .values({ nameKey: name.toLowerCase(), userId, heldUntil })
    .onConflict((conflict) => conflict.column('nameKey').doUpdateSet({ userId, heldUntil }))
    .execute();
}

export async function listHeldNames(db: IdentityDb, userId: bigint) {
  return db
    .selectFrom('identity.heldUsernames')
    .select(['nameKey', 'heldUntil'])
    .where('userId', '=', userId)
    .execute();
}

export async function deleteReleasedNames(db: IdentityDb, today: Day): Promise<void> {
  await db.deleteFrom('identity.heldUsernames').where('heldUntil', '<', today).execute();
}

export interface DepartedRow extends NameRow {
  readonly username: string;
  readonly speakerId: Buffer;
  readonly until: Day;
}

export async function insertDeparted(tx: IdentityDb, row: DepartedRow): Promise<void> {
  await tx.insertInto('identity.departed').values(row).execute();
}

/** True if a row was deleted. */
export async function deleteDeparted(tx: IdentityDb, today: Day): Promise<boolean> {
  const row = await tx
    .deleteFrom('identity.departed')
    .where('until', '<', today)
    .returning('until')
    .executeTakeFirst();
  return row !== undefined;
}

const departedTables = [
  lockingOutWriters('identity.departed', 'speaker_id'),
  lockingOutWriters('identity.held_usernames', 'name_key'),
];

/** Rewrites rows of departed people in key order: their physical order is the order of leaving. */
export async function rewriteDeparted(db: IdentityDb, rows: JobRows): Promise<void> {
  for (const table of departedTables) await rewriteTable(db, rows, table);
}
