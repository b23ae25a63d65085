import { sql } from 'kysely';
import { statement, type ContentDb } from '../platform/db.ts';

/** How many of these are taken, and whether one more, which says that their owner has left, is there. */
export async function countTaken(db: ContentDb, takenKeys: readonly Buffer[], leftKey: Buffer) {
  const [found] = await statement<{ taken: number; hasLeft: boolean }>`
    select count(*) filter (where taken_key <> ${leftKey}::bytea)::int as taken,
           count(*) filter (where taken_key = ${leftKey}::bytea) > 0 as has_left
      from content.taken_slots where taken_key = any(${[...takenKeys, leftKey]}::bytea[])`.rows(db);
  return found ?? { taken: 0, hasLeft: false };
}

/** False when it was taken before. Two at once wait for each other here, and one of them gets it. */
export async function takeSlot(tx: ContentDb, takenKey: Buffer): Promise<boolean> {
  const row = await tx
    .insertInto('content.takenSlots')
    .values({ takenKey })
    .onConflict((conflict) => conflict.column('takenKey').doNothing())
    .returning('takenKey')
    .executeTakeFirst();
  return row !== undefined;
}

type RewrittenTable = 'comments' | 'reactions';

const columns = {
  comments: { key: 'slot_key', all: ['vent_id', 'no', 'voice', 'speaker', 'slot_key', 'body', 'said_on'] },
  reactions: { key: 'reactor_key', all: ['vent_id', 'reactor_key', 'kind'] },
} as const;

/**
 * Writes fresh rows again in the order of their keys, a batch at a time, and gives the last key. Their vents are held
 * first, as everybody does who touches what hangs on a vent: so nobody waits in a circle.
 */
export async function rewriteFresh(
  tx: ContentDb,
  table: RewrittenTable,
  after: Buffer,
  limit: number,
): Promise<Buffer | null> {
  const { key, all } = columns[table];
  const [rows, keyColumn] = [sql.table(`content.${table}`), sql.ref(key)];
  const list = sql.join(all.map((column) => sql.ref(column)));
  // Rows whose vent was deleted meanwhile are in the batch too: were they left out, a batch of these alone would look
  // like the end.
  const { rows: batch } = await sql<{ key: Buffer; isHeld: boolean }>`
    with batch as (select vent_id, ${keyColumn} as key from ${rows}
                    where is_fresh and ${keyColumn} > ${after} order by ${keyColumn} limit ${limit}),
         held as (select id from content.vents where id in (select vent_id from batch) order by id for key share)
    select batch.key, held.id is not null as is_held from batch left join held on held.id = batch.vent_id
     order by batch.key`.execute(tx);
  const last = batch.at(-1)?.key;
  if (!last) return null;
  const keys = batch.filter(({ isHeld }) => isHeld).map(({ key }) => key);
  await sql`
    with gone as (delete from ${rows} where ${keyColumn} = any(${keys}::bytea[]) and is_fresh
                  returning ${list})
    insert into ${rows} (${list}, is_fresh) select ${list}, false from gone order by ${keyColumn}`.execute(
    tx,
  );
  return last;
}
