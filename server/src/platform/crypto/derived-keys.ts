import { sql, type QueryExecutorProvider } from 'kysely';
import type { KeyLabel } from './key-labels.ts';
import { DataKeyError, hmac, type NewKey } from './keys.ts';
import { deriveFirst, type LocalKey } from './master-key.ts';

/** Rows that are no keys: the ids of the master keys that numbers were found with (20261230000002_key_checks.sql). */
export const masterIdPurpose = 'key-check/1';

/** Whether the key sealed a user of the database. True where there is none. */
async function hasSealed(identity: QueryExecutorProvider, oldest: LocalKey): Promise<boolean> {
  const { rows } = await sql<{ id: bigint; authorSeed: Buffer; speakerId: Buffer; seal: Buffer }>`
    select id, author_seed, speaker_id, seal from identity.users limit 100`.execute(identity);
  const key = deriveFirst(oldest, 'row-seal-user/1');
  const fits = ({ id, authorSeed, speakerId, seal }: (typeof rows)[0]) =>
    hmac(key, String(id), authorSeed, speakerId).equals(seal);
  return rows.length === 0 || rows.some(fits);
}

/**
 * Refuses a ring without a key that an older database was written with. A newer key with other bytes under a known id is
 * not noticed: what it made is found by numbers alone, which no row says.
 */
export async function proveRing(
  identity: QueryExecutorProvider,
  ring: readonly LocalKey[],
  rows: readonly { readonly purpose: string; readonly no: number }[],
): Promise<void> {
  const wrong = rows
    .filter(({ purpose, no }) => purpose === masterIdPurpose && !ring.some(({ id }) => id === no))
    .map(({ no }) => no);
  const oldest = oldestFirst(ring)[0] as LocalKey;
  if (wrong.length === 0 && !(await hasSealed(identity, oldest))) wrong.push(oldest.id);
  if (wrong.length > 0)
    throw new DataKeyError(
      `MASTER_KEYS: key ${wrong.join(' and key ')} is not the one that this database was written with`,
    );
}

const oldestFirst = (ring: readonly LocalKey[]) => ring.toSorted((a, b) => a.id - b.id);

/** The keys of a database from before there were data keys: derived from the oldest master key, those of numbers from each. */
export function derivedKeys(ring: readonly LocalKey[], labels: readonly KeyLabel[]): NewKey[] {
  const masters = oldestFirst(ring);
  return labels.flatMap((label) =>
    label.startsWith('phone-')
      ? masters.map((master) => ({ label, no: master.id, bytes: deriveFirst(master, label) }))
      : [{ label, no: 1, bytes: deriveFirst(masters[0] as LocalKey, label) }],
  );
}
