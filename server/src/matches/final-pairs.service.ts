import { randomInt } from 'node:crypto';
import { today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases, type MatchingDb } from '../platform/db.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { PublicIds } from '../pseudonyms/public-ids.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import * as queries from './matches.queries.ts';
import type { PairCipher } from './pair-details.ts';
import { randomPairId, type PairKeys } from './pair-keys.ts';
import type { PairReader } from './pair-reader.service.ts';
import { finalDetails, isExpired, isLive, makeFinal, undoFinal, type PairView } from './pair-view.ts';

/** Pairs of two people who shall not be suggested to each other again, because one of them hid the other. */
export interface FinalPairs {
  /** Ends their pair for good. The other person sees what they would see after a no. Idempotent. */
  make(viewer: Viewer, otherId: bigint): Promise<void>;
  /** They may be suggested again once the usual time is over. Idempotent. */
  undo(viewer: Viewer, otherId: bigint): Promise<void>;
  /** The account behind a peer id: open and mutual pairs only, or any that is still listed. */
  findPeer(viewer: Viewer, peerId: string, which: 'live' | 'listed'): Promise<bigint | null>;
}

interface FinalPairsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly publicIds: PublicIds;
  readonly pairKeys: PairKeys;
  readonly cipher: PairCipher;
  readonly pairs: PairReader;
  readonly profiles: ProfilesService;
  readonly slots: Slots;
}

export function createFinalPairs(deps: FinalPairsDeps): FinalPairs {
  const { db, clock, publicIds, pairKeys, cipher, pairs, profiles, slots } = deps;

  /** Under the locks of both, so that no search makes the pair at the same time. */
  async function withPair(
    viewer: Viewer,
    otherId: bigint,
    change: (tx: MatchingDb, pair: PairView | null, keys: { mine: Buffer; theirs: Buffer }) => Promise<void>,
  ): Promise<void> {
    const [mine, theirs] = [pairKeys.encode(viewer.userId), pairKeys.encode(otherId)];
    await transaction(db.matching, async (tx) => {
      await queries.lockPeople(tx, [viewer.userId, otherId].map(pairKeys.lockOf));
      await queries.lockRewrite(tx, 'delete');
      const [aKey, bKey] = mine.compare(theirs) < 0 ? [mine, theirs] : [theirs, mine];
      const row = await queries.lockPairOf(tx, aKey, bKey);
      await change(tx, row ? pairs.view(row, mine) : null, { mine, theirs });
    });
  }

  async function save(
    tx: MatchingDb,
    { row }: PairView,
    { details, forgetOn }: ReturnType<typeof makeFinal>,
  ): Promise<void> {
    const sealed = cipher.seal(details, row.aKey, row.bKey);
    await queries.updatePair(tx, row.id, { details: sealed, forgetOn });
  }

  /** Leaving is marked before pairs are deleted under the same locks: a pair made here would outlive the account. */
  async function hasLeft(viewer: Viewer, otherId: bigint): Promise<boolean> {
    const other = await profiles.matchFacts(otherId);
    return !other || (await slots.findLeavers([viewer.person, other.person])).size > 0;
  }

  return {
    make: (viewer, otherId) =>
      withPair(viewer, otherId, async (tx, pair, { mine, theirs }) => {
        if (pair?.mine.isFinal) return;
        if (pair) {
          const [order, names] = await Promise.all([pairs.nextSequence(tx, pair), profiles.names([otherId])]);
          const seen = names.get(otherId) ?? null;
          await save(tx, pair, makeFinal(pair, { today: today(clock), order, seen }));
          return;
        }
        if (await hasLeft(viewer, otherId)) return;
        const isMineFirst = mine.compare(theirs) < 0;
        const [aKey, bKey] = isMineFirst ? [mine, theirs] : [theirs, mine];
        const { madeOn, details } = finalDetails(isMineFirst ? 'a' : 'b', today(clock));
        await queries.insertPairs(tx, [
          {
            id: randomPairId(),
            aKey,
            bKey,
            // Nobody searched. It is too old to count for the limits of either.
            isAskedByA: randomInt(2) === 0,
            madeOn,
            forgetOn: null,
            details: cipher.seal(details, aKey, bKey),
          },
        ]);
      }),

    undo: (viewer, otherId) =>
      withPair(viewer, otherId, async (tx, pair) => {
        if (pair?.mine.isFinal) await save(tx, pair, undoFinal(pair));
      }),

    async findPeer(viewer, peerId, which) {
      const key = pairKeys.encode(viewer.userId);
      const row = await queries.findPair(db.matching, publicIds.peer.decode(peerId) ?? -1n, key);
      const pair = row && pairs.view(row, key);
      const isShown = pair && (which === 'live' ? isLive(pair) : !isExpired(pair, today(clock)));
      return isShown ? pairs.otherIn(pair) : null;
    },
  };
}
