import type pg from 'pg';
import type { EncryptedAuthor } from '../src/kernel/speakers.ts';

interface SpokenRow extends EncryptedAuthor {
  readonly slotKey: Buffer;
  readonly body: string;
}

/** Every vent and comment with its encrypted author. */
export async function listSpoken(rows: Pick<pg.Pool, 'query'>): Promise<SpokenRow[]> {
  const { rows: found } = await rows.query<Omit<SpokenRow, 'ventId'> & { ventId: string }>(
    `select 'vent' as voice, id as "ventId", 0 as no, speaker, slot_key as "slotKey", body from content.vents
     union all select voice, vent_id, no, speaker, slot_key, body from content.comments`,
  );
  return found.map((row) => ({ ...row, ventId: BigInt(row.ventId) }));
}
