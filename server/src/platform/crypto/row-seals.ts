import { timingSafeEqual } from 'node:crypto';
import type { Metrics } from '../metrics.ts';
import { blockBytes, createBlock } from './block.ts';
import { hmac, type Keys } from './keys.ts';

/** The rows that lead from a proof to a person or to a moderator. */
type SealedRow = 'session' | 'number' | 'user' | 'recovery' | 'console' | 'enrol' | 'moderator' | 'passkey';
/** The rows with encrypted facts. */
type FactRow = 'account' | 'session' | 'recovery';
type Part = string | Buffer | bigint | number | Date | null;

/** Of each block: the rest is its check. */
const factBytes = 8;

export type RowSeals = ReturnType<typeof createRowSeals>;

/**
 * HMACs over what a row says. Only this service can make them, so a row that somebody else wrote into the database opens
 * nothing (docs/adr/0002). A row whose seal does not fit is treated as if it did not exist.
 *
 * And the days and switches of a row, encrypted in AES blocks (docs/adr/0009). Each block has eight bytes of them, and the
 * id of its row and its position as a check: a block from elsewhere does not open.
 */
export function createRowSeals(keys: Keys, metrics: Pick<Metrics, 'misfitSeals'>) {
  const seal = (row: SealedRow, ...parts: readonly Part[]) =>
    hmac(keys.permanent(`row-seal-${row}/1`), ...parts.map(fieldOf));
  const blocks = {
    account: createBlock(keys.permanent('row-facts-account/1')),
    session: createBlock(keys.permanent('row-facts-session/1')),
    recovery: createBlock(keys.permanent('row-facts-recovery/1')),
  } satisfies Record<FactRow, unknown>;
  const checkOf = (id: bigint, position: number) => (BigInt(position) << 56n) | id;
  return {
    /** What the row of a secret is found by. */
    lookupKey: (row: SealedRow, secret: string) => hmac(keys.permanent(`row-lookup-${row}/1`), secret),
    seal,
    /** Whether this service wrote these values. Counts the rows that it did not write. */
    fits(row: SealedRow, found: Buffer | null, ...parts: readonly Part[]): boolean {
      const made = seal(row, ...parts);
      const isFitting = found?.length === made.length && timingSafeEqual(found, made);
      if (!isFitting) metrics.misfitSeals.inc({ row });
      return isFitting;
    },
    /** `facts` are padded with zeros to whole blocks. */
    encryptFacts(row: FactRow, id: bigint, facts: Buffer): Buffer {
      const plain = Buffer.alloc(Math.ceil(facts.length / factBytes) * blockBytes);
      for (let n = 0; n * factBytes < facts.length; n += 1) {
        plain.writeBigUInt64BE(checkOf(id, n), n * blockBytes);
        facts.copy(plain, n * blockBytes + factBytes, n * factBytes, (n + 1) * factBytes);
      }
      return blocks[row].encrypt(plain);
    },
    /** Null, and counted, for a row that this service did not write. */
    decryptFacts(row: FactRow, id: bigint, encrypted: Buffer): Buffer | null {
      const plain = blocks[row].decrypt(encrypted);
      const facts = Buffer.alloc(plain.length / 2);
      for (let n = 0; n * blockBytes < plain.length; n += 1) {
        if (plain.readBigUInt64BE(n * blockBytes) !== checkOf(id, n)) {
          metrics.misfitSeals.inc({ row });
          return null;
        }
        plain.copy(facts, n * factBytes, n * blockBytes + factBytes, (n + 1) * blockBytes);
      }
      return facts;
    },
  };
}

function fieldOf(part: Part): string | Buffer {
  if (part instanceof Date) return part.toISOString();
  return Buffer.isBuffer(part) ? part : String(part ?? '');
}
