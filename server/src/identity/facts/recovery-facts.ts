import { randomBytes } from 'node:crypto';
import { limits } from '@unsaid/contract';
import { addDays, dayMs, dayOf, daysBetween, hourMs, type Day } from '../../platform/clock.ts';
import type { RowSeals } from '../../platform/crypto/row-seals.ts';
import { readDayOrNull, writeDay } from './facts-codec.ts';

/** The recovery codes of an account, and a recovery that waits. Days and who asks are stored encrypted. */
export interface Recovery {
  /** Null without a code. */
  readonly code: Code | null;
  /** A code that was replaced or cancelled: it still works for a while. */
  readonly replaced: (Code & { readonly replacedOn: Day }) | null;
  readonly wait: Wait | null;
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
  /** The number is newer than the code: it does not stop this. */
  readonly isFinal: boolean;
}

export interface RecoveryRow {
  readonly userId: bigint;
  readonly codeKey: Buffer;
  readonly replacedKey: Buffer;
  readonly seal: Buffer;
  readonly facts: Buffer;
}

const factBytes = 16;
const maxAge = 255;
const byReplaced = 1;
const final = 2;

/** Random where there is no code: a copy does not show whether a code was replaced, cancelled or used. */
const keyOf = (code: Code | null) => code?.key ?? randomBytes(32);

export function recoveryColumns(seals: RowSeals, userId: bigint, { code, replaced, wait }: Recovery) {
  const bytes = Buffer.alloc(factBytes);
  writeDay(bytes, code?.madeOn ?? null, 0);
  writeDay(bytes, replaced?.replacedOn ?? null, 2);
  bytes.writeUIntBE((wait?.opensAt ?? 0) / hourMs, 4, 3);
  bytes.writeUInt8((wait?.isByReplaced ? byReplaced : 0) | (wait?.isFinal ? final : 0), 7);
  const age = replaced ? Math.min(daysBetween(replaced.madeOn, replaced.replacedOn), maxAge) : 0;
  bytes.writeBigUInt64BE(((wait?.askerId ?? 0n) << 8n) | BigInt(age), 8);
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
  return {
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

/** The replaced code does not work from this day on. Null without one that works. */
export function replacedUntil({ replaced }: Recovery, today: Day): Day | null {
  const until = replaced && addDays(replaced.replacedOn, limits.replacedCodeDays);
  return until !== null && today < until ? until : null;
}

/** A wait ends by itself if nobody comes back. */
export const runningWait = ({ wait }: Recovery, now: number) =>
  wait !== null && now < wait.opensAt + limits.recoveryOpenDays * dayMs ? wait : null;

/**
 * The codes with a new one, or with none, in place of the valid one. While a replaced code still works it stays, and the
 * one in between goes: else two replacements in five minutes would void the code that its owner has on paper. A code that
 * somebody waits with, and that cannot be stopped, stays in any case.
 */
export function replaceCode(recovery: Recovery, code: Code | null, now: number): Recovery {
  const today = dayOf(now);
  const wait = runningWait(recovery, now);
  const retired = recovery.code && { ...recovery.code, replacedOn: today };
  if (wait?.isFinal && !wait.isByReplaced)
    return { code, replaced: retired, wait: { ...wait, isByReplaced: true } };
  const isKept = replacedUntil(recovery, today) !== null || wait?.isFinal;
  return { ...recovery, code, replaced: isKept ? recovery.replaced : retired };
}

/** The codes without the one that somebody waits with. */
export function stopWait({ code, replaced, wait }: Recovery): Recovery {
  return wait?.isByReplaced ? { code, replaced: null, wait: null } : { code: null, replaced, wait: null };
}

/**
 * Whether a code counts more than the number: it was valid when the number was changed, lately, and for some days before
 * that. Whoever has the phone for five minutes can change the number, and can make a code, but not an old one.
 */
export function outranksNumber(
  { madeOn, replacedOn = null }: { readonly madeOn: Day; readonly replacedOn?: Day | null },
  numberChangedOn: Day | null,
  today: Day,
): boolean {
  if (numberChangedOn === null || daysBetween(numberChangedOn, today) > limits.replacedCodeDays) return false;
  const wasValidThen = replacedOn === null || replacedOn >= numberChangedOn;
  return wasValidThen && daysBetween(madeOn, numberChangedOn) >= limits.replacedCodeDays;
}
