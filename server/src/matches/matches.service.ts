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
import type { ProfilesService } from '../profiles/profiles.service.ts';
import type { MatchPlaces } from './match-places.service.ts';
import { drawShuffle } from './match-profile.codec.ts';
import type { Matchmaker, Proposal } from './matchmaker.service.ts';
import * as queries from './matches.queries.ts';
import { answer, isClosedOn, statusFor, type Answer, type Stance, type Wish } from './matches.state.ts';
import { historyView, pendingView, suggestionView, type SeenPair } from './matches.view.ts';
import { createPairBox, type PairDetails } from './pair-details.ts';

export interface MatchesService {
  /** Topped up to ten first, if there is anybody. */
  suggestions(viewer: Viewer): Promise<MatchSuggestion[]>;
  pending(viewer: Viewer): Promise<{ receivedMatches: PendingMatch[]; sentMatches: PendingMatch[] }>;
  history(viewer: Viewer): Promise<MatchHistoryItem[]>;
  answer(viewer: Viewer, sealedId: string, wish: Wish): Promise<void>;
  /** Suggestions for those who were here lately, so that they are there when they come back. */
  topUpRecent(): Promise<void>;
  /** Pairs that are over, and so long ago that the two may meet again. */
  forgetOld(): Promise<void>;
  /** What an export says of somebody's pairs. */
  exportPairs(userId: bigint): Promise<unknown>;
  erase(userId: bigint): Promise<void>;
}

/** Without two yeses a pair closes after this; the days begin anew with the first yes. */
const openDays = 14;
/** How long two people are not shown to each other again. */
const lapsedDays = 30;
const rejectedDays = 90;
const historyLength = 100;
/** How many more are tried than are needed: some will have ten waiting for them already. */
const spare = 10;
const mostRounds = 5;
const recentDays = 2;
/** The nightly round ends after so many; the others are served when they ask. */
const mostTopUps = 50_000;

interface MatchesDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly seals: Seals;
  readonly places: MatchPlaces;
  readonly matchmaker: Matchmaker;
  readonly profiles: ProfilesService;
}

