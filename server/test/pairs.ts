import {
  acceptMatch,
  matchHistory,
  matchSuggestions,
  pendingMatches,
  rejectMatch,
  updateDetails,
  withdrawMatch,
  type Emotion,
  type MatchSuggestion,
} from '@unsaid/contract';
import type { PairRow } from '../src/matching/matches.queries.ts';
import { createPairCipher, type PairDetails } from '../src/matching/pair-details.ts';
import { addDays, today, type Day } from '../src/platform/clock.ts';
import { weekOf } from '../src/platform/coarse-days.ts';
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
  return app.pairKeys.decode(row.aKey.equals(app.pairKeys.encode(me.userId)) ? row.bKey : row.aKey);
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
  return rows.map((row) => ({ ...cipher.open(row), row }));
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
  const sealed = createPairCipher(app.deps.keys).seal({ ...details, ...change }, { ...row, week });
  await app.deps.databases.matching
    .updateTable('matching.pairs')
    .set({ details: sealed, week })
    .where('id', '=', id)
    .execute();
}

/**
 * For each person, by pair key in hex: open pairs of their own search without their answer, and how often others
 * found them since the beginning of the week ten days ago.
 */
export async function countPairs(app: TestApp): Promise<ReadonlyMap<string, { own: number; found: number }>> {
  const counts = new Map<string, { own: number; found: number }>();
  const day = today(app.clock);
  for (const { row, a, b, closesOn, madeOn } of await readPairs(app)) {
    for (const [key, side, isOwn] of [
      [row.aKey, a, row.isAskedByA],
      [row.bKey, b, !row.isAskedByA],
    ] as const) {
      const name = key.toString('hex');
      const { own, found } = counts.get(name) ?? { own: 0, found: 0 };
      counts.set(name, {
        own: own + Number(isOwn && side.answer === 'none' && closesOn > day),
        found: found + Number(!isOwn && weekOf(madeOn) >= weekOf(addDays(day, -10))),
      });
    }
  }
  return counts;
}

/** The id of two people's pair, or null if there is none. */
export async function pairIdOf(app: TestApp, one: Person, other: Person): Promise<string | null> {
  const { publicIds, databases: db } = app.deps;
  const keys = [app.pairKeys.encode(one.userId), app.pairKeys.encode(other.userId)];
  const [aKey, bKey] = keys.toSorted((x, y) => x.compare(y)) as [Buffer, Buffer];
  const row = await db.matching
    .selectFrom('matching.pairs')
    .select('id')
    .where('aKey', '=', aKey)
    .where('bKey', '=', bKey)
    .executeTakeFirst();
  return row ? publicIds.match.encode(row.id) : null;
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
