import {
  accountEvents,
  limits,
  reactionTypes,
  type AccountEvent,
  type ReactionCounts,
} from '@unsaid/contract';
import { dayMs, dayOf, startOfDay, type Day } from '../../platform/clock.ts';
import { createRingAead } from '../../platform/crypto/aead.ts';
import { blockBytes, createBlock } from '../../platform/crypto/block.ts';
import type { Keys } from '../../platform/crypto/keys.ts';

/**
 * What a person has seen. The browser keeps it as an encrypted cursor of fixed length, so that nothing about a visit is
 * stored here, and the browser's storage does not show how much a person wrote. Pure functions.
 */
export interface Seen {
  /** No list was computed yet: reactions to vents without an entry count from now on. */
  readonly isStart: boolean;
  /** Comments and matches of earlier days count as seen. */
  readonly fromDay: Day;
  /** The highest numbers of own vents and comments that this state has covered. */
  readonly newestVent: number;
  readonly newestComment: number;
  /** By the number of an own vent. */
  readonly vents: ReadonlyMap<number, Totals>;
  /** The number of the newest comment seen, by vent: threads on vents of others. */
  readonly threads: ReadonlyMap<bigint, number>;
  /** Pairs in which the other person's yes was seen. */
  readonly matches: ReadonlySet<bigint>;
  /** Notices that were seen. */
  readonly notices: ReadonlySet<bigint>;
  /** What happened to the account itself, as `accountMark` of it. */
  readonly account: ReadonlySet<number>;
  /** Own comments whose thanks were seen, by their numbers. */
  readonly thanks: ReadonlySet<number>;
}

/** Reactions of others to one vent, and the number of its newest comment. */
export interface Totals extends ReactionCounts {
  readonly no: number;
}

/** What a line of the inbox shows: becomes part of `Seen` once the line was opened. */
export type Shown =
  | { readonly kind: 'vent'; readonly number: number; readonly totals: Totals }
  | { readonly kind: 'thread'; readonly ventId: bigint; readonly no: number }
  | { readonly kind: 'match'; readonly pairId: bigint }
  | { readonly kind: 'notice'; readonly noticeId: bigint }
  | { readonly kind: 'account'; readonly mark: number }
  | { readonly kind: 'thanks'; readonly number: number };

/** Three bytes for an event and its day. Never 0. */
export const accountMark = (event: AccountEvent, day: Day) =>
  (accountEvents.indexOf(event) << 16) | (startOfDay(day) / dayMs);

/** Seen state only grows, so that a reaction that is withdrawn and given again is not new each time. */
export function addShown(seen: Seen, shown: readonly Shown[]): Seen {
  const vents = new Map(seen.vents);
  const threads = new Map<bigint, number>();
  const matches = new Set<bigint>();
  const notices = new Set<bigint>();
  const account = new Set<number>();
  const thanks = new Set(seen.thanks);
  for (const one of shown) {
    if (one.kind === 'vent') vents.set(one.number, maxTotals(vents.get(one.number), one.totals));
    else if (one.kind === 'thread')
      threads.set(one.ventId, Math.max(threads.get(one.ventId) ?? seen.threads.get(one.ventId) ?? 0, one.no));
    else if (one.kind === 'match') matches.add(one.pairId);
    else if (one.kind === 'notice') notices.add(one.noticeId);
    else if (one.kind === 'thanks') thanks.add(one.number);
    else account.add(one.mark);
  }
  // What was shown comes first: when there is no room, the oldest entries are dropped.
  return {
    ...seen,
    vents,
    threads: keepNewest(threads, seen.threads, limits.commentsWatched),
    matches: new Set([...matches, ...seen.matches]),
    notices: new Set([...notices, ...seen.notices]),
    account: new Set([...account, ...seen.account]),
    thanks,
  };
}

function maxTotals(one: Totals | undefined, other: Totals): Totals {
  if (!one) return other;
  const max = { ...other, no: Math.max(one.no, other.no) };
  for (const kind of reactionTypes) max[kind] = Math.max(one[kind], other[kind]);
  return max;
}

/** Entries for what still exists, then older ones while there is room: a hidden vent may be restored. */
export function keepNewest<Key, Value>(
  current: ReadonlyMap<Key, Value>,
  earlier: ReadonlyMap<Key, Value>,
  room: number,
): Map<Key, Value> {
  const kept = new Map([...current].slice(0, room));
  for (const [key, value] of earlier) if (kept.size < room && !kept.has(key)) kept.set(key, value);
  return kept;
}

