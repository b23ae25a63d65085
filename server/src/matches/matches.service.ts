import { randomBytes, randomInt } from 'node:crypto';
import {
  limits,
  type MatchHistoryItem,
  type MatchStatus,
  type MatchSuggestion,
  type PendingMatch,
} from '@unsaid/contract';
import { addDays, today, type Clock, type Day } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Keys } from '../platform/keys.ts';
import type { Seals } from '../platform/seals.ts';
import type { MatchFacts, ProfilesService } from '../profiles/profiles.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { StandingService } from '../standing/standing.service.ts';
import { noFeelings } from './emotion-space.ts';
import { inTurn, roomFor } from './matches.choice.ts';
import type { Candidate, Matchmaker } from './matchmaker.service.ts';
import * as queries from './matches.queries.ts';
import { answer, isClosedOn, statusFor, type Answer, type Stance, type Wish } from './matches.state.ts';
import { historyView, pendingView, suggestionView, type SeenPair } from './matches.view.ts';
import { createPairBox } from './pair-details.ts';

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

/** Without two yeses a pair closes after this; the days begin again with the first yes. */
const openDays = 14;
/**
 * How long two people are not suggested to each other again after it closed. One rule for a no and for no answer: with
 * two, the day on which somebody comes back would tell whether they had said no.
 */
