import type pg from 'pg';
import { schemaNames } from '../src/db/schemas.ts';
import { labelsOf } from '../src/platform/crypto/key-labels.ts';
import { createKeys, type Keys } from '../src/platform/crypto/keys.ts';
import { deriveFirst } from '../src/platform/crypto/master-key.ts';

/** The same keys for the same bytes, without a database. */
export const keysFrom = (bytes: Buffer): Keys =>
  createKeys(
    schemaNames
      .flatMap(labelsOf)
      .map((label) => ({ label, no: 1, bytes: deriveFirst({ id: 1, bytes }, label), isSettled: true })),
  );

/** The first keys of a database that no server has used are then derived from the master key. */
export async function deriveKeys(client: pg.Client): Promise<void> {
  for (const schema of schemaNames)
    await client.query(`update ${schema}.data_keys set purpose = '${schema} derived' where no = 0`);
}
