import type { PublicName } from '../kernel/people.ts';
import { today, type Day } from '../platform/clock.ts';
import type { MatchingContext } from './context.ts';
import * as queries from './matches.queries.ts';
import { isClosedOn } from './matches.state.ts';
import type { PairForUser } from './matches.view.ts';
import type { Side } from './pair-details.ts';
import {
  hasTheirYes,
  isLive,
  isTakenBack,
  nextSequence,
  openWeeks,
  storedWeeks,
  type PairView,
} from './pair-view.ts';

/** Reads pairs from one person's side: decrypted, and with the names that person may see. */

/** Null for a pair of others, and for one that does not open. */
export function viewPair(
  { cipher, clock, pairKeys }: MatchingContext,
  row: queries.PairRow,
  userId: bigint,
): PairView | null {
  const [aId, bId] = [pairKeys.decode(row.aKey), pairKeys.decode(row.bKey)];
  if (userId !== aId && userId !== bId) return null;
  const details = cipher.open(row);
  if (!details) return null;
  const { a, b, closesOn } = details;
  const side: Side = userId === aId ? 'a' : 'b';
  const [mine, theirs] = side === 'a' ? [a, b] : [b, a];
  return {
    row,
    details,
    side,
    mine,
    theirs,
    otherId: side === 'a' ? bId : aId,
    isOwn: row.isAskedByA === (side === 'a'),
    state: {
      mine: mine.answer,
      theirs: theirs.answer,
      isClosed: isClosedOn(today(clock), { a: a.answer, b: b.answer, closesOn }),
    },
  };
}

/** In the order of the people. */
async function listOfWeeks(
  ctx: MatchingContext,
  userIds: readonly bigint[],
  weeks: readonly Day[],
): Promise<PairView[][]> {
  const rows = await queries.listPairs(ctx.db, ctx.pairKeys.encodeAll(userIds, weeks));
  const byPerson = Map.groupBy(rows, ({ position }) => Math.floor(position / weeks.length));
  return userIds.map((userId, n) =>
    (byPerson.get(n) ?? []).flatMap((row) => viewPair(ctx, row, userId) ?? []),
  );
}

/** All stored pairs of a person, ended ones included. */
export async function listAllPairs(ctx: MatchingContext, userId: bigint): Promise<PairView[]> {
  return (await listOfWeeks(ctx, [userId], storedWeeks(today(ctx.clock)))).flat();
}

/** Open and mutual pairs, and those the person has rejected but that are not closed yet. */
export async function listLivePairs(ctx: MatchingContext, userId: bigint): Promise<PairView[]> {
  return (await listLivePairsOfMany(ctx, [userId])).flat();
}

/** The same for several people in one statement, in their order. */
export async function listLivePairsOfMany(
  ctx: MatchingContext,
  userIds: readonly bigint[],
): Promise<PairView[][]> {
  const all = await listOfWeeks(ctx, userIds, openWeeks(today(ctx.clock)));
  return all.map((pairs) => pairs.filter(({ state }) => !state.isClosed));
}

/** For an answer of today. Counts the pairs of both people: each sees answers in the order in which they arrived. */
export async function nextSequenceOf(ctx: MatchingContext, { row }: PairView): Promise<number> {
  const both = [row.aKey, row.bKey].map(ctx.pairKeys.decode);
  const day = today(ctx.clock);
  const pairs = await listOfWeeks(ctx, both, openWeeks(day));
  return nextSequence(
    pairs.flat().map(({ details }) => details),
    day,
  );
}

/** Leaves out pairs with an account that is being deleted. Reads the names unless they are given. */
export async function toPairsFor(
  { ports, publicIds }: MatchingContext,
  userId: bigint,
  pairs: readonly PairView[],
  given?: ReadonlyMap<bigint, PublicName>,
): Promise<PairForUser[]> {
  const names = given ?? (await ports.people.names([userId, ...pairs.map(({ otherId }) => otherId)]));
  const me = names.get(userId);
  return pairs.flatMap((pair) => {
    const { otherId } = pair;
    const other = names.get(otherId);
    if (!me || !other) return [];
    return [
      {
        id: pair.row.id,
        me: { ...me, shownId: publicIds.user.encode(userId) },
        other: {
          ...(isLive(pair) ? other : (pair.mine.seen ?? other)),
          shownId: publicIds.peer.encode(pair.row.id),
        },
        otherId,
        isMeFirst: userId < otherId,
        state: pair.state,
        hasTheirYes: hasTheirYes(pair),
        isTakenBack: isTakenBack(pair),
        basis: pair.details,
      },
    ];
  });
}