const apartDays = 90;
const historyLength = 100;
/** More candidates are tried than are needed: some have no place left. */
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

  function sideOf(pair: queries.PairRow, key: Buffer): 'a' | 'b' {
    return pair.aKey.equals(key) ? 'a' : 'b';
  }

  function stanceOf(pair: queries.PairRow, key: Buffer): Stance {
    const [a, b] = [pair.aAnswer as Answer, pair.bAnswer as Answer];
    const [mine, theirs] = sideOf(pair, key) === 'a' ? [a, b] : [b, a];
    return { mine, theirs, isClosed: isClosedOn(today(clock), { a, b, closesOn: pair.closesOn }) };
  }

  const isSuggested = ({ mine, isClosed }: Stance) => mine === 'none' && !isClosed;

  const otherIn = (pair: queries.PairRow, key: Buffer) =>
    seals.openPairKey(sideOf(pair, key) === 'a' ? pair.bKey : pair.aKey);

  /** Open or mutual: the two may see each other's profile and name as they are now. */
  const isLive = ({ mine, theirs, isClosed }: Stance) =>
    (mine === 'yes' && theirs === 'yes') || (mine !== 'no' && !isClosed);

  /** A pair with somebody who is leaving at this moment is not in it. */
  async function seeAll(userId: bigint, pairs: readonly queries.PairRow[]): Promise<SeenPair[]> {
    const key = seals.pairKey(userId);
    const names = await profiles.names([userId, ...pairs.map((pair) => otherIn(pair, key))]);
    const me = names.get(userId);
    return pairs.flatMap((pair) => {
      const otherId = otherIn(pair, key);
      const other = names.get(otherId);
      if (!me || !other) return [];
      const stance = stanceOf(pair, key);
      const details = box.open(pair.details, pair.aKey, pair.bKey);
      const shown = isLive(stance) ? other : (details.seenBy?.[sideOf(pair, key)] ?? other);
      return [
        {
          id: pair.id,
          me: { ...me, shownId: seals.user.seal(userId) },
          other: { ...shown, shownId: seals.peer.seal(pair.id) },
          isMeFirst: userId < otherId,
          stance,
          details,
        },
      ];
    });
  }

  function newPair(userId: bigint, candidate: Candidate): queries.NewPair {
    const mine = seals.pairKey(userId);
    const theirs = seals.pairKey(candidate.userId);
    const isAskedByA = mine.compare(theirs) < 0;
    const [aKey, bKey] = isAskedByA ? [mine, theirs] : [theirs, mine];
    const closesOn = addDays(today(clock), openDays);
    return {
      id: drawPairNumber(),
      aKey,
      bKey,
      isAskedByA,
      madeOn: today(clock),
      closesOn,
      forgetOn: addDays(closesOn, apartDays),
      details: box.seal(candidate.details(), aKey, bKey),
    };
  }

  /** Makes pairs of a batch of candidates, as far as there is room on both sides. Gives whether I have room for more. */
  async function pairUp(me: MatchFacts, batch: readonly Candidate[]): Promise<boolean> {
    const suspended = await standing.suspendedAmong(batch.map(({ person }) => person));
    const allowed = batch.filter(({ person }) => !suspended.has(person));
    const keyOf = ({ userId }: { readonly userId: bigint }) => seals.pairKey(userId);
    return transaction(db.matching, async (tx) => {
      await queries.lockPeople(tx, [keyOf(me), ...allowed.map(keyOf)]);
      const [places, left] = await Promise.all([
        queries.countPlaces(tx, [keyOf(me), ...allowed.map(keyOf)], today(clock)),
        // Leaving is marked before pairs are deleted under these locks: so either the mark is seen here, or the pair
        // that is made now is deleted afterwards.
        slots.leftAmong([me.person, ...allowed.map(({ person }) => person)]),
      ]);
      if (left.has(me.person)) return false;
      const placesOf = (one: { readonly userId: bigint }) =>
        places.get(keyOf(one).toString('hex')) ?? noPlaces;
      const room = roomIn(me, placesOf(me));
      const chosen = inTurn(
        allowed.filter(({ person }) => !left.has(person)),
        (one) => placesOf(one).others,
      );
      await queries.insertPairs(
        tx,
        chosen.slice(0, room).map((one) => newPair(me.userId, one)),
      );
      return chosen.length < room;
    });
  }

  const roomIn = (me: MatchFacts, { own, madeToday }: queries.Places) =>
    roomFor(
      {
        isNamed: me.feelings !== noFeelings,
        isNewAccount: me.createdOn > addDays(today(clock), -newAccountDays),
      },
      { waiting: own, madeToday },
    );

  async function topUp(me: MatchFacts): Promise<void> {
    const met = await queries.listMet(db.matching, seals.pairKey(me.userId));
    const candidates = await matchmaker.search(me, new Set(met.map(seals.openPairKey)));
    const size = limits.openSuggestions + spare;
    for (let round = 0; round < mostRounds && round * size < candidates.length; round += 1) {
      const hasRoom = await pairUp(me, candidates.slice(round * size, (round + 1) * size));
      if (!hasRoom) return;
    }
  }

  /** What my own searches have made, by the pairs I am in. */
  function countMine(pairs: readonly queries.PairRow[], key: Buffer): queries.Places {
    const own = pairs.filter((pair) => pair.isAskedByA === (sideOf(pair, key) === 'a'));
    const waiting = (some: readonly queries.PairRow[]) =>
      some.filter((pair) => isSuggested(stanceOf(pair, key))).length;
    return {
      own: waiting(own),
      others: waiting(pairs) - waiting(own),
      madeToday: own.filter(({ madeOn }) => madeOn === today(clock)).length,
    };
  }

  /** Somebody's open suggestions, after filling up. */
  async function fill(userId: bigint): Promise<queries.PairRow[]> {
    const key = seals.pairKey(userId);
    const open = (pairs: readonly queries.PairRow[]) =>
      pairs.filter((pair) => isSuggested(stanceOf(pair, key)));
    const [pairs, me] = await Promise.all([
      queries.listLivePairs(db.matching, key, today(clock)),
      profiles.matchFacts(userId),
    ]);
    if (!me || roomIn(me, countMine(pairs, key)) === 0) return open(pairs);
    await topUp(me);
    return open(await queries.listLivePairs(db.matching, key, today(clock)));
  }

  /** When one of the two answered: the day, and the place among the answers of that day. */
  function answeredAt(pair: queries.PairRow, key: Buffer, whose: 'mine' | 'theirs'): Moment {
    const isA = (sideOf(pair, key) === 'a') === (whose === 'mine');
    return isA
      ? { day: pair.aAnsweredOn ?? '', order: pair.aOrder ?? 0 }
      : { day: pair.bAnsweredOn ?? '', order: pair.bOrder ?? 0 };
  }

  function newestFirst(pairs: readonly queries.PairRow[], key: Buffer, whose: 'mine' | 'theirs') {
    return pairs.toSorted((one, other) => later(answeredAt(other, key, whose), answeredAt(one, key, whose)));
  }

  /** When it came to this. */
  function momentOf(pair: queries.PairRow, key: Buffer, status: MatchStatus): Moment {
    const [mine, theirs] = [answeredAt(pair, key, 'mine'), answeredAt(pair, key, 'theirs')];
    if (status === 'accepted') return later(mine, theirs) > 0 ? mine : theirs;
    return status === 'closed' ? { day: pair.closesOn, order: mine.order } : mine;
  }

  /** What one never answered is nothing that happened. */
  function isPast(pair: queries.PairRow, key: Buffer): boolean {
    const { mine, theirs, isClosed } = stanceOf(pair, key);
    return mine !== 'none' && !isForgotten(pair) && (mine === 'no' || theirs === 'yes' || isClosed);
  }

  /** The nightly job deletes it; until then it is as good as deleted. */
  const isForgotten = ({ forgetOn }: queries.PairRow) => forgetOn !== null && forgetOn <= today(clock);

  async function listHistory(userId: bigint): Promise<MatchHistoryItem[]> {
    const key = seals.pairKey(userId);
    const pairs = await queries.listPairs(db.matching, key);
    const past = pairs
      .filter((pair) => isPast(pair, key))
      .map((pair) => {
        const status = statusFor(stanceOf(pair, key)) ?? 'closed';
        return { pair, status, ...momentOf(pair, key, status) };
      })
      .toSorted((one, other) => later(other, one))
      .slice(0, historyLength);
    const seen = await seeAll(
      userId,
      past.map(({ pair }) => pair),
    );
    const byId = new Map(past.map(({ pair, status, day }) => [pair.id, { status, day }]));
    return seen.map((one) => historyView(one, byId.get(one.id) ?? { status: 'closed', day: '' }, seals));
  }

  return {
    async suggestions(viewer) {
      const seen = await seeAll(viewer.userId, await fill(viewer.userId));
      return seen
        .toSorted((a, b) => b.details.score - a.details.score || Number(a.id - b.id))
        .map((pair) => suggestionView(pair, seals));
    },

    async pending(viewer) {
      const key = seals.pairKey(viewer.userId);
      const waiting = await queries.listLivePairs(db.matching, key, today(clock));
      const received = waiting.filter((pair) => {
        const { mine, theirs } = stanceOf(pair, key);
        return mine === 'none' && theirs === 'yes';
      });
      const sent = waiting.filter((pair) => statusFor(stanceOf(pair, key)) === 'pending');
      const [fromOthers, fromMe] = await Promise.all([
        seeAll(viewer.userId, newestFirst(received, key, 'theirs')),
        seeAll(viewer.userId, newestFirst(sent, key, 'mine')),
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
        const pair = (await queries.lockPair(tx, id, key)) ?? (await queries.lockPair(tx, id, key));
        if (!pair || isForgotten(pair)) throw new AppError('MATCH_NOT_FOUND');
        const stance = stanceOf(pair, key);
        const outcome = answer(stance, wish);
        if (outcome === 'too_late') throw new AppError('MATCH_CLOSED');
        if (outcome === 'repeat') return;
        const other = (await profiles.names([otherIn(pair, key)])).get(otherIn(pair, key));
        const details = box.open(pair.details, pair.aKey, pair.bKey);
        await queries.recordAnswer(tx, pair.id, sideOf(pair, key), {
          answer: outcome,
          today: today(clock),
          order: await queries.nextOrder(tx, pair, today(clock)),
          ...daysAfter(outcome, stance, pair, today(clock)),
          details: box.seal(
            { ...details, seenBy: { ...details.seenBy, ...(other ? { [sideOf(pair, key)]: other } : {}) } },
            pair.aKey,
            pair.bKey,
          ),
        });
      });
    },

    async findPeer(viewer, shownId) {
      const key = seals.pairKey(viewer.userId);
      // One statement whether or not the id opens, so that a forged one takes no other path.
      const pair = await queries.findPair(db.matching, seals.peer.open(shownId) ?? -1n, key);
      return pair && isLive(stanceOf(pair, key)) ? otherIn(pair, key) : null;
    },

    async topUpRecent() {
      const recent: bigint[] = [];
      for await (const batch of profiles.seenSince(addDays(today(clock), -recentDays))) recent.push(...batch);
      // In a random order, so that it says nothing of who came when, and begins with others every night.
      const shuffled = recent
        .map((userId) => ({ userId, at: randomInt(2 ** 47) }))
        .toSorted((a, b) => a.at - b.at);
      for (const { userId } of shuffled.slice(0, mostTopUps)) await fill(userId);
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
      const key = seals.pairKey(userId);
      const pairs = await queries.listPairs(db.matching, key);
      const seen = await seeAll(
        userId,
        pairs.filter((pair) => isPast(pair, key) || !stanceOf(pair, key).isClosed),
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
        await queries.lockPeople(tx, [key]);
        await queries.lockSettling(tx, 'delete');
        await queries.deletePairsOf(tx, key);
      }),
  };
}

interface Moment {
  readonly day: Day;
  readonly order: number;
}

/** Above 0 where the first came later. */
function later(one: Moment, other: Moment): number {
  return one.day.localeCompare(other.day) || one.order - other.order;
}

/** How long it stays open and is remembered after an answer. A no moves neither day, so that it cannot be found out. */
function daysAfter(
  given: Answer,
  { theirs }: Stance,
  { closesOn, forgetOn }: queries.PairRow,
  day: Day,
): { closesOn: Day; forgetOn: Day | null } {
  if (given === 'yes' && theirs === 'yes') return { closesOn, forgetOn: null };
  if (given === 'no') return { closesOn, forgetOn };
  const closes = addDays(day, openDays);
  return { closesOn: closes, forgetOn: addDays(closes, apartDays) };
}

const noPlaces: queries.Places = { own: 0, others: 0, madeToday: 0 };

/** 63 random bits. */
const drawPairNumber = () => randomBytes(8).readBigUInt64BE() >> 1n;
