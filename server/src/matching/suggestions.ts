import { limits, type MatchSuggestion } from '@unsaid/contract';
import type { MatchFacts } from '../kernel/people.ts';
import type { Viewer } from '../kernel/viewer.ts';
import { addDays, today } from '../platform/clock.ts';
import { weekOf, weeksFrom } from '../platform/coarse-days.ts';
import { inTransaction } from '../platform/db.ts';
import { rowsOf, type JobRows } from '../platform/job.ts';
import { secureRandom, shuffle } from '../platform/shuffle.ts';
import { searchCandidates, type Candidate } from './candidate-search.ts';
import { newcomerDays, rankFairly, remainingQuota } from './candidate-selection.ts';
import type { MatchingContext } from './context.ts';
import { noFeelings } from './emotion-space.ts';
import * as queries from './matches.queries.ts';
import { suggestionView } from './matches.view.ts';
import { randomPairId } from './pair-keys.ts';
import { isSuggested, newDetails, storedWeeks, type PairView } from './pair-view.ts';
import { listLivePairs, toPairsFor } from './pairs.ts';
import { sharedInterests } from './shared-interests.ts';

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

/** Adds new suggestions first, as far as the limits allow. */
export async function listSuggestions(ctx: MatchingContext, { userId }: Viewer): Promise<MatchSuggestion[]> {
  const suggested = await ensureSuggestions(ctx, userId);
  const introductions = await ctx.ports.people.introductions([
    userId,
    ...suggested.map(({ otherId }) => otherId),
  ]);
  const shown = await toPairsFor(ctx, userId, suggested, introductions);
  return shown
    .toSorted((a, b) => b.basis.score - a.basis.score || Number(a.id - b.id))
    .flatMap((pair) => {
      const [me, other] = [introductions.get(userId), introductions.get(pair.otherId)];
      if (!me || !other) return [];
      const introduction = { bio: other.bio, commonInterests: sharedInterests(me, other) };
      return [suggestionView(pair, introduction, ctx.publicIds)];
    });
}

/** Each night: prepares suggestions for recent visitors. */
export async function topUpRecent(ctx: MatchingContext, rows: JobRows): Promise<void> {
  const recent: bigint[] = [];
  const since = addDays(today(ctx.clock), -recentDays);
  for await (const batch of ctx.ports.people.seenSince(since)) recent.push(...batch);
  // Shuffled: the order must not reveal who came when, and each night starts with other people.
  const chosen = shuffle(recent, secureRandom).slice(0, maxTopUps);
  await rows.each(chosen, searchers, (userId) => ensureSuggestions(ctx, userId));
}

/** A person's open suggestions, after adding what the quota allows. */
async function ensureSuggestions(ctx: MatchingContext, userId: bigint): Promise<PairView[]> {
  const [live, me] = await Promise.all([listLivePairs(ctx, userId), ctx.ports.people.matchFacts(userId)]);
  if (!me || quotaOf(ctx, me, live) === 0) return live.filter(isSuggested);
  await addSuggestions(ctx, me);
  return (await listLivePairs(ctx, userId)).filter(isSuggested);
}

async function addSuggestions(ctx: MatchingContext, me: MatchFacts): Promise<void> {
  const mine = ctx.pairKeys.encodeAll([me.userId], storedWeeks(today(ctx.clock)));
  const known = await queries.listPeerKeys(ctx.db, mine);
  const candidates = await searchCandidates(ctx, me, new Set(known.map(ctx.pairKeys.decode)));
  const size = limits.openSuggestions + spareCandidates;
  const busy: Candidate[] = [];
  for (let batch = 0; batch < maxBatches && batch * size < candidates.length; batch += 1) {
    const some = candidates.slice(batch * size, (batch + 1) * size);
    const made = await createPairs(ctx, me, some, queries.lockFreePeople);
    if (made.isFull) return;
    busy.push(...made.busy);
  }
  // Others fit about as well as those whom another search holds. Only where there are too few, these are waited for.
  if (busy.length > 0) await createPairs(ctx, me, busy.slice(0, size), queries.lockPeople);
}

/**
 * Makes pairs of those of a batch whom it could lock, within the limits of both sides. Full is a search that may make no
 * more; busy are those whom another search holds.
 */
function createPairs(
  ctx: MatchingContext,
  me: MatchFacts,
  batch: readonly Candidate[],
  lock: typeof queries.lockPeople,
): Promise<{ readonly isFull: boolean; readonly busy: readonly Candidate[] }> {
  const { clock, pairKeys, ports } = ctx;
  const weeks = weeksFrom(weekOf(addDays(today(clock), -foundDays)), today(clock));
  // Under the locks: what the other schemas say must still be true when the pairs are made.
  const alsoTakes = ['moderation', 'identity', 'content'] as const;
  const create = async (ctx: MatchingContext) => {
    const lockOf = ({ userId }: { readonly userId: bigint }) => pairKeys.lockOf(userId);
    const held = await lock(ctx.db, [me, ...batch].map(lockOf));
    const [locked = [], busy = []] = [true, false].map((isHeld) =>
      batch.filter((one) => held.has(lockOf(one)) === isHeld),
    );
    if (locked.length === 0) return { isFull: false, busy };
    const people = [me.person, ...locked.map(({ person }) => person)];
    const ids = locked.map(({ userId }) => userId);
    const [found, live, suspended, hiding, left] = await Promise.all([
      queries.countTimesFound(ctx.db, pairKeys.encodeAll(ids, weeks), weeks.length),
      listLivePairs(ctx, me.userId),
      ports.standing.suspendedAmong(people),
      ports.hidden.findHidden(me, locked),
      // Leaving is marked before pairs are deleted under these locks. So either the mark is visible here, or the
      // deletion comes later and includes the new pair.
      ports.leavers.findLeavers(people),
    ]);
    // The nightly job searches for everybody who was here, and so for people who can only read a notice.
    if (left.has(me.person) || suspended.has(me.person)) return { isFull: true, busy };
    const quota = quotaOf(ctx, me, live);
    // Some may have found me since I looked. No index excludes a second pair: its keys differ in another week.
    const met = new Set(live.map(({ otherId }) => otherId));
    const timesFound = new Map(ids.map((userId, n) => [userId, found[n] ?? 0]));
    const chosen = rankFairly(
      locked.filter(
        ({ userId, person }) =>
          !met.has(userId) && !suspended.has(person) && !hiding.has(userId) && !left.has(person),
      ),
      ({ userId }) => timesFound.get(userId) ?? 0,
      { isNewcomer: me.createdOn > addDays(today(clock), -newcomerDays) },
    );
    await queries.insertPairs(
      ctx.db,
      chosen.slice(0, quota).map((candidate) => toNewPair(ctx, me, candidate)),
    );
    return { isFull: chosen.length >= quota, busy };
  };
  return inTransaction(ctx, create, { alsoTakes });
}

/** How many more pairs my own search may make. */
function quotaOf({ clock }: MatchingContext, me: MatchFacts, live: readonly PairView[]): number {
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

function toNewPair(
  { cipher, clock, pairKeys }: MatchingContext,
  me: MatchFacts,
  candidate: Candidate,
): queries.PairRow {
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
