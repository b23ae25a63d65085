import type { Keys } from '../crypto/keys.ts';
import { createPermanentAead } from '../crypto/aead.ts';
import type { KeyLabel } from '../crypto/key-labels.ts';

/** Bytes, or the text of any other type. */
export type Value = Buffer | string | null;
export type Row = Readonly<Record<string, Value>>;

/**
 * A table with columns that a master key made, and how each row gets those of another key (replace-key.ts). A value that
 * this service did not make stays as it is, or becomes random: the old key does not open it either.
 */
export interface RekeyedTable {
  /** As schema.table. */
  readonly name: string;
  readonly key: readonly string[];
  /** What the new values need beside the key and the columns themselves, as SQL over `t`. */
  readonly reads?: Readonly<Record<string, string>>;
  readonly changes: readonly string[];
  /** The new values of all columns in `changes`. */
  rekey(row: Row): Row;
}

/** What a schema does when a leaked key is replaced. */
export interface RekeyedSchema {
  readonly tables: readonly RekeyedTable[];
  /** Whose rows are deleted instead. */
  readonly ended?: readonly string[];
}

/** The keys as they are stored, and as they will be. */
export interface KeyChange {
  readonly before: Keys;
  readonly after: Keys;
}

export const bytesOf = (row: Row, column: string): Buffer => {
  const value = row[column];
  if (!Buffer.isBuffer(value)) throw new Error(`${column} has no bytes`);
  return value;
};
export const textOf = (row: Row, column: string): string => String(row[column]);

/** Opens with the old key and the old additional data, and seals with the new ones. */
export function createResealer({ before, after }: KeyChange, label: KeyLabel) {
  const [from, to] = [createPermanentAead(before, label), createPermanentAead(after, label)];
  return (
    sealed: Value,
    [was, is]: readonly [Buffer, Buffer],
    change: (plain: Buffer) => Buffer = (plain) => plain,
  ): Value => {
    const plain = Buffer.isBuffer(sealed) ? from.open(sealed, was) : null;
    return plain ? to.seal(change(plain), is) : sealed;
  };
}
