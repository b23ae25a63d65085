import type { MatchingBase } from '../kernel/base.ts';
import { limits, type MatchSuggestion } from '@unsaid/contract';
import { addDays, today } from '../platform/clock.ts';
import { weekOf, weeksFrom } from '../platform/coarse-days.ts';
import { transaction, type MatchingDb } from '../platform/db.ts';
import { rowsOf, type JobRows } from '../platform/job.ts';
import type { Viewer } from '../kernel/viewer.ts';
import { randomPairId, type PairKeys } from './pair-keys.ts';
import { secureRandom, shuffle } from '../platform/shuffle.ts';
import type { MatchFacts } from '../kernel/people.ts';
import type { FindsHidden, FindsLeavers, FindsPeople } from './ports.ts';
import type { StandingService } from '../kernel/standing.ts';
import { newcomerDays, rankFairly, remainingQuota } from './candidate-selection.ts';
import { noFeelings } from './emotion-space.ts';
import * as queries from './matches.queries.ts';
import { suggestionView } from './matches.view.ts';
import type { Candidate, Matchmaker } from './candidate-search.ts';
import type { PairCipher } from './pair-details.ts';
import type { PairReader } from './pairs.ts';
import { sharedInterests } from './shared-interests.ts';
import { isSuggested, newDetails, storedWeeks, type PairView } from './pair-view.ts';

/** Searches candidates and makes pairs of them. */
export interface SuggestionsService {
  /** Adds new suggestions first, as far as the limits allow. */
  list(viewer: Viewer): Promise<MatchSuggestion[]>;
  /** Each night: prepares suggestions for recent visitors. */
  topUpRecent(rows: JobRows): Promise<void>;
}

/** How long a pair counts towards `timesFound` of the person who was found, to the beginning of that week. */
const foundDays = 10;
/** Candidates beyond the number of places in a batch: some were found too often. */
const spareCandidates = 10;
const maxBatches = 5;
/** New accounts make fewer pairs: enumerating everybody then takes many phone numbers. */
const newAccountDays = 2;
const recentDays = 2;
/** Bounds the nightly job; other people get suggestions when they ask. */
const maxTopUps = 50_000;
const searchers = rowsOf('matching', 'searchers', (userId: bigint) => userId);

interface SuggestionsDeps extends Pick<MatchingBase, 'db' | 'clock' | 'publicIds'> {
  readonly pairKeys: PairKeys;
  readonly cipher: PairCipher;
  readonly pairs: PairReader;
  readonly matchmaker: Matchmaker;
  readonly people: FindsPeople;
  readonly hidden: FindsHidden;
  readonly leavers: FindsLeavers;
  readonly standing: StandingService;
}

