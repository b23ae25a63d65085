import { reactionTypes, type ReactionCounts, type ReactionType } from '@unsaid/contract';
import { createAead } from '../platform/crypto/aead.ts';
import { addDays, dayInIndia, type Clock } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import type { Person } from '../pseudonyms/person-keys.ts';
import { countCommentsAfter, type WatchedVent } from './authored-vents.queries.ts';
import type { AuthoredVents } from './authored-vents.service.ts';

/**
 * "Since you were here" is computed and not stored. The counters of the newest vents of a person are compared with a
 * cursor that the server encrypts and the browser keeps. So a visit writes nothing, and an interaction writes no row of
 * the vent's author.
 */
export interface SinceService {
  countSince(
    person: Person,
    userId: bigint,
    cursor: string | undefined,
  ): Promise<{ since: InteractionCounts; cursor: string }>;
}

type InteractionCounts = ReactionCounts & { comments: number };

/** Reactions of others to one vent, and the number of its newest comment. */
interface Totals extends ReactionCounts {
  readonly lastNo: number;
}

/** Totals by the number of the vent among its author's own. */
type CursorTotals = ReadonlyMap<number, Totals>;

interface SinceDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly authored: AuthoredVents;
  /** Reactions of authors to their own vents are not new to them, and are subtracted. */
  listMyReactions(
    person: Person,
    ventIds: readonly bigint[],
  ): Promise<ReadonlyMap<bigint, readonly ReactionType[]>>;
}

/** Without a cursor, as in a new browser, the comments of a week count as new. */
const newWithoutCursorDays = 7;

export function createSinceService({ db, clock, keys, authored, listMyReactions }: SinceDeps): SinceService {
  const codec = createCursorCodec(keys);

  return {
    async countSince(person, userId, cursor) {
      const before = cursor === undefined ? null : codec.open(cursor, userId);
      const watched = await authored.listWatched(person);
      const mine = await listMyReactions(
        person,
        watched.map(({ vent }) => vent.id),
      );
      const now = new Map(
        watched.map(({ number, vent }) => [number, totalsOf(vent, mine.get(vent.id) ?? [])]),
      );
      const since: InteractionCounts = { heart: 0, hug: 0, listen: 0, comments: 0 };
      const newestSeen = before ? Math.max(0, ...before.keys()) : 0;
      const unread: { id: bigint; afterNo: number }[] = [];
      for (const { number, vent } of watched) {
        const then = before?.get(number);
        // Not in the cursor, but older than its newest vent: it is among the newest again because others were deleted.
        // Its earlier totals are unknown.
        if (before && !then && number <= newestSeen) continue;
        unread.push({ id: vent.id, afterNo: then?.lastNo ?? 0 });
        if (!before) continue;
        for (const kind of reactionTypes)
          since[kind] += Math.max(0, (now.get(number)?.[kind] ?? 0) - (then?.[kind] ?? 0));
      }
      const fromDay = before ? null : addDays(dayInIndia(clock.now()), -newWithoutCursorDays);
      since.comments = await countCommentsAfter(db.content, unread, fromDay);
      return { since, cursor: codec.seal(now, userId) };
    },
  };
}

function totalsOf(vent: WatchedVent, mine: readonly ReactionType[]): Totals {
  const ofOthers = (kind: ReactionType) => vent[kind] - (mine.includes(kind) ? 1 : 0);
  return { heart: ofOthers('heart'), hug: ofOthers('hug'), listen: ofOthers('listen'), lastNo: vent.lastNo };
}

const entryBytes = 20;
/** Fixed size: the browser's storage must not show how many vents a person has. */
const cursorBytes = 64 * entryBytes;

function createCursorCodec(keys: Keys) {
  const aead = createAead(keys.current('since/1').key);
  const additionalData = (userId: bigint) => Buffer.from(String(userId));
  return {
    seal(seen: CursorTotals, userId: bigint): string {
      const plain = Buffer.alloc(cursorBytes);
      for (const [index, [number, totals]] of [...seen].entries()) {
        const at = index * entryBytes;
        plain.writeUInt32BE(number, at);
        for (const [n, value] of [totals.heart, totals.hug, totals.listen, totals.lastNo].entries())
          plain.writeUInt32BE(Math.max(0, value), at + 4 + n * 4);
      }
      return aead.seal(plain, additionalData(userId)).toString('base64url');
    },
    /** Null for a forged cursor, and for one of another account. */
    open(cursor: string, userId: bigint): CursorTotals | null {
      const plain = aead.open(Buffer.from(cursor, 'base64url'), additionalData(userId));
      if (plain?.length !== cursorBytes) return null;
      const seen = new Map<number, Totals>();
      for (let at = 0; at < cursorBytes; at += entryBytes) {
        const number = plain.readUInt32BE(at);
        const value = (n: number) => plain.readUInt32BE(at + 4 + n * 4);
        if (number > 0)
          seen.set(number, { heart: value(0), hug: value(1), listen: value(2), lastNo: value(3) });
      }
      return seen;
    },
  };
}
