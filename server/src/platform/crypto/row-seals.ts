import { timingSafeEqual } from 'node:crypto';
import type { Metrics } from '../metrics.ts';
import { blockBytes, createBlock, type Block } from './block.ts';
import { hmac, perRing, type Keys } from './keys.ts';

/** The rows that lead from a proof to a person or to a moderator. */
type SealedRow = 'session' | 'number' | 'user' | 'recovery' | 'console' | 'moderator' | 'passkey';
/** The rows with encrypted facts. */
const factRows = ['account', 'session', 'recovery'] as const;
type FactRow = (typeof factRows)[number];
/** The rows that are found by a secret. */
type FoundRow = 'session' | 'recovery' | 'console' | 'enrol';
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
  const sealWith = (key: Buffer, parts: readonly Part[]) => hmac(key, ...parts.map(fieldOf));
  const seal = (row: SealedRow, ...parts: readonly Part[]) =>
    sealWith(keys.ring(`row-seal-${row}/1`)[0], parts);
  /** The first makes what is new. */
  const blocks = Object.fromEntries(
    factRows.map((row) => [row, perRing(keys, `row-facts-${row}/1`, (ring) => ring.map(createBlock))]),
  ) as Record<FactRow, () => Block[]>;
  return {
    /** What the row of a secret is found by. */
    lookupKey: (row: FoundRow, secret: string) => hmac(keys.of(`row-lookup-${row}/1`), secret),
    seal,
    /** Whether this service wrote these values. Counts the rows that it did not write. */
    fits(row: SealedRow, found: Buffer | null, ...parts: readonly Part[]): boolean {
      const isFitting = keys.ring(`row-seal-${row}/1`).some((key) => {
        const made = sealWith(key, parts);
        return found?.length === made.length && timingSafeEqual(found, made);
      });
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
      return (blocks[row]()[0] as Block).encrypt(plain);
    },
    /** Null, and counted, for a row that this service did not write. */
    decryptFacts(row: FactRow, id: bigint, encrypted: Buffer): Buffer | null {
      for (const block of blocks[row]()) {
        const facts = factsOf(id, block.decrypt(encrypted));
        if (facts) return facts;
      }
      metrics.misfitSeals.inc({ row });
      return null;
    },
  };
}

const checkOf = (id: bigint, position: number) => (BigInt(position) << 56n) | id;

function factsOf(id: bigint, plain: Buffer): Buffer | null {
  const facts = Buffer.alloc(plain.length / 2);
  for (let n = 0; n * blockBytes < plain.length; n += 1) {
    if (plain.readBigUInt64BE(n * blockBytes) !== checkOf(id, n)) return null;
    plain.copy(facts, n * factBytes, n * blockBytes + factBytes, (n + 1) * blockBytes);
  }
  return facts;
}

function fieldOf(part: Part): string | Buffer {
  if (part instanceof Date) return part.toISOString();
  return Buffer.isBuffer(part) ? part : String(part ?? '');
}
