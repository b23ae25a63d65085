import { randomBytes } from 'node:crypto';
import { bytesOf, textOf, type KeyChange, type RekeyedSchema } from '../platform/rekey/rekeyed-table.ts';
import { createPairCipher } from './pair-details.ts';
import { createPairKeys } from './pair-keys.ts';
import { withKeys } from './pair-sides.ts';

/** What replacing a leaked key does to matching. */
export function rekeyedMatching({ before, after }: KeyChange): RekeyedSchema {
  const [keysWere, keys] = [createPairKeys(before), createPairKeys(after)];
  const [cipherWas, cipher] = [createPairCipher(before), createPairCipher(after)];
  return {
    tables: [
      {
        name: 'matching.pairs',
        key: ['id'],
        reads: { week: 't.week::text' },
        changes: ['a_key', 'b_key', 'is_asked_by_a', 'details'],
        rekey(row) {
          const columns = {
            aKey: bytesOf(row, 'a_key'),
            bKey: bytesOf(row, 'b_key'),
            isAskedByA: row['is_asked_by_a'] === 'true',
            week: textOf(row, 'week'),
          };
          const sealed = bytesOf(row, 'details');
          const said = cipherWas.tryOpen({ ...columns, details: sealed });
          // A row that does not open is not ours, and its keys must not become so: nobody finds it any more.
          const [one, other] = [columns.aKey, columns.bKey].map((key) =>
            said ? keys.encode(keysWere.decode(key), columns.week) : randomBytes(key.length),
          ) as [Buffer, Buffer];
          const moved = withKeys(columns, said, [one, other]);
          return {
            a_key: moved.columns.aKey,
            b_key: moved.columns.bKey,
            is_asked_by_a: String(moved.columns.isAskedByA),
            details: moved.details ? cipher.seal(moved.details, moved.columns) : sealed,
          };
        },
      },
    ],
  };
}
