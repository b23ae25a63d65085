import { randomBytes } from 'node:crypto';
import { limits, type MatchHistoryItem, type MatchSuggestion, type PendingMatch } from '@unsaid/contract';
import { addDays, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases, type MatchingDb } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Keys } from '../platform/keys.ts';
import type { Seals } from '../platform/seals.ts';
import { secureRandom, shuffle } from '../platform/shuffle.ts';
import type { MatchFacts, ProfilesService } from '../profiles/profiles.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { StandingService } from '../standing/standing.service.ts';
import { noFeelings } from './emotion-space.ts';
import { inTurn, newcomerDays, roomFor } from './matches.choice.ts';
import type { Candidate, Matchmaker } from './matchmaker.service.ts';
import * as queries from './matches.queries.ts';
import { answer, statusFor, type Wish } from './matches.state.ts';
import { historyView, pendingView, suggestionView, type SeenPair } from './matches.view.ts';
import { createPairBox } from './pair-details.ts';
import {
  answeredAt,
  forgottenFrom,
  isForgotten,
  isLive,
  isPast,
  isSuggested,
  lastChange,
  later,
  mostOpenDays,
  newDetails,
  nextOrder,
  shownStatus,
  viewPair,
  withAnswer,
  type PairView,
} from './pair-view.ts';

export interface MatchesService {
  /** Topped up first, if there is anybody and the day's limit allows it. */
  suggestions(viewer: Viewer): Promise<MatchSuggestion[]>;
  pending(viewer: Viewer): Promise<{ receivedMatches: PendingMatch[]; sentMatches: PendingMatch[] }>;
  history(viewer: Viewer): Promise<MatchHistoryItem[]>;
  answer(viewer: Viewer, sealedId: string, wish: Wish): Promise<void>;
  /** Whose id this is to the viewer, while the two are in a pair that is open or mutual. */
  findPeer(viewer: Viewer, shownId: string): Promise<bigint | null>;
  /** Suggestions for those who were here lately, so that they are there when they come back. */
  topUpRecent(): Promise<void>;
  /** Pairs that are over, and so long ago that the two may meet again. */
  forgetOld(): Promise<void>;
  /** Rewrites the day's pairs, so that rows do not lie in the order of writing. */
  settle(options: { readonly isFinal: boolean }): Promise<void>;
  /** What an export says of somebody's pairs. */
  exportPairs(userId: bigint): Promise<unknown>;
  erase(userId: bigint): Promise<void>;
}

const historyLength = 100;
/** How long a pair counts against how often somebody is found. */
const foundDays = 14;
/** More candidates are tried than are needed: some were found too often. */
const spare = 10;
const mostRounds = 5;
/** Accounts of these days make fewer pairs, so that walking through everybody needs many numbers. */
const newAccountDays = 2;
const recentDays = 2;
/** The nightly top-up ends after this many; the others are served when they ask. */
const mostTopUps = 50_000;
const settledAtOnce = 1000;

interface MatchesDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly seals: Seals;
  readonly matchmaker: Matchmaker;
  readonly profiles: ProfilesService;
  readonly slots: Slots;
  readonly standing: StandingService;
}