const ventBytes = 13;
const threadBytes = 10;
const matchBytes = 8;
const noticeBytes = 8;
/** As many as a person has slots for. */
const noticesWatched = 16;
const headerBytes = 11;
const threadsAt = headerBytes + limits.ventsWatched * ventBytes;
const matchesAt = threadsAt + limits.commentsWatched * threadBytes;
const noticesAt = matchesAt + limits.matchesWatched * matchBytes;
const accountAt = noticesAt + noticesWatched * noticeBytes;
const markBytes = 3;
const numberBytes = 4;
/** One of each kind, and some that were seen before. */
const marksWatched = 2 * accountEvents.length;
const thanksAt = accountAt + marksWatched * markBytes;
/** A bit for each of the newest own comments, more than are watched: numbers have gaps where some were deleted. */
const thanksWatched = 128;
const cursorBytes = thanksAt + thanksWatched / 8;

/** Whether the cursor has a bit for thanks to the own comment with this number. */
export const holdsThanks = ({ newestComment }: Pick<Seen, 'newestComment'>, number: number) =>
  number > newestComment - thanksWatched;

const maxCount = 2 ** 16 - 1;

/** Reactions beyond 65,535 on one vent are no longer news. */
function writeVent(plain: Buffer, at: number, number: number, totals: Totals): void {
  plain.writeUIntBE(number, at, 3);
  for (const [n, kind] of reactionTypes.entries())
    plain.writeUInt16BE(Math.min(Math.max(totals[kind], 0), maxCount), at + 3 + n * 2);
  plain.writeUInt32BE(totals.no, at + 9);
}

function readVent(plain: Buffer, at: number): [number, Totals] {
  const [heart, hug, listen] = [3, 5, 7].map((offset) => plain.readUInt16BE(at + offset)) as [
    number,
    number,
    number,
  ];
  return [plain.readUIntBE(at, 3), { heart, hug, listen, no: plain.readUInt32BE(at + 9) }];
}

function writeThread(plain: Buffer, at: number, ventId: bigint, no: number): void {
  plain.writeUIntBE(Number(ventId), at, 6);
  plain.writeUInt32BE(no, at + 6);
}

function readThread(plain: Buffer, at: number): [bigint, number] {
  return [BigInt(plain.readUIntBE(at, 6)), plain.readUInt32BE(at + 6)];
}

export interface CursorCodec {
  seal(seen: Seen, userId: bigint): string;
  /** Null for a forged cursor, one of another account, and one of another release. */
  open(cursor: string, userId: bigint): Seen | null;
}

export function createCursorCodec(keys: Keys): CursorCodec {
  const aead = createRingAead(keys.shortLived('inbox/1'));
  const owner = (userId: bigint) => Buffer.from(String(userId));

  return {
    seal(seen, userId) {
      const { isStart, fromDay, newestVent, newestComment, vents, threads, matches, notices, account } = seen;
      const plain = Buffer.alloc(cursorBytes);
      plain.writeUInt16BE(startOfDay(fromDay) / dayMs);
      plain.writeUInt32BE(newestVent, 2);
      plain.writeUInt32BE(newestComment, 6);
      plain.writeUInt8(Number(isStart), 10);
      const newest = [...vents].toSorted(([a], [b]) => b - a).slice(0, limits.ventsWatched);
      for (const [n, [number, totals]] of newest.entries())
        writeVent(plain, headerBytes + n * ventBytes, number, totals);
      for (const [n, [ventId, no]] of [...threads].slice(0, limits.commentsWatched).entries())
        writeThread(plain, threadsAt + n * threadBytes, ventId, no);
      for (const [n, pairId] of [...matches].slice(0, limits.matchesWatched).entries())
        plain.writeBigInt64BE(pairId, matchesAt + n * matchBytes);
      for (const [n, noticeId] of [...notices].slice(0, noticesWatched).entries())
        plain.writeBigInt64BE(noticeId, noticesAt + n * noticeBytes);
      for (const [n, mark] of [...account].slice(0, marksWatched).entries())
        plain.writeUIntBE(mark, accountAt + n * markBytes, markBytes);
      for (const number of seen.thanks) {
        const n = newestComment - number;
        if (n < 0 || n >= thanksWatched) continue;
        const at = thanksAt + Math.floor(n / 8);
        plain.writeUInt8(plain.readUInt8(at) | (1 << (n % 8)), at);
      }
      return aead.seal(plain, owner(userId)).toString('base64url');
    },

    open(cursor, userId) {
      const opened = aead.open(Buffer.from(cursor, 'base64url'), owner(userId));
      // Cursors of the release before have no thanks. They count as they are, or everybody's week would be unread.
      const plain = opened?.length === thanksAt ? Buffer.concat([opened], cursorBytes) : opened;
      if (plain?.length !== cursorBytes) return null;
      const entries = <T>(from: number, to: number, size: number, read: (at: number) => T) =>
        Array.from({ length: (to - from) / size }, (_, n) => read(from + n * size));
      const vents = entries(headerBytes, threadsAt, ventBytes, (at) => readVent(plain, at));
      const threads = entries(threadsAt, matchesAt, threadBytes, (at) => readThread(plain, at));
      const matches = entries(matchesAt, noticesAt, matchBytes, (at) => plain.readBigInt64BE(at));
      const notices = entries(noticesAt, accountAt, noticeBytes, (at) => plain.readBigInt64BE(at));
      const account = entries(accountAt, thanksAt, markBytes, (at) => plain.readUIntBE(at, markBytes));
      const newestComment = plain.readUInt32BE(6);
      const thanks = Array.from({ length: thanksWatched }, (_, n) => n).filter(
        (n) => plain.readUInt8(thanksAt + Math.floor(n / 8)) & (1 << (n % 8)),
      );
      return {
        fromDay: dayOf(plain.readUInt16BE() * dayMs),
        newestVent: plain.readUInt32BE(2),
        newestComment,
        isStart: plain.readUInt8(10) === 1,
        vents: new Map(vents.filter(([number]) => number > 0)),
        threads: new Map(threads.filter(([ventId]) => ventId > 0n)),
        matches: new Set(matches.filter((pairId) => pairId !== 0n)),
        notices: new Set(notices.filter((noticeId) => noticeId !== 0n)),
        account: new Set(account.filter((mark) => mark !== 0)),
        thanks: new Set(thanks.map((n) => newestComment - n)),
      };
    },
  };
}

