import type { MatchingBase } from '../kernel/base.ts';
import { today } from '../platform/clock.ts';
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
  oldestOpenWeek,
  viewPair,
  type PairView,
} from './pair-view.ts';

/** Reads pairs from one person's side: decrypted, and with the names that person may see. */
export interface PairReader {
  view(row: queries.PairRow, key: Buffer): PairView;
  /** All stored pairs of a person, ended ones included. */
  listAll(key: Buffer): Promise<PairView[]>;
  /** Open and mutual pairs, and those the person has rejected but that are not closed yet. */
  listLive(db: MatchingDb, key: Buffer): Promise<PairView[]>;
  /** The same for several people in one statement, in the order of the keys. */
  listLiveOfMany(keys: readonly Buffer[]): Promise<PairView[][]>;
  otherIn(pair: PairView): bigint;
  /** For an answer of today. Counts the pairs of both people: each sees answers in the order in which they arrived. */
  nextSequence(tx: MatchingDb, pair: PairView): Promise<number>;
  /** Leaves out pairs with an account that is being deleted. Reads the names unless they are given. */
  toPairsFor(
    userId: bigint,
    pairs: readonly PairView[],
    names?: ReadonlyMap<bigint, PublicName>,
  ): Promise<PairForUser[]>;
}

interface PairReaderDeps extends Pick<MatchingBase, 'db' | 'clock' | 'publicIds'> {
  readonly pairKeys: PairKeys;
  readonly cipher: PairCipher;
  readonly people: FindsPeople;
}

export function createPairReader({
  db,
  clock,
  publicIds,
  pairKeys,
  cipher,
  people,
}: PairReaderDeps): PairReader {
  const view = (row: queries.PairRow, key: Buffer) => viewPair(row, key, { cipher, today: today(clock) });
  const otherIn = ({ otherKey }: PairView) => pairKeys.decode(otherKey);

  return {
    view,
    otherIn,

    async listAll(key) {
      const rows = await queries.listPairs(db, key);
      return rows.map((row) => view(row, key));
    },

    async listLive(on, key) {
      const rows = await queries.listLivePairs(on, key, oldestOpenWeek(today(clock)));
      return rows.map((row) => view(row, key)).filter(({ state }) => !state.isClosed);
    },

    async listLiveOfMany(keys) {
      const rows = await queries.listLivePairsOfMany(db, keys, oldestOpenWeek(today(clock)));
      const byPosition = Map.groupBy(rows, ({ position }) => position);
      return keys.map((key, n) =>
        (byPosition.get(n) ?? []).map((row) => view(row, key)).filter(({ state }) => !state.isClosed),
      );
    },

    async nextSequence(tx, { row }) {
      const since = oldestOpenWeek(today(clock));
      const rows = await Promise.all(
        [row.aKey, row.bKey].map((key) => queries.listLivePairs(tx, key, since)),
      );
      return nextSequence(
        rows.flat().map((row) => cipher.open(row)),
        today(clock),
      );
    },

    async toPairsFor(userId, pairs, given) {
      const names = given ?? (await people.names([userId, ...pairs.map(otherIn)]));
      const me = names.get(userId);
      return pairs.flatMap((pair) => {
        const otherId = otherIn(pair);
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
