import {
  accountEvents,
  limits,
  reactionTypes,
  type AccountEvent,
  type ReactionCounts,
} from '@unsaid/contract';
import { dayMs, startOfDay, type Day } from '../../platform/clock.ts';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { createKeyAead } from '../../platform/crypto/aead.ts';
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

/** As many as a person has slots for. */
const noticesWatched = 16;
/** One of each kind, and some that were seen before. */
const marksWatched = 2 * accountEvents.length;
/** Of the newest own comments more than are watched: numbers have gaps where some were deleted. */
const thanksWatched = 128;

/** Whether the cursor covers thanks to the own comment with this number. */
export const holdsThanks = ({ newestComment }: Pick<Seen, 'newestComment'>, number: number) =>
  number > newestComment - thanksWatched;

export type CursorCodec = ReturnType<typeof createCursorCodec>;

/** Of 64 vents, threads and matches each it is 1,900 to 2,900, with room for as much again of another kind. */
const cursorBytes = 2700;
const mostEntries = Math.max(limits.ventsWatched, limits.commentsWatched, limits.matchesWatched);

/** At most so many entries of a kind, the newest or those that were shown last. */
const toKept = (seen: Seen, most: number) => ({
  ...seen,
  vents: [...seen.vents]
    .toSorted(([a], [b]) => b - a)
    .slice(0, most)
    .map(([number, { heart, hug, listen, no }]) => [number, heart, hug, listen, no] as const),
  threads: [...seen.threads].slice(0, most).map(([ventId, no]) => [Number(ventId), no] as const),
  matches: [...seen.matches].slice(0, most).map(String),
  notices: [...seen.notices].slice(0, noticesWatched).map(String),
  account: [...seen.account].slice(0, marksWatched),
  thanks: [...seen.thanks].filter((number) => holdsThanks(seen, number)),
});

function toSeen({
  vents,
  threads,
  matches,
  notices,
  account,
  thanks,
  ...kept
}: ReturnType<typeof toKept>): Seen {
  return {
    ...kept,
    vents: new Map(vents.map(([number, heart, hug, listen, no]) => [number, { heart, hug, listen, no }])),
    threads: new Map(threads.map(([ventId, no]) => [BigInt(ventId), no])),
    matches: new Set(matches.map(BigInt)),
    notices: new Set(notices.map(BigInt)),
    account: new Set(account),
    thanks: new Set(thanks),
  };
}

export function createCursorCodec(keys: Keys) {
  const aead = createKeyAead(keys, 'inbox/1');
  const owner = (userId: bigint) => Buffer.from(String(userId));
  const plainBytes = cursorBytes - aead.seal(Buffer.alloc(0)).length;

  /** JSON, deflated so that a digit takes half a byte, with zeros after it: the length tells nothing. */
  function write(seen: Seen, most = mostEntries): Buffer {
    const deflated = deflateRawSync(JSON.stringify(toKept(seen, most)), { level: 1 });
    return deflated.length > plainBytes ? write(seen, most - 4) : Buffer.concat([deflated], plainBytes);
  }

  return {
    seal: (seen: Seen, userId: bigint): string => aead.seal(write(seen), owner(userId)).toString('base64url'),

    /** Null for a forged cursor, one of another account, and one of another release. */
    open(cursor: string, userId: bigint): Seen | null {
      const plain = aead.open(Buffer.from(cursor, 'base64url'), owner(userId));
      if (plain?.length !== plainBytes) return null;
      return toSeen(JSON.parse(inflateRawSync(plain).toString()) as ReturnType<typeof toKept>);
    },
  };
}

const ventBytes = 13;
const threadBytes = 10;
const idBytes = 8;
const markBytes = 3;
const numberBytes = 4;
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

/** The first byte of the block. The bytes after the entry are 0. */
const lineKinds = { vent: 1, thread: 2, match: 3, notice: 4, account: 5, thanks: 6 } as const;

/** The key of a line: one AES block under a key of its reader, so that it is short and opens for nobody else. */
export function createLineCodec(readerKey: Buffer) {
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
        return { shown: { kind: 'match', pairId: plain.readBigInt64BE(1) }, bytes: idBytes };
      case lineKinds.notice:
        return { shown: { kind: 'notice', noticeId: plain.readBigInt64BE(1) }, bytes: idBytes };
      case lineKinds.account:
        return { shown: { kind: 'account', mark: plain.readUIntBE(1, markBytes) }, bytes: markBytes };
      case lineKinds.thanks:
        return { shown: { kind: 'thanks', number: plain.readUInt32BE(1) }, bytes: numberBytes };
      default:
        return null;
    }
  }

  return {
    seal(shown: Shown): string {
      const plain = Buffer.alloc(blockBytes);
      plain.writeUInt8(lineKinds[shown.kind]);
      if (shown.kind === 'vent') writeVent(plain, 1, shown.number, shown.totals);
      else if (shown.kind === 'thread') writeThread(plain, 1, shown.ventId, shown.no);
      else if (shown.kind === 'thanks') plain.writeUInt32BE(shown.number, 1);
      else if (shown.kind === 'account') plain.writeUIntBE(shown.mark, 1, markBytes);
      else plain.writeBigInt64BE(shown.kind === 'match' ? shown.pairId : shown.noticeId, 1);
      return block.encrypt(plain).toString('base64url');
    },

    /** Null for the key of another account and for a forged one, but with a probability of 2^-23. */
    open(key: string): Shown | null {
      const bytes = Buffer.from(key, 'base64url');
      if (bytes.length !== blockBytes) return null;
      const plain = block.decrypt(bytes);
      const found = read(plain);
      return found && plain.subarray(1 + found.bytes).every((byte) => byte === 0) ? found.shown : null;
    },
  };
}