/** The key of a line: one AES block under a key of its reader, so that it is short and opens for nobody else. */
export interface LineCodec {
  seal(shown: Shown): string;
  /** Null for the key of another account and for a forged one, but with a probability of 2^-23. */
  open(key: string): Shown | null;
}

/** The first byte of the block. The bytes after the entry are 0. */
const lineKinds = { vent: 1, thread: 2, match: 3, notice: 4, account: 5, thanks: 6 } as const;

export function createLineCodec(readerKey: Buffer): LineCodec {
  const block = createBlock(readerKey);

  function read(plain: Buffer): { shown: Shown; bytes: number } | null {
    switch (plain.readUInt8()) {
      case lineKinds.vent: {
        const [number, totals] = readVent(plain, 1);
        return { shown: { kind: 'vent', number, totals }, bytes: ventBytes };
      }
      case lineKinds.thread: {
        const [ventId, no] = readThread(plain, 1);
        return { shown: { kind: 'thread', ventId, no }, bytes: threadBytes };
      }
      case lineKinds.match:
        return { shown: { kind: 'match', pairId: plain.readBigInt64BE(1) }, bytes: matchBytes };
      case lineKinds.notice:
        return { shown: { kind: 'notice', noticeId: plain.readBigInt64BE(1) }, bytes: noticeBytes };
      case lineKinds.account:
        return { shown: { kind: 'account', mark: plain.readUIntBE(1, markBytes) }, bytes: markBytes };
      case lineKinds.thanks:
        return { shown: { kind: 'thanks', number: plain.readUInt32BE(1) }, bytes: numberBytes };
      default:
        return null;
    }
  }

  return {
    seal(shown) {
      const plain = Buffer.alloc(blockBytes);
      plain.writeUInt8(lineKinds[shown.kind]);
      if (shown.kind === 'vent') writeVent(plain, 1, shown.number, shown.totals);
      else if (shown.kind === 'thread') writeThread(plain, 1, shown.ventId, shown.no);
      else if (shown.kind === 'thanks') plain.writeUInt32BE(shown.number, 1);
      else if (shown.kind === 'account') plain.writeUIntBE(shown.mark, 1, markBytes);
      else plain.writeBigInt64BE(shown.kind === 'match' ? shown.pairId : shown.noticeId, 1);
      return block.encrypt(plain).toString('base64url');
    },

    open(key) {
      const bytes = Buffer.from(key, 'base64url');
      if (bytes.length !== blockBytes) return null;
      const plain = block.decrypt(bytes);
      const found = read(plain);
      return found && plain.subarray(1 + found.bytes).every((byte) => byte === 0) ? found.shown : null;
    },
  };
}
