import type { MatchHistoryItem, PendingMatch } from '@unsaid/contract';
import { today, type Clock } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { PublicIds } from '../pseudonyms/public-ids.ts';
import type { PairKeys } from './pair-keys.ts';
import * as queries from './matches.queries.ts';
import { statusFor } from './matches.state.ts';
import { historyView, pendingView } from './matches.view.ts';
import type { PairReader } from './pair-reader.service.ts';
import {
  compareMoments,
  hasTheirYes,
  isInHistory,
  isLive,
  lastChangeOf,
  saidYesAt,
  type PairView,
} from './pair-view.ts';

/** Reads a person's answered pairs: pending, past, and for the data export. */
export interface MatchHistoryService {
  listPending(viewer: Viewer): Promise<{ receivedMatches: PendingMatch[]; sentMatches: PendingMatch[] }>;
  listPast(viewer: Viewer): Promise<MatchHistoryItem[]>;
  /** The account behind a peer id, while the pair is open or mutual. */
  findPeer(viewer: Viewer, shownId: string): Promise<bigint | null>;
  exportPairs(userId: bigint): Promise<unknown>;
}

const historyLength = 100;

interface MatchHistoryDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly publicIds: PublicIds;
  readonly pairKeys: PairKeys;
  readonly pairs: PairReader;
}

export function createMatchHistoryService({
  db,
  clock,
  publicIds,
  pairKeys,
  pairs,
}: MatchHistoryDeps): MatchHistoryService {
  return {
    async listPending({ userId }) {
      const live = await pairs.listLive(db.matching, pairKeys.encode(userId));
      const received = live.filter((pair) => pair.state.mine === 'none' && hasTheirYes(pair));
      const sent = live.filter(({ state }) => statusFor(state) === 'pending');
      const [fromOthers, fromMe] = await Promise.all([
        pairs.toPairsFor(userId, newestFirst(received, 'theirs')),
        pairs.toPairsFor(userId, newestFirst(sent, 'mine')),
      ]);
      return {
        receivedMatches: fromOthers.map((pair) => pendingView(pair, 'other', publicIds)),
        sentMatches: fromMe.map((pair) => pendingView(pair, 'me', publicIds)),
      };
    },

    async listPast({ userId }) {
      const past = (await pairs.listAll(pairKeys.encode(userId)))
        .filter((pair) => isInHistory(pair, today(clock)))
        .map((pair) => {
          const status = statusFor(pair.state) ?? 'closed';
          return { pair, status, ...lastChangeOf(pair, status) };
        })
        .toSorted((one, other) => compareMoments(other, one))
        .slice(0, historyLength);
      const shown = await pairs.toPairsFor(
        userId,
        past.map(({ pair }) => pair),
      );
      const byId = new Map(past.map(({ pair, status, day }) => [pair.row.id, { status, day }]));
      return shown.map((pair) =>
        historyView(pair, byId.get(pair.id) ?? { status: 'closed', day: '' }, publicIds),
      );
    },

    async findPeer(viewer, shownId) {
      const key = pairKeys.encode(viewer.userId);
      // The same statement for a forged id, so that its timing does not differ.
      const row = await queries.findPair(db.matching, publicIds.peer.decode(shownId) ?? -1n, key);
      const pair = row && pairs.view(row, key);
      return pair && isLive(pair) ? pairs.otherIn(pair) : null;
    },

    async exportPairs(userId) {
      const all = await pairs.listAll(pairKeys.encode(userId));
      const shown = await pairs.toPairsFor(
        userId,
        all.filter((pair) => isInHistory(pair, today(clock)) || !pair.state.isClosed),
      );
      // Sorted by random id: in row order, a recently written row would reveal that the other has answered.
      return shown
        .toSorted((one, other) => Number(one.id - other.id))
        .map(({ other, state, isTakenBack, basis }) => ({
          with: other.username ?? 'Anonymous',
          status: statusFor(state) ?? 'suggested',
          takenBack: isTakenBack,
          matchScore: basis.score,
          commonEmotions: basis.emotions,
        }));
    },
  };
}

const newestFirst = (pairs: readonly PairView[], whose: 'mine' | 'theirs') =>
  pairs.toSorted((one, other) => compareMoments(saidYesAt(other, whose), saidYesAt(one, whose)));
