import { reactionTypes, type ReactionCounts, type ReactionType } from '@unsaid/contract';
import { createBox } from '../platform/boxes.ts';
import { addDays, dayInIndia, type Clock } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Keys } from '../platform/keys.ts';
import type { Person } from '../platform/persons.ts';
import { countCommentsAfter, type WatchedVent } from './own-vents.queries.ts';
import type { OwnVents } from './own-vents.ts';

/**
 * "Since you were here", computed and not stored: what one's newest vents have now is compared with a cursor that this
 * server encrypts and the browser keeps. A visit writes nothing, and nobody's gift writes anything of the author's.
 */
export interface SinceService {
  since(
    person: Person,
    userId: bigint,
    cursor: string | undefined,
  ): Promise<{ since: Gifts; cursor: string }>;
}

type Gifts = ReactionCounts & { comments: number };

/** What one vent had: reactions of others, and the number of its newest comment. */
interface Totals extends ReactionCounts {
  readonly lastNo: number;
}

/** By the vent's number among its author's own. */
type Seen = ReadonlyMap<number, Totals>;

interface SinceDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly own: OwnVents;
  /** The asker's own reactions: what authors give themselves is no news to them. */
  reactionsOf(
    person: Person,
    ventIds: readonly bigint[],
  ): Promise<ReadonlyMap<bigint, readonly ReactionType[]>>;
}

/** Without a cursor, as on a new phone, the comments of a week count as new. */
const newWithoutCursorDays = 7;

export function createSinceService({ db, clock, keys, own, reactionsOf }: SinceDeps): SinceService {
  const codec = createCursorCodec(keys);

  return {
    async since(person, userId, cursor) {
      const before = cursor === undefined ? null : codec.open(cursor, userId);
      const watched = await own.watched(person);
      const mine = await reactionsOf(
        person,
        watched.map(({ vent }) => vent.id),
      );
      const now = new Map(
        watched.map(({ number, vent }) => [number, totalsOf(vent, mine.get(vent.id) ?? [])]),
      );
      const since: Gifts = { heart: 0, hug: 0, listen: 0, comments: 0 };
      const newestSeen = before ? Math.max(0, ...before.keys()) : 0;
      const unread: { id: bigint; afterNo: number }[] = [];
      for (const { number, vent } of watched) {
        const then = before?.get(number);
        // Too old to be in the cursor, and back among the newest because others were deleted: nothing is known of it.
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
/** All are of one size: how many vents somebody has must not be read off a phone's storage. */
const cursorBytes = 64 * entryBytes;

function createCursorCodec(keys: Keys) {
  const box = createBox(keys.current('since/1').key);
  const contextOf = (userId: bigint) => Buffer.from(String(userId));
  return {
    seal(seen: Seen, userId: bigint): string {
      const plain = Buffer.alloc(cursorBytes);
      for (const [index, [number, totals]] of [...seen].entries()) {
        const at = index * entryBytes;
        plain.writeUInt32BE(number, at);
        for (const [n, value] of [totals.heart, totals.hug, totals.listen, totals.lastNo].entries())
          plain.writeUInt32BE(Math.max(0, value), at + 4 + n * 4);
      }
      return box.seal(plain, contextOf(userId)).toString('base64url');
    },
    /** Null for what is not a cursor of this account. */
    open(cursor: string, userId: bigint): Seen | null {
      const plain = box.open(Buffer.from(cursor, 'base64url'), contextOf(userId));
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
