import { addDays, startOfDay, type Day } from '../../platform/clock.ts';
import type { RowSeals } from '../../platform/crypto/row-seals.ts';
import { readDay, writeDay } from '../facts/account-facts.ts';
import { deviceLabel } from './device-label.ts';

/** Lifetimes in whole UTC days, rounded down: never longer than this, at most a day shorter. */
export const idleDays = 14;
const absoluteDays = 30;

/** What a session stores encrypted. */
export interface SessionFacts {
  readonly createdOn: Day;
  readonly lastSeenOn: Day;
  /** Its place among the sign-ins of that day. */
  readonly order: number;
  /** device-label.ts */
  readonly device: number;
}

const factBytes = 8;

export function sealSession(seals: RowSeals, id: bigint, facts: SessionFacts): Buffer {
  const bytes = Buffer.alloc(factBytes);
  writeDay(bytes, facts.createdOn, 0);
  writeDay(bytes, facts.lastSeenOn, 2);
  bytes.writeUInt8(facts.device, 4);
  bytes.writeUInt8(Math.min(facts.order, 255), 5);
  return seals.encryptFacts('session', id, bytes);
}

/** Null for a row that this service did not write. */
export function openSession(seals: RowSeals, row: { readonly id: bigint; readonly facts: Buffer }) {
  const bytes = seals.decryptFacts('session', row.id, row.facts);
  if (!bytes) return null;
  const facts: SessionFacts = {
    createdOn: readDay(bytes, 0),
    lastSeenOn: readDay(bytes, 2),
    device: bytes.readUInt8(4),
    order: bytes.readUInt8(5),
  };
  return {
    ...facts,
    label: deviceLabel(facts.device),
    /** The session ends as this day begins. */
    endsOn: addDays(facts.createdOn, absoluteDays),
  };
}

/** In milliseconds: the end of the session, or of what it may be idle. */
export function expiresAt({
  lastSeenOn,
  endsOn,
}: {
  readonly lastSeenOn: Day;
  readonly endsOn: Day;
}): number {
  return Math.min(startOfDay(endsOn), startOfDay(addDays(lastSeenOn, idleDays)));
}
