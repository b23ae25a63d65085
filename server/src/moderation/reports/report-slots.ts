import { findHighestUsed } from '../../kernel/gallop.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { ModerationDb } from '../../platform/db.ts';
import * as queries from './reports.queries.ts';

/**
 * The reports of a person are in the slots 1, 2, 3, … A slot is never used again, whatever is deleted: a second report in
 * it would be by the same person. The login of moderation cannot free one (docs/adr/0006). Returns all keys in their order.
 */
export async function listSlotKeys(db: ModerationDb, person: Person): Promise<Buffer[]> {
  const last = await findHighestUsed((numbers) =>
    queries.countTaken(db, person.takenKeys('report', numbers)),
  );
  return person.slotKeys(
    'report',
    Array.from({ length: last }, (_, n) => n + 1),
  );
}

/** Takes the slot with this number and returns its key. The reports of a person wait for each other (`lockReporter`). */
export async function takeSlot(tx: ModerationDb, person: Person, number: number): Promise<Buffer> {
  await queries.insertTaken(tx, person.takenKeys('report', [number])[0] as Buffer);
  return person.slotKeys('report', [number])[0] as Buffer;
}
