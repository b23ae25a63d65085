import { sql } from 'kysely';
import type { ContentDb } from '../platform/db.ts';

export async function findPen(db: ContentDb, authorKey: Buffer) {
  return db
    .selectFrom('content.pens')
    .select(['allowComments', 'suspendedUntil', 'sinceHeart', 'sinceHug', 'sinceListen', 'sinceComments'])
    .where('authorKey', '=', authorKey)
    .executeTakeFirst();
}

export async function setAllowComments(
  db: ContentDb,
  authorKey: Buffer,
  allowComments: boolean,
): Promise<void> {
  await db
    .insertInto('content.pens')
    .values({ authorKey, allowComments })
    .onConflict((conflict) => conflict.column('authorKey').doUpdateSet({ allowComments }))
    .execute();
}

export async function setSuspendedUntil(db: ContentDb, authorKey: Buffer, until: Date | null): Promise<void> {
  await db
    .insertInto('content.pens')
    .values({ authorKey, suspendedUntil: until })
    .onConflict((conflict) => conflict.column('authorKey').doUpdateSet({ suspendedUntil: until }))
    .execute();
}

export async function listSuspended(db: ContentDb, authorKeys: readonly Buffer[], now: Date) {
  const rows = await db
    .selectFrom('content.pens')
    .select('authorKey')
    .where('authorKey', '=', sql<Buffer>`any(${authorKeys}::bytea[])`)
    .where('suspendedUntil', '>', now)
    .execute();
  return rows.map(({ authorKey }) => authorKey);
}

export type SinceColumn = 'heart' | 'hug' | 'listen' | 'comments';

const sinceColumns = {
  heart: 'sinceHeart',
  hug: 'sinceHug',
  listen: 'sinceListen',
  comments: 'sinceComments',
} as const;

/**
 * Made with the first vent, so that whoever vents has one. Held until the end of the transaction: vents
 * of one author queue here. False for somebody who is leaving.
 */
export async function ensurePen(db: ContentDb, authorKey: Buffer): Promise<boolean> {
  const row = await db
    .insertInto('content.pens')
    .values({ authorKey })
    .onConflict((conflict) =>
      conflict
        .column('authorKey')
        .doUpdateSet({ authorKey })
        .where('pens.eraseAfter' as never, 'is', null),
    )
    .returning('authorKey')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Whoever comments may have no pen, and must not get one for it: the order of pens beside the order of
 * names would tell whose is whose. So writing and leaving meet at a lock that leaves no row.
 */
const lockOf = (authorKey: Buffer) => sql`hashtextextended(${authorKey.toString('hex')}, 0)`;

export async function isLeaving(tx: ContentDb, authorKey: Buffer): Promise<boolean> {
  await sql`select pg_advisory_xact_lock_shared(${lockOf(authorKey)})`.execute(tx);
  const row = await tx
    .selectFrom('content.pens')
    .select('eraseAfter')
    .where('authorKey', '=', authorKey)
    .executeTakeFirst();
  return row !== undefined && row.eraseAfter !== null;
}

export async function addSince(
  db: ContentDb,
  authorKey: Buffer,
  what: SinceColumn,
  change: number,
): Promise<void> {
  const column = sinceColumns[what];
  await db
    .updateTable('content.pens')
    // Taken back after the author has looked: there is nothing left to take from.
    .set((eb) => ({ [column]: eb.fn<number>('greatest', [eb(column, '+', change), eb.val(0)]) }))
    .where('authorKey', '=', authorKey)
    .execute();
}

/** Reads and begins anew in one statement, so that nothing is told twice or never. */
export async function takeSince(db: ContentDb, authorKey: Buffer) {
  return db
    .with('before', (with_) =>
      with_
        .selectFrom('content.pens')
        .select(['authorKey', 'sinceHeart', 'sinceHug', 'sinceListen', 'sinceComments'])
        .where('authorKey', '=', authorKey)
        .forUpdate(),
    )
    .updateTable('content.pens as pen')
    .from('before')
    .whereRef('pen.authorKey', '=', 'before.authorKey')
    .set({ sinceHeart: 0, sinceHug: 0, sinceListen: 0, sinceComments: 0 })
    .returning([
      'before.sinceHeart as heart',
      'before.sinceHug as hug',
      'before.sinceListen as listen',
      'before.sinceComments as comments',
    ])
    .executeTakeFirst();
}

/** In a transaction of its own: from its commit on nothing more is written under this key. */
export async function eraseLater(tx: ContentDb, authorKey: Buffer, eraseAfter: Date): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(authorKey)})`.execute(tx);
  await tx
    .insertInto('content.pens')
    .values({ authorKey, eraseAfter })
    .onConflict((conflict) => conflict.column('authorKey').doUpdateSet({ eraseAfter }))
    .execute();
}

export async function deleteErasedPens(db: ContentDb, now: Date): Promise<void> {
  await db.deleteFrom('content.pens').where('eraseAfter', '<=', now).execute();
}
