import { timingSafeEqual } from 'node:crypto';
import type { Metrics } from '../metrics.ts';
import { hmac, type Keys } from './keys.ts';

/** The rows that lead from a proof to a person or to a moderator. */
type SealedRow = 'session' | 'number' | 'user' | 'recovery' | 'console' | 'enrol' | 'moderator' | 'passkey';
type Part = string | Buffer | bigint | number | Date | null;

export type RowSeals = ReturnType<typeof createRowSeals>;

/**
 * HMACs over what a row says. Only this service can make them, so a row that somebody else wrote into the database opens
 * nothing (docs/adr/0002). A row whose seal does not fit is treated as if it did not exist.
 */
export function createRowSeals(keys: Keys, metrics: Pick<Metrics, 'misfitSeals'>) {
  const seal = (row: SealedRow, ...parts: readonly Part[]) =>
    hmac(keys.permanent(`row-seal-${row}/1`), ...parts.map(fieldOf));
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
  };
}

function fieldOf(part: Part): string | Buffer {
  if (part instanceof Date) return part.toISOString();
  return Buffer.isBuffer(part) ? part : String(part ?? '');
}