export function createMatchesService(deps: MatchesDeps): MatchesService {
  const { db, clock, keys, seals, matchmaker, profiles, slots, standing } = deps;
  const box = createPairBox(keys);

  const otherIn = ({ otherKey }: PairView) => seals.openPairKey(otherKey);

  const viewAll = (rows: readonly queries.PairRow[], key: Buffer) =>
    rows.map((row) => viewPair(row, key, { box, today: today(clock) }));

  /** All pairs somebody is in, as long as they are remembered. */
  const listAll = async (key: Buffer) => viewAll(await queries.listPairs(db.matching, key), key);

  /** Those that are open or mutual, on either side's view. */
  async function listLive(on: MatchingDb, key: Buffer): Promise<PairView[]> {
    const rows = await queries.listLivePairs(on, key, addDays(today(clock), -mostOpenDays));
    return viewAll(rows, key).filter(({ stance }) => !stance.isClosed);
  }

  /** A pair with somebody who is leaving at this moment is not in it. */
  async function seeAll(userId: bigint, pairs: readonly PairView[]): Promise<SeenPair[]> {
    const names = await profiles.names([userId, ...pairs.map(otherIn)]);
    const me = names.get(userId);
    return pairs.flatMap((pair) => {
      const otherId = otherIn(pair);
      const other = names.get(otherId);
      if (!me || !other) return [];
      return [
        {
          id: pair.row.id,
          me: { ...me, shownId: seals.user.seal(userId) },
          other: {
            ...(isLive(pair) ? other : (pair.mine.seen ?? other)),
            shownId: seals.peer.seal(pair.row.id),
          },
          isMeFirst: userId < otherId,
          stance: pair.stance,
          details: pair.details,
        },
      ];
    });
  }

  function newPair(userId: bigint, candidate: Candidate): queries.NewPair {
    const mine = seals.pairKey(userId);
    const theirs = seals.pairKey(candidate.userId);
    const isAskedByA = mine.compare(theirs) < 0;
    const [aKey, bKey] = isAskedByA ? [mine, theirs] : [theirs, mine];
    const madeOn = today(clock);
    return {
      id: drawPairNumber(),
      aKey,
      bKey,
      isAskedByA,
      madeOn,
      forgetOn: forgottenFrom(madeOn),
      details: box.seal(newDetails(candidate.details(), madeOn), aKey, bKey),
    };
  }

  /** Makes pairs of a batch of candidates, as far as there is room on both sides. Gives whether I have room for more. */
  async function pairUp(me: MatchFacts, batch: readonly Candidate[]): Promise<boolean> {
    const keyOf = ({ userId }: { readonly userId: bigint }) => seals.pairKey(userId);
    const people = batch.map(({ person }) => person);
    return transaction(db.matching, async (tx) => {
      await queries.lockPeople(
        tx,
        [me, ...batch].map(({ userId }) => seals.pairLock(userId)),
      );
      const [found, live, suspended, left] = await Promise.all([
        queries.countFound(tx, batch.map(keyOf), addDays(today(clock), -foundDays)),
        listLive(tx, keyOf(me)),
        standing.suspendedAmong(people),
        // Leaving is marked before pairs are deleted under these locks: so either the mark is seen here, or the pair that
        // is made now is deleted afterwards.
        slots.leftAmong([me.person, ...people]),
      ]);
      if (left.has(me.person)) return false;
      const room = roomIn(me, live);
      const chosen = inTurn(
        batch.filter(({ person }) => !suspended.has(person) && !left.has(person)),
        (one) => found.get(keyOf(one).toString('hex')) ?? 0,
        { isNewcomer: isNewcomer(me) },
      );
      await queries.insertPairs(
        tx,
        chosen.slice(0, room).map((one) => newPair(me.userId, one)),
      );
      return chosen.length < room;
    });
  }

  const isNewcomer = ({ createdOn }: MatchFacts) => createdOn > addDays(today(clock), -newcomerDays);

  /** How many pairs my own search may still make. */
  function roomIn(me: MatchFacts, live: readonly PairView[]): number {
    const own = live.filter(({ isOwn }) => isOwn);
    return roomFor(
      {
        isNamed: me.feelings !== noFeelings,
        isNewAccount: me.createdOn > addDays(today(clock), -newAccountDays),
      },
      {
        waiting: own.filter(isSuggested).length,
        madeToday: own.filter(({ row }) => row.madeOn === today(clock)).length,
      },
    );
  }

  async function topUp(me: MatchFacts): Promise<void> {
    const met = await queries.listMet(db.matching, seals.pairKey(me.userId));
    const candidates = await matchmaker.search(me, new Set(met.map(seals.openPairKey)));
    const size = limits.openSuggestions + spare;
    for (let round = 0; round < mostRounds && round * size < candidates.length; round += 1) {
      const hasRoom = await pairUp(me, candidates.slice(round * size, (round + 1) * size));
      if (!hasRoom) return;
    }
  }

  /** Somebody's open suggestions, after filling up. */
  async function fill(userId: bigint): Promise<PairView[]> {
    const key = seals.pairKey(userId);
    const [live, me] = await Promise.all([listLive(db.matching, key), profiles.matchFacts(userId)]);
    if (!me || roomIn(me, live) === 0) return live.filter(isSuggested);
    await topUp(me);
    return (await listLive(db.matching, key)).filter(isSuggested);
  }

  const newestFirst = (pairs: readonly PairView[], whose: 'mine' | 'theirs') =>
    pairs.toSorted((one, other) => later(answeredAt(other, whose), answeredAt(one, whose)));

  async function listHistory(userId: bigint): Promise<MatchHistoryItem[]> {
    const past = (await listAll(seals.pairKey(userId)))
      .filter((pair) => isPast(pair, today(clock)))
      .map((pair) => {
        const status = shownStatus(pair) ?? 'closed';
        return { pair, status, ...lastChange(pair, status) };
      })
      .toSorted((one, other) => later(other, one))
      .slice(0, historyLength);
    const seen = await seeAll(
      userId,
      past.map(({ pair }) => pair),
    );
    const byId = new Map(past.map(({ pair, status, day }) => [pair.row.id, { status, day }]));
    return seen.map((one) => historyView(one, byId.get(one.id) ?? { status: 'closed', day: '' }, seals));
  }

  /** Both sides' pairs count: each sees answers in the order in which they came. */
  async function nextOrderOf(tx: MatchingDb, { row }: PairView): Promise<number> {
    const since = addDays(today(clock), -mostOpenDays);
    const rows = [
      ...(await queries.listLivePairs(tx, row.aKey, since)),
      ...(await queries.listLivePairs(tx, row.bKey, since)),
    ];
    return nextOrder(
      rows.map(({ details, aKey, bKey }) => box.open(details, aKey, bKey)),
      today(clock),
    );
  }

  return {
    async suggestions(viewer) {
      const seen = await seeAll(viewer.userId, await fill(viewer.userId));
      return seen
        .toSorted((a, b) => b.details.score - a.details.score || Number(a.id - b.id))
        .map((pair) => suggestionView(pair, seals));
    },

    async pending(viewer) {
      const live = await listLive(db.matching, seals.pairKey(viewer.userId));
      const received = live.filter(({ stance }) => stance.mine === 'none' && stance.theirs === 'yes');
      const sent = live.filter((pair) => shownStatus(pair) === 'pending');
      const [fromOthers, fromMe] = await Promise.all([
        seeAll(viewer.userId, newestFirst(received, 'theirs')),
        seeAll(viewer.userId, newestFirst(sent, 'mine')),
      ]);
      return {
        receivedMatches: fromOthers.map((pair) => pendingView(pair, 'other', seals)),
        sentMatches: fromMe.map((pair) => pendingView(pair, 'me', seals)),
      };
    },

    history: (viewer) => listHistory(viewer.userId),

    async answer(viewer, sealedId, wish) {
      const key = seals.pairKey(viewer.userId);
      await transaction(db.matching, async (tx) => {
        const id = seals.match.open(sealedId) ?? -1n;
        // It may be rewritten at this moment: then it is there at the second look.
        const row = (await queries.lockPair(tx, id, key)) ?? (await queries.lockPair(tx, id, key));
        const [pair] = row ? viewAll([row], key) : [];
        if (!pair || isForgotten(pair, today(clock))) throw new AppError('MATCH_NOT_FOUND');
        const outcome = answer(pair.stance, wish);
        if (outcome === 'too_late') throw new AppError('MATCH_CLOSED');
        if (outcome === 'repeat' || outcome === 'none') return;
        const { details, forgetOn } = withAnswer(pair, outcome, {
          today: today(clock),
          order: await nextOrderOf(tx, pair),
          seen: (await profiles.names([otherIn(pair)])).get(otherIn(pair)) ?? null,
        });
        const { aKey, bKey } = pair.row;
        await queries.updatePair(tx, pair.row.id, { details: box.seal(details, aKey, bKey), forgetOn });
      });
    },

    async findPeer(viewer, shownId) {
      const key = seals.pairKey(viewer.userId);
      // One statement whether or not the id opens, so that a forged one takes no other path.
      const row = await queries.findPair(db.matching, seals.peer.open(shownId) ?? -1n, key);
      const [pair] = row ? viewAll([row], key) : [];
      return pair && isLive(pair) ? otherIn(pair) : null;
    },

    async topUpRecent() {
      const recent: bigint[] = [];
      for await (const batch of profiles.seenSince(addDays(today(clock), -recentDays))) recent.push(...batch);
      // In a random order, so that it says nothing of who came when, and begins with others every night.
      for (const userId of shuffle(recent, secureRandom).slice(0, mostTopUps)) await fill(userId);
    },

    async settle({ isFinal }) {
      for (let after: bigint | null = -1n; after !== null;) {
        const batch: queries.Settling = { after, limit: settledAtOnce, isFinal };
        after = await transaction(db.matching, async (tx) => {
          await queries.lockSettling(tx, 'rewrite');
          return queries.settlePairs(tx, batch);
        });
      }
    },

    forgetOld: () => queries.deleteForgottenPairs(db.matching, today(clock)),

    async exportPairs(userId) {
      const pairs = await listAll(seals.pairKey(userId));
      const seen = await seeAll(
        userId,
        pairs.filter((pair) => isPast(pair, today(clock)) || !pair.stance.isClosed),
      );
      // Not as the rows lie: one that was written lately would tell that the other has answered.
      return seen
        .toSorted((one, other) => Number(one.id - other.id))
        .map(({ other, stance, details }) => ({
          with: other.username ?? 'Anonymous',
          status: statusFor(stance) ?? 'suggested',
          matchScore: details.score,
          commonEmotions: details.emotions,
        }));
    },

    erase: (userId) =>
      transaction(db.matching, async (tx) => {
        const key = seals.pairKey(userId);
        await queries.lockPeople(tx, [seals.pairLock(userId)]);
        await queries.lockSettling(tx, 'delete');
        await queries.deletePairsOf(tx, key);
      }),
  };
}

/** 63 random bits. */
const drawPairNumber = () => randomBytes(8).readBigUInt64BE() >> 1n;
