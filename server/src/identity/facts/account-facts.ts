import { noticeVersion } from '@unsaid/contract';
import { addDays, dayMs, dayOf, startOfDay, type Day } from '../../platform/clock.ts';
import { nextMonth } from '../../platform/coarse-days.ts';
import type { RowSeals } from '../../platform/crypto/row-seals.ts';

/** The days and switches of an account, stored encrypted. */
export interface AccountFacts {
  readonly createdOn: Day;
  readonly lastSeenOn: Day;
  /** The day the number went to somebody else, or to another account of the same person. */
  readonly detachedOn: Day | null;
  /** The day a recovery code opened the account. */
  readonly recoveredOn: Day | null;
  /** The day the person moved to another number. */
  readonly numberChangedOn: Day | null;
  /** Whether new vents take comments; each vent has a switch of its own. */
  readonly allowComments: boolean;
  readonly anonymousChat: boolean;
  /** The half month in which feelings were named: with the keys, the day could be compared with the days of vents. */
  readonly feelingsFrom: Day | null;
  /** The newest version of the privacy notice that the person agreed to. */
  readonly agreement: Agreement;
}

export interface Agreement {
  readonly version: number;
  readonly agreedOn: Day;
}

/** The sign-up page says that continuing is agreeing to the notice. */
export function newAccount(today: Day): AccountFacts {
  return {
    createdOn: today,
    lastSeenOn: today,
    detachedOn: null,
    recoveredOn: null,
    numberChangedOn: null,
    allowComments: true,
    anonymousChat: true,
    feelingsFrom: null,
    agreement: { version: noticeVersion, agreedOn: today },
  };
}

const factBytes = 16;
const closed = 1;
const noChat = 2;

/** The columns of `identity.users` that say these facts. Always written together. */
export function factColumns(seals: RowSeals, id: bigint, facts: AccountFacts) {
  const bytes = Buffer.alloc(factBytes);
  writeDay(bytes, facts.createdOn, 0);
  writeDay(bytes, facts.lastSeenOn, 2);
  writeDay(bytes, facts.detachedOn, 4);
  bytes.writeUInt8((facts.allowComments ? 0 : closed) | (facts.anonymousChat ? 0 : noChat), 6);
  bytes.writeUInt8(facts.agreement.version, 7);
  writeDay(bytes, facts.agreement.agreedOn, 8);
  writeDay(bytes, facts.feelingsFrom, 10);
  writeDay(bytes, facts.recoveredOn, 12);
  writeDay(bytes, facts.numberChangedOn, 14);
  return {
    facts: seals.encryptFacts('account', id, bytes),
    lookOn: lookOn(facts.lastSeenOn),
    isDetached: facts.detachedOn !== null,
  };
}

/** Null for a row that this service did not write: it is treated as if it did not exist. */
export function openFacts(
  seals: RowSeals,
  row: { readonly id: bigint; readonly facts: Buffer },
): AccountFacts | null {
  const bytes = seals.decryptFacts('account', row.id, row.facts);
  if (!bytes) return null;
  const switches = bytes.readUInt8(6);
  return {
    createdOn: readDay(bytes, 0),
    lastSeenOn: readDay(bytes, 2),
    detachedOn: readDayOrNull(bytes, 4),
    allowComments: (switches & closed) === 0,
    anonymousChat: (switches & noChat) === 0,
    agreement: { version: bytes.readUInt8(7), agreedOn: readDay(bytes, 8) },
    feelingsFrom: readDayOrNull(bytes, 10),
    recoveredOn: readDayOrNull(bytes, 12),
    numberChangedOn: readDayOrNull(bytes, 14),
  };
}

const silentDays = 30;

/**
 * The month in which the silence after a visit is looked at. Later visits have a later one or the same: accounts seen since
 * a day are among those with at least the month of that day, and accounts not seen since are among those with at most it.
 */
export const lookOn = (lastSeenOn: Day): Day => nextMonth(addDays(lastSeenOn, silentDays));

/** Two bytes a day; 0 is none. */
export function writeDay(bytes: Buffer, day: Day | null, at: number): void {
  bytes.writeUInt16BE(day === null ? 0 : Math.round(startOfDay(day) / dayMs), at);
}

export function readDay(bytes: Buffer, at: number): Day {
  return dayOf(bytes.readUInt16BE(at) * dayMs);
}

export const readDayOrNull = (bytes: Buffer, at: number) =>
  bytes.readUInt16BE(at) === 0 ? null : readDay(bytes, at);
