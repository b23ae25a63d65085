import { sql } from 'kysely';
import type { Day } from '../platform/clock.ts';
import type { ContentDb } from '../platform/db.ts';

export async function findSuspension(db: ContentDb, personKey: Buffer): Promise<Day | null> {
  const row = await db
    .selectFrom('content.suspensions')
    .select('untilDay')
    .where('personKey', '=', personKey)
    .executeTakeFirst();
  return row?.untilDay ?? null;
}

export async function putSuspension(db: ContentDb, personKey: Buffer, untilDay: Day): Promise<void> {
  await db
    .insertInto('content.suspensions')
    .values({ personKey, untilDay })
    .onConflict((conflict) => conflict.column('personKey').doUpdateSet({ untilDay }))
    .execute();
}

export async function deleteSuspension(db: ContentDb, personKey: Buffer): Promise<void> {
  await db.deleteFrom('content.suspensions').where('personKey', '=', personKey).execute();
}

export async function listSuspended(db: ContentDb, personKeys: readonly Buffer[], today: Day) {
  const rows = await db
    .selectFrom('content.suspensions')
    .select('personKey')
    .where('personKey', '=', sql<Buffer>`any(${personKeys}::bytea[])`)
    .where('untilDay', '>', today)
    .execute();
  return rows.map(({ personKey }) => personKey);
}
