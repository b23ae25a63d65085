import {
  acceptMatch,
  matchHistory,
  matchSuggestions,
  pendingMatches,
  rejectMatch,
  updateDetails,
  partMatch,
  withdrawMatch,
  type Emotion,
  type MatchSuggestion,
} from '@unsaid/contract';
import type { PairRow } from '../src/matching/matches.queries.ts';
import { createPairCipher, type PairDetails } from '../src/matching/pair-details.ts';
import { newestExpiringWeek } from '../src/matching/pair-view.ts';
import { addDays, today, type Day } from '../src/platform/clock.ts';
import { weekOf, weeksFrom } from '../src/platform/coarse-days.ts';
import type { Actor, TestApp } from './app.ts';
import { makeUser, type Person } from './factories.ts';

/** Helpers for tests of matching: people with feelings, their lists, and the person behind a peer id. */

/** A person with feelings, and so with ten places for suggestions instead of five. */
export async function makeNamed(app: TestApp, feelings: Emotion[] = ['Sad']): Promise<Person> {
  const person = await makeUser(app);
  await name(app, person, feelings);
  return person;
}

export async function name(app: TestApp, as: Person, feelings: Emotion[]): Promise<void> {
  const { status, text } = await app.call(updateDetails, { as, body: { feelings } });
  if (status !== 200) throw new Error(`feelings not named: ${text}`);
}

export const suggestionsOf = async (app: TestApp, as: Person) =>
  (await app.call(matchSuggestions, { as })).body.matches;
export const pendingOf = async (app: TestApp, as: Person) => (await app.call(pendingMatches, { as })).body;
export const historyOf = async (app: TestApp, as: Person) =>
  (await app.call(matchHistory, { as })).body.history;
export const accept = (app: TestApp, as: Actor, matchId: string) =>
  app.call(acceptMatch, { as, body: { matchId } });
export const reject = (app: TestApp, as: Actor, matchId: string) =>
  app.call(rejectMatch, { as, body: { matchId } });
export const withdraw = (app: TestApp, as: Actor, matchId: string) =>
  app.call(withdrawMatch, { as, body: { matchId } });

export const part = (app: TestApp, as: Actor, matchId: string) =>
  app.call(partMatch, { as, body: { matchId } });

type Sides = Pick<MatchSuggestion, 'user1' | 'user2'>;

/** The id under which I see the other person of a pair. */
export const otherIdIn = (me: Person, { user1, user2 }: Sides) =>
  user1._id === me.user._id ? user2._id : user1._id;

/** The user id behind a peer id, looked up as the server does: the peer id itself contains no user id. */
export async function peerOf(app: TestApp, me: Person, shownId: string): Promise<bigint> {
  const { publicIds, databases: db } = app.deps;
  const row = await db.matching
    .selectFrom('matching.pairs')
    .select(['aKey', 'bKey'])
    .where('id', '=', publicIds.peer.decode(shownId) ?? -1n)
    .executeTakeFirst();
  if (!row) throw new Error('no such pair');
  const [aId, bId] = [row.aKey, row.bKey].map(app.pairKeys.decode) as [bigint, bigint];
  return aId === me.userId ? bId : aId;
}

export async function peersIn(app: TestApp, me: Person, list: readonly Sides[]): Promise<bigint[]> {
  return Promise.all(list.map((pair) => peerOf(app, me, otherIdIn(me, pair))));
}

/** All pairs as rows, with their decrypted details. */
export async function readPairs(
  app: TestApp,
): Promise<(PairDetails & { readonly row: PairRow & { readonly week: Day } })[]> {
  const cipher = createPairCipher(app.deps.keys);
  const rows = await app.deps.databases.matching
    .selectFrom('matching.pairs')
    .select(['id', 'aKey', 'bKey', 'isAskedByA', 'week', 'details'])
    .execute();
  return rows.flatMap((row) => {
    const details = cipher.open(row);
    return details ? [{ ...details, row }] : [];
  });
}

/** A person's pair keys: of all weeks with stored pairs, and of the four to come. */
export function pairKeysOf(app: TestApp, userId: bigint): Buffer[] {
  const day = today(app.clock);
  return app.pairKeys.encodeAll([userId], weeksFrom(newestExpiringWeek(day), addDays(day, 28)));
}