export function createSuggestionsService(deps: SuggestionsDeps): SuggestionsService {
  const { db, clock, publicIds, pairKeys, cipher, pairs, matchmaker, people, hidden, leavers, standing } =
    deps;
  const isNewcomer = ({ createdOn }: MatchFacts) => createdOn > addDays(today(clock), -newcomerDays);

  function toNewPair(me: MatchFacts, candidate: Candidate): queries.PairRow {
    const madeOn = today(clock);
    const week = weekOf(madeOn);
    const [mine, theirs] = [pairKeys.encode(me.userId, week), pairKeys.encode(candidate.userId, week)];
    const isAskedByA = mine.compare(theirs) < 0;
    const [aKey, bKey] = isAskedByA ? [mine, theirs] : [theirs, mine];
    const columns = { aKey, bKey, isAskedByA, week };
    return {
      id: randomPairId(),
      ...columns,
      details: cipher.seal(newDetails(candidate.basis(), madeOn), columns),
    };
  }

  /** Makes pairs of a batch of candidates within the limits of both sides. Returns whether my quota allows more. */
  async function createPairs(me: MatchFacts, batch: readonly Candidate[]): Promise<boolean> {
    const people = batch.map(({ person }) => person);
    const ids = batch.map(({ userId }) => userId);
    const weeks = weeksFrom(weekOf(addDays(today(clock), -foundDays)), today(clock));
    // Under the locks: what the other schemas say must still be true when the pairs are made.
    const alsoTakes = ['moderation', 'identity', 'content'] as const;
    const create = async (tx: MatchingDb) => {
      await queries.lockPeople(tx, [me.userId, ...ids].map(pairKeys.lockOf));
      const [found, live, suspended, hiding, left] = await Promise.all([
        queries.countTimesFound(tx, pairKeys.encodeAll(ids, weeks), weeks.length),
        pairs.listLive(tx, me.userId),
        standing.suspendedAmong([me.person, ...people]),
        hidden.findHidden(me, batch),
        // Leaving is marked before pairs are deleted under these locks. So either the mark is visible here, or the
        // deletion comes later and includes the new pair.
        leavers.findLeavers([me.person, ...people]),
      ]);
      // The nightly job searches for everybody who was here, and so for people who can only read a notice.
      if (left.has(me.person) || suspended.has(me.person)) return false;
      const quota = quotaOf(me, live);
      // Some may have found me since I looked. No index excludes a second pair: its keys differ in another week.
      const met = new Set(live.map(({ otherId }) => otherId));
      const timesFound = new Map(ids.map((userId, n) => [userId, found[n] ?? 0]));
      const chosen = rankFairly(
        batch.filter(
          ({ userId, person }) =>
            !met.has(userId) && !suspended.has(person) && !hiding.has(userId) && !left.has(person),
        ),
        ({ userId }) => timesFound.get(userId) ?? 0,
        { isNewcomer: isNewcomer(me) },
      );
      await queries.insertPairs(
        tx,
        chosen.slice(0, quota).map((candidate) => toNewPair(me, candidate)),
      );
      return chosen.length < quota;
    };
    return transaction(db, create, { alsoTakes });
  }

  /** How many more pairs my own search may make. */
  function quotaOf(me: MatchFacts, live: readonly PairView[]): number {
    const own = live.filter(({ isOwn }) => isOwn);
    return remainingQuota(
      {
        isNamed: me.feelings !== noFeelings,
        isNewAccount: me.createdOn > addDays(today(clock), -newAccountDays),
      },
      {
        waiting: own.filter(isSuggested).length,
        madeToday: own.filter(({ details }) => details.madeOn === today(clock)).length,
      },
    );
  }

  async function addSuggestions(me: MatchFacts): Promise<void> {
    const mine = pairKeys.encodeAll([me.userId], storedWeeks(today(clock)));
    const known = await queries.listPeerKeys(db, mine);
    const candidates = await matchmaker.search(me, new Set(known.map(pairKeys.decode)));
    const size = limits.openSuggestions + spareCandidates;
    for (let batch = 0; batch < maxBatches && batch * size < candidates.length; batch += 1) {
      const hasQuota = await createPairs(me, candidates.slice(batch * size, (batch + 1) * size));
      if (!hasQuota) return;
    }
  }

  /** A person's open suggestions, after adding what the quota allows. */
  async function ensureSuggestions(userId: bigint): Promise<PairView[]> {
    const [live, me] = await Promise.all([pairs.listLive(db, userId), people.matchFacts(userId)]);
    if (!me || quotaOf(me, live) === 0) return live.filter(isSuggested);
    await addSuggestions(me);
    return (await pairs.listLive(db, userId)).filter(isSuggested);
  }

  return {
    async list({ userId }) {
      const suggested = await ensureSuggestions(userId);
      const introductions = await people.introductions([userId, ...suggested.map(({ otherId }) => otherId)]);
      const shown = await pairs.toPairsFor(userId, suggested, introductions);
      return shown
        .toSorted((a, b) => b.basis.score - a.basis.score || Number(a.id - b.id))
        .flatMap((pair) => {
          const [me, other] = [introductions.get(userId), introductions.get(pair.otherId)];
          if (!me || !other) return [];
          const introduction = { bio: other.bio, commonInterests: sharedInterests(me, other) };
          return [suggestionView(pair, introduction, publicIds)];
        });
    },

    async topUpRecent(rows) {
      const recent: bigint[] = [];
      for await (const batch of people.seenSince(addDays(today(clock), -recentDays))) recent.push(...batch);
      // Shuffled: the order must not reveal who came when, and each night starts with other people.
      const chosen = shuffle(recent, secureRandom).slice(0, maxTopUps);
      await rows.each(chosen, searchers, ensureSuggestions);
    },
  };
}
