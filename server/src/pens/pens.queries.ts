import type { ContentDb } from '../platform/db.ts';

export async function findPen(db: ContentDb, authorKey: Buffer) {
  return db
    .selectFrom('content.pens')
    .select(['allowComments', 'suspendedUntil'])
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

export async function deletePen(db: ContentDb, authorKey: Buffer): Promise<void> {
  await db.deleteFrom('content.pens').where('authorKey', '=', authorKey).execute();
}