/** Overwrites some details of a stored pair. */
export async function changePair(
  app: TestApp,
  id: bigint,
  change: Partial<PairDetails>,
  newWeek?: Day,
): Promise<void> {
  const found = (await readPairs(app)).find(({ row }) => row.id === id);
  if (!found) throw new Error('no such pair');
  const { row, ...details } = found;
  const week = newWeek ?? row.week;
  const changed = { ...details, ...change };
  const sides = [
    { key: row.aKey, said: changed.a, isAsking: row.isAskedByA },
    { key: row.bKey, said: changed.b, isAsking: !row.isAskedByA },
  ]
    .map((side) => ({ ...side, key: app.pairKeys.encode(app.pairKeys.decode(side.key), week) }))
    .toSorted((one, other) => one.key.compare(other.key));
  const [a, b] = sides as [(typeof sides)[number], (typeof sides)[number]];
  const columns = { aKey: a.key, bKey: b.key, isAskedByA: a.isAsking, week };
  const sealed = createPairCipher(app.deps.keys).seal({ ...changed, a: a.said, b: b.said }, columns);
  await app.deps.databases.matching
    .updateTable('matching.pairs')
    .set({ ...columns, details: sealed })
    .where('id', '=', id)
    .execute();
}

/**
 * For each person: open pairs of their own search without their answer, and how often others
 * found them since the beginning of the week ten days ago.
 */
export async function countPairs(app: TestApp): Promise<ReadonlyMap<bigint, { own: number; found: number }>> {
  const counts = new Map<bigint, { own: number; found: number }>();
  const day = today(app.clock);
  for (const { row, a, b, closesOn, madeOn } of await readPairs(app)) {
    for (const [key, side, isOwn] of [
      [row.aKey, a, row.isAskedByA],
      [row.bKey, b, !row.isAskedByA],
    ] as const) {
      const person = app.pairKeys.decode(key);
      const { own, found } = counts.get(person) ?? { own: 0, found: 0 };
      counts.set(person, {
        own: own + Number(isOwn && side.answer === 'none' && closesOn > day),
        found: found + Number(!isOwn && weekOf(madeOn) >= weekOf(addDays(day, -10))),
      });
    }
  }
  return counts;
}

/** The id of a person's pair with each other person. */
export async function pairIdsOf(app: TestApp, one: Person): Promise<ReadonlyMap<bigint, string>> {
  const rows = await app.deps.databases.matching
    .selectFrom('matching.pairs')
    .select(['id', 'aKey', 'bKey'])
    .execute();
  const ids = new Map<bigint, string>();
  for (const { id, aKey, bKey } of rows) {
    const two = [aKey, bKey].map(app.pairKeys.decode);
    const other = two.find((userId) => userId !== one.userId);
    if (two.includes(one.userId) && other !== undefined) ids.set(other, app.deps.publicIds.match.encode(id));
  }
  return ids;
}

/** The id of two people's pair, or null if there is none. */
export async function pairIdOf(app: TestApp, one: Person, other: Person): Promise<string | null> {
  return (await pairIdsOf(app, one)).get(other.userId) ?? null;
}

export async function suggestionWith(app: TestApp, me: Person, other: Person): Promise<MatchSuggestion> {
  const list = await suggestionsOf(app, me);
  const id = await pairIdOf(app, me, other);
  const found = list.find(({ _id }) => _id === id);
  if (!found) throw new Error('not suggested');
  return found;
}

/**
 * All that a person sees of their matches, without what is random in every world: ids, which of the two comes
 * first, and the order of suggestions with equal scores. Names identify people.
 */
export async function seenBy(app: TestApp, me: Person): Promise<string> {
  const side = ({ user1, user2 }: Sides) => {
    const other = user1._id === me.user._id ? user2 : user1;
    return { name: other.username, picture: other.profilePic };
  };
  const suggestions = await suggestionsOf(app, me);
  const scores = suggestions.map(({ matchScore }) => matchScore);
  const { receivedMatches, sentMatches } = await pendingOf(app, me);
  return JSON.stringify({
    areBestFirst: scores.join() === scores.toSorted((a, b) => b - a).join(),
    suggestions: suggestions
      .map((match) => ({
        ...side(match),
        score: match.matchScore,
        emotions: match.commonEmotions,
        bio: match.bio,
        interests: match.commonInterests,
        reasons: match.reasons,
        accepted: [match.user1Accepted, match.user2Accepted].toSorted(),
      }))
      .toSorted((a, b) => String(a.name).localeCompare(String(b.name))),
    received: receivedMatches.map(({ from, fromPic, matchScore, status }) => ({
      from,
      fromPic,
      matchScore,
      status,
    })),
    sent: sentMatches.map(({ to, toPic, matchScore, status }) => ({ to, toPic, matchScore, status })),
    history: (await historyOf(app, me)).map(({ matchScore, status, takenBack, timestamp, ...pair }) => ({
      ...side(pair),
      matchScore,
      status,
      takenBack,
      timestamp,
    })),
  });
}