export function createMatchesService(deps: MatchesDeps): MatchesService {
  const { db, clock, keys, seals, places, matchmaker, profiles } = deps;
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

  /** With names as they are now; a pair with somebody who is leaving at this moment is not in it. */
  async function seeAll(userId: bigint, pairs: readonly queries.PairRow[]): Promise<SeenPair[]> {
    const key = seals.pairKey(userId);
    const names = await profiles.names([userId, ...pairs.map((pair) => otherIn(pair, key))]);
    const me = names.get(userId);
    return pairs.flatMap((pair) => {
      const otherId = otherIn(pair, key);
      const other = names.get(otherId);
      if (!me || !other) return [];
      return [
        {
          id: pair.id,
          me: { userId, ...me },
          other: { userId: otherId, ...other },
          stance: stanceOf(pair, key),
          details: detailsFor(pair, key),
        },
      ];
    });
  }

  /**
   * What was made when little was known is made anew, once, after the first rebuild that knows enough of both:
   * more often, and somebody who never says much could feel their way along what the other vents. Nobody has said
   * yes by then; a no does not stop it, or whoever was refused would see that one pair alone stays as it was.
   */
  async function remakeThin(userId: bigint, pairs: readonly queries.PairRow[]): Promise<boolean> {
    const thin = pairs.filter((pair) => pair.isThin && pair.aAnswer !== 'yes' && pair.bAnswer !== 'yes');
    if (thin.length === 0) return false;
    const generation = await queries.currentGeneration(db.matching);
    const old = thin.filter((pair) => pair.generation < generation);
    if (old.length === 0) return false;
    const key = seals.pairKey(userId);
    const judged = await matchmaker.judge(
      userId,
      old.map((pair) => otherIn(pair, key)),
    );
    for (const pair of old) {
      const found = judged.get(otherIn(pair, key));
      const isKnown = found && !found.isThin;
      await queries.remakePair(db.matching, pair, {
        isThin: !isKnown,
        generation,
        details: isKnown ? sealAnew(found.details, pair) : pair.details,
      });
    }
    return true;
  }

  /** Whoever has said no goes on seeing the score they said it to. */
  function sealAnew(
    details: PairDetails,
    { aKey, bKey, aAnswer, bAnswer, details: sealed }: queries.PairRow,
  ) {
    const by = aAnswer === 'no' ? 'a' : bAnswer === 'no' ? 'b' : null;
    const refused = by ? { refused: { by, score: box.open(sealed, aKey, bKey).score } as const } : {};
    return box.seal({ ...details, ...refused }, aKey, bKey);
  }

  function detailsFor(pair: queries.PairRow, key: Buffer): PairDetails {
    const details = box.open(pair.details, pair.aKey, pair.bKey);
    return details.refused?.by === sideOf(pair, key) ? { ...details, score: details.refused.score } : details;
  }

  function newPair(userId: bigint, proposal: Proposal): queries.NewPair {
    const { isThin, generation, details } = proposal.judge();
    const two = [seals.pairKey(userId), seals.pairKey(proposal.userId)].toSorted((a, b) => a.compare(b));
    const [aKey, bKey] = two as [Buffer, Buffer];
    const closesOn = addDays(today(clock), openDays);
    return {
      id: seals.pairNumber(aKey, bKey),
      aKey,
      bKey,
      closesOn,
      forgetOn: addDays(closesOn, lapsedDays),
      isThin,
      generation,
      details: box.seal(details, aKey, bKey),
    };
  }

  /** Nobody gets more than ten to answer, neither who asks nor whom they get. */
  async function pairUp(userId: bigint, proposals: readonly Proposal[]): Promise<boolean> {
    const everybody = [userId, ...proposals.map((one) => one.userId)];
    return transaction(db.matching, async (tx) => {
      await queries.lockPeople(tx, everybody.map(seals.pairKey));
      const waiting = await queries.countUnanswered(tx, everybody.map(seals.pairKey), today(clock));
      const roomOf = (id: bigint) =>
        limits.openSuggestions - (waiting.get(seals.pairKey(id).toString('hex')) ?? 0);
      // Whoever has left since has no profile any more.
      const rows = await queries.findProfiles(tx, everybody.map(seals.matchKey));
      const there = new Set(seals.openMatchKeys(Buffer.concat(rows.map(({ matchKey }) => matchKey))));
      if (!there.has(userId)) return false;
      const room = roomOf(userId);
      const chosen = proposals.filter((one) => there.has(one.userId) && roomOf(one.userId) > 0);
      await queries.insertPairs(
        tx,
        chosen.slice(0, Math.max(0, room)).map((one) => newPair(userId, one)),
      );
      return chosen.length < room;
    });
  }

  async function topUp(userId: bigint, pairs: readonly queries.PairRow[]): Promise<void> {
    const key = seals.pairKey(userId);
    const known = new Set(pairs.map((pair) => otherIn(pair, key)));
    const [proposals] = await Promise.all([matchmaker.search(userId, known), places.ensure(userId)]);
    const size = limits.openSuggestions + spare;
    for (let round = 0; round < mostRounds && round * size < proposals.length; round += 1) {
      const hasRoom = await pairUp(userId, proposals.slice(round * size, (round + 1) * size));
      if (!hasRoom) return;
    }
  }

  /** Somebody's open suggestions, after filling up. */
  async function fill(userId: bigint): Promise<queries.PairRow[]> {
    const key = seals.pairKey(userId);
    const open = (pairs: readonly queries.PairRow[]) =>
      pairs.filter((pair) => isSuggested(stanceOf(pair, key)));
    let pairs = await queries.listPairs(db.matching, key);
    if (await remakeThin(userId, open(pairs))) pairs = await queries.listPairs(db.matching, key);
    if (open(pairs).length >= limits.openSuggestions) return open(pairs);
    await topUp(userId, pairs);
    return open(await queries.listPairs(db.matching, key));
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
    if (mine === 'none' || isForgottenFor(pair, key)) return false;
    return mine === 'no' || theirs === 'yes' || isClosed;
  }

  /** On a day that depends on one's own answer alone, also where the other said no and the two are kept apart for longer. */
  function isForgottenFor(pair: queries.PairRow, key: Buffer): boolean {
    const { mine, theirs } = stanceOf(pair, key);
    if (mine === 'yes' && theirs === 'yes') return false;
    const until =
      mine === 'no'
        ? addDays(answeredAt(pair, key, 'mine').day, rejectedDays)
        : addDays(pair.closesOn, lapsedDays);
    return until <= today(clock);
  }

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
      const pairs = await queries.listPairs(db.matching, key);
      const waiting = pairs.filter((pair) => !stanceOf(pair, key).isClosed);
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
        // A rebuild may be writing it anew at this moment: then it is there at the second look.
        const pair = (await queries.lockPair(tx, id, key)) ?? (await queries.lockPair(tx, id, key));
        if (!pair || isForgottenFor(pair, key)) throw new AppError('MATCH_NOT_FOUND');
        const stance = stanceOf(pair, key);
        const outcome = answer(stance, wish);
        if (outcome === 'too_late') throw new AppError('MATCH_CLOSED');
        if (outcome === 'repeat') return;
        await queries.recordAnswer(tx, pair.id, sideOf(pair, key), {
          answer: outcome,
          today: today(clock),
          order: await queries.nextOrder(tx, pair, today(clock)),
          ...daysAfter(outcome, stance, pair, today(clock)),
        });
      });
    },

    async topUpRecent() {
      const recent: bigint[] = [];
      for await (const batch of profiles.seenSince(addDays(today(clock), -recentDays))) {
        for (const { userId } of batch) recent.push(userId);
      }
      // In an order that says nothing of who came when, and begins with others every night.
      const shuffled = recent
        .map((userId) => ({ userId, at: drawShuffle() }))
        .toSorted((a, b) => a.at - b.at);
      for (const { userId } of shuffled.slice(0, mostTopUps)) await fill(userId);
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
        await queries.lockRebuild(tx);
        await queries.lockPeople(tx, [key]);
        await queries.deletePairsOf(tx, key);
        await queries.deleteProfile(tx, seals.matchKey(userId));
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

/** How long it stays open and is remembered after an answer. What the other said must not move the day it closes. */
function daysAfter(
  given: Answer,
  { theirs }: Stance,
  { closesOn, forgetOn }: queries.PairRow,
  day: Day,
): { closesOn: Day; forgetOn: Day | null } {
  if (given === 'yes' && theirs === 'yes') return { closesOn, forgetOn: null };
  const latest = (one: Day, other: Day) => (one > other ? one : other);
  if (given === 'yes') {
    const closes = addDays(day, openDays);
    return { closesOn: closes, forgetOn: latest(forgetOn ?? '', addDays(closes, lapsedDays)) };
  }
  return { closesOn, forgetOn: latest(forgetOn ?? '', addDays(day, rejectedDays)) };
}
