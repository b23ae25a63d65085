import type { MatchingBase } from '../kernel/base.ts';
import { today, type Day } from '../platform/clock.ts';
import type { MatchingDb } from '../platform/db.ts';
import type { PairKeys } from './pair-keys.ts';
import type { PublicName } from '../kernel/people.ts';
import type { FindsPeople } from './ports.ts';
import * as queries from './matches.queries.ts';
import type { PairForUser } from './matches.view.ts';
import type { PairCipher } from './pair-details.ts';
import {
  hasTheirYes,
  isLive,
  isTakenBack,
  nextSequence,
  openWeeks,
  storedWeeks,
  viewPair,
  type PairView,
} from './pair-view.ts';

/** Reads pairs from one person's side: decrypted, and with the names that person may see. */
export interface PairReader {
  /** Null for a pair of others. */
  view(row: queries.PairRow, userId: bigint): PairView | null;
  /** All stored pairs of a person, ended ones included. */
  listAll(db: MatchingDb, userId: bigint): Promise<PairView[]>;
  /** Open and mutual pairs, and those the person has rejected but that are not closed yet. */
  listLive(db: MatchingDb, userId: bigint): Promise<PairView[]>;
  /** The same for several people in one statement, in their order. */
  listLiveOfMany(db: MatchingDb, userIds: readonly bigint[]): Promise<PairView[][]>;
  /** For an answer of today. Counts the pairs of both people: each sees answers in the order in which they arrived. */
  nextSequence(tx: MatchingDb, pair: PairView): Promise<number>;
  /** Leaves out pairs with an account that is being deleted. Reads the names unless they are given. */
  toPairsFor(
    userId: bigint,
    pairs: readonly PairView[],
    names?: ReadonlyMap<bigint, PublicName>,
  ): Promise<PairForUser[]>;
}

interface PairReaderDeps extends Pick<MatchingBase, 'clock' | 'publicIds'> {
  readonly pairKeys: PairKeys;
  readonly cipher: PairCipher;
  readonly people: FindsPeople;
}

export function createPairReader({ clock, publicIds, pairKeys, cipher, people }: PairReaderDeps): PairReader {
  const view = (row: queries.PairRow, userId: bigint) =>
    viewPair(row, userId, { cipher, pairKeys, today: today(clock) });

  /** In the order of the people. */
  async function list(on: MatchingDb, userIds: readonly bigint[], weeks: readonly Day[]) {
    const rows = await queries.listPairs(on, pairKeys.encodeAll(userIds, weeks));
    const byPerson = Map.groupBy(rows, ({ position }) => Math.floor(position / weeks.length));
    return userIds.map((userId, n) => (byPerson.get(n) ?? []).flatMap((row) => view(row, userId) ?? []));
  }

  async function listLiveOfMany(on: MatchingDb, userIds: readonly bigint[]) {
    const all = await list(on, userIds, openWeeks(today(clock)));
    return all.map((pairs) => pairs.filter(({ state }) => !state.isClosed));
  }

  return {
    view,
    listAll: async (on, userId) => (await list(on, [userId], storedWeeks(today(clock)))).flat(),
    listLive: async (on, userId) => (await listLiveOfMany(on, [userId])).flat(),
    listLiveOfMany,

    async nextSequence(tx, { row }) {
      const both = [row.aKey, row.bKey].map(pairKeys.decode);
      const pairs = await list(tx, both, openWeeks(today(clock)));
      return nextSequence(
        pairs.flat().map(({ details }) => details),
        today(clock),
      );
    },

    async toPairsFor(userId, pairs, given) {
      const names = given ?? (await people.names([userId, ...pairs.map(({ otherId }) => otherId)]));
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
    },
  };
}
