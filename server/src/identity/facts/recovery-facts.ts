import { randomBytes } from 'node:crypto';
import { limits } from '@unsaid/contract';
import { addDays, dayMs, dayOf, daysBetween, hourMs, type Day } from '../../platform/clock.ts';
import type { RowSeals } from '../../platform/crypto/row-seals.ts';
import { readDayOrNull, writeDay } from './account-facts.ts';

/** The recovery codes of an account, and a recovery that waits. Days and who asks are stored encrypted. */
export interface Recovery {
  /** Null without a code. */
  readonly code: Code | null;
  /** A code that was replaced or cancelled. It opens nothing, but with the former number. */
  readonly replaced: (Code & { readonly replacedOn: Day }) | null;
  readonly wait: Wait | null;
  readonly former: FormerNumber | null;
}

/** The number that the account had before it was changed. */
export interface FormerNumber {
  /** The first bytes of its entry in the index. */
  readonly hash: Buffer;
  readonly changedOn: Day;
}

export interface Code {
  readonly key: Buffer;
  readonly madeOn: Day;
}

/** Somebody asked for the account with one of its codes. */
export interface Wait {
  readonly askerId: bigint;
  /** In milliseconds, at a full hour. */
  readonly opensAt: number;
  readonly isByReplaced: boolean;
  /** Asked with the former number: that of now does not stop it. */
  readonly isFinal: boolean;
}

export interface RecoveryRow {
  readonly userId: bigint;
  readonly codeKey: Buffer;
  readonly replacedKey: Buffer;
  readonly seal: Buffer;
  readonly facts: Buffer;
}

const factBytes = 32;
const hashBytes = 14;
const maxAge = 255;
const byReplaced = 1;
const final = 2;

/** Random where there is no code: a copy does not show whether a code was replaced, cancelled or used. */
const keyOf = (code: Code | null) => code?.key ?? randomBytes(32);

export function recoveryColumns(seals: RowSeals, userId: bigint, { code, replaced, wait, former }: Recovery) {
  const bytes = Buffer.alloc(factBytes);
  writeDay(bytes, code?.madeOn ?? null, 0);
  writeDay(bytes, replaced?.replacedOn ?? null, 2);
  bytes.writeUIntBE((wait?.opensAt ?? 0) / hourMs, 4, 3);
  bytes.writeUInt8((wait?.isByReplaced ? byReplaced : 0) | (wait?.isFinal ? final : 0), 7);
  const age = replaced ? Math.min(daysBetween(replaced.madeOn, replaced.replacedOn), maxAge) : 0;
  bytes.writeBigUInt64BE(((wait?.askerId ?? 0n) << 8n) | BigInt(age), 8);
  writeDay(bytes, former?.changedOn ?? null, 16);
  former?.hash.copy(bytes, factBytes - hashBytes);
  const row = {
    codeKey: keyOf(code),
    replacedKey: keyOf(replaced),
    facts: seals.encryptFacts('recovery', userId, bytes),
  };
  return { ...row, seal: seals.seal('recovery', row.codeKey, row.replacedKey, row.facts, userId) };
}

/** Null for a row that this service did not write: it is treated as if it did not exist. */
export function openRecovery(seals: RowSeals, row: RecoveryRow): Recovery | null {
  const { userId, codeKey, replacedKey, seal, facts } = row;
  if (!seals.fits('recovery', seal, codeKey, replacedKey, facts, userId)) return null;
  const bytes = seals.decryptFacts('recovery', userId, facts);
  if (!bytes) return null;
  const madeOn = readDayOrNull(bytes, 0);
  const opensAt = bytes.readUIntBE(4, 3) * hourMs;
  const replacedOn = readDayOrNull(bytes, 2);
  const flags = bytes.readUInt8(7);
  const changedOn = readDayOrNull(bytes, 16);
  return {
    former: changedOn === null ? null : { changedOn, hash: bytes.subarray(factBytes - hashBytes) },
    code: madeOn === null ? null : { key: codeKey, madeOn },
    replaced:
      replacedOn === null
        ? null
        : { key: replacedKey, replacedOn, madeOn: addDays(replacedOn, -(bytes[15] ?? 0)) },
    wait:
      opensAt === 0
        ? null
        : {
            askerId: bytes.readBigUInt64BE(8) >> 8n,
            opensAt,
            isByReplaced: (flags & byReplaced) !== 0,
            isFinal: (flags & final) !== 0,
          },
  };
}

const isWithin = (day: Day, today: Day) => today < addDays(day, limits.replacedCodeDays);

/** The code that was replaced or cancelled in the last days. */
export const replacedLately = ({ replaced }: Recovery, today: Day) =>
  replaced && isWithin(replaced.replacedOn, today) ? replaced : null;

/** A wait ends by itself if nobody comes back. */
export const runningWait = ({ wait }: Recovery, now: number) =>
  wait !== null && now < wait.opensAt + limits.recoveryOpenDays * dayMs ? wait : null;

/**
 * The codes with a new one, or with none, in place of the valid one, which ends a wait that was asked with it. While the one
 * before was replaced in the last days it stays, and the one in between goes: else two replacements in five minutes would
 * void the code that its owner has on paper. A wait of the former number goes on, with its code.
 */
export function replaceCode(recovery: Recovery, code: Code | null, now: number): Recovery {
  const today = dayOf(now);
  const running = runningWait(recovery, now);
  const wait = running?.isFinal ? running : null;
  const retired = recovery.code && { ...recovery.code, replacedOn: today };
  if (wait && !wait.isByReplaced)
    return { ...recovery, code, replaced: retired, wait: { ...wait, isByReplaced: true } };
  const isKept = replacedLately(recovery, today) !== null || wait !== null;
  return { ...recovery, code, replaced: isKept ? recovery.replaced : retired, wait };
}

/**
 * The same account after a change of its number. The first number of the last days counts: whoever has the phone for five
 * minutes can change it twice.
 */
export function rememberFormer(recovery: Recovery, index: Buffer, today: Day): Recovery {
  const { former } = recovery;
  if (former && isWithin(former.changedOn, today)) return recovery;
  return { ...recovery, former: { hash: index.subarray(0, hashBytes), changedOn: today } };
}

/** Whether this entry of the index is that of the number which the account had until some days ago. */
export const isFormerNumber = ({ former }: Recovery, index: Buffer, today: Day): boolean =>
  former !== null && isWithin(former.changedOn, today) && former.hash.equals(index.subarray(0, hashBytes));
