import type { ContentDb } from '../../platform/db.ts';
import type { JobRows } from '../../platform/job.ts';
import { rewriteTable, rewrittenTable } from '../../platform/rewrite-rows.ts';

export interface TicketRow {
  readonly ticketKey: Buffer;
  readonly ticket: Buffer;
}

export async function listTickets(db: ContentDb): Promise<TicketRow[]> {
  return db.selectFrom('content.leavings').select(['ticketKey', 'ticket']).execute();
}

/** The row lock serializes concurrent retries. */
export async function lockTicket(tx: ContentDb, ticketKey: Buffer): Promise<Buffer | null> {
  const row = await tx
    .selectFrom('content.leavings')
    .select('ticket')
    .where('ticketKey', '=', ticketKey)
    .forUpdate()
    .executeTakeFirst();
  return row?.ticket ?? null;
}

export async function putTicket(tx: ContentDb, row: TicketRow): Promise<void> {
  await tx
    .insertInto('content.leavings')
    .values(row)
    .onConflict((conflict) => conflict.column('ticketKey').doUpdateSet({ ticket: row.ticket }))
    .execute();
}

export async function deleteTicket(db: ContentDb, ticketKey: Buffer): Promise<void> {
  await db.deleteFrom('content.leavings').where('ticketKey', '=', ticketKey).execute();
}

const tickets = rewrittenTable('content.leavings', 'ticket_key', { atOnce: 500 });

/** In key order, which is random: their physical order is the order of leaving. */
export const rewriteTickets = (db: ContentDb, rows: JobRows) => rewriteTable(db, rows, tickets);
