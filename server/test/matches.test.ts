import {
  acceptMatch,
  changeUsername,
  deleteAccount,
  exportData,
  getUser,
  matchHistory,
  matchSuggestions,
  pendingMatches,
  rejectMatch,
  updateDetails,
  type Emotion,
  type MatchPreference,
} from '@unsaid/contract';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { ownTestApp, startBeside, type TestApp } from './app.ts';
import { makeUser, makeVent, markConfirmed, runJob, signIn, suspend, type Person } from './make.ts';

const day = 86_400_000;

let app: TestApp;
beforeEach(async () => {
  app = await ownTestApp({ limitsScale: 1000 });
});

async function newcomer(profile: { name?: string; interests?: string[]; wants?: MatchPreference } = {}) {
  const person = await makeUser(app);
  if (profile.name) await app.call(changeUsername, { as: person, body: { newUsername: profile.name } });
  if (profile.interests || profile.wants) {
    const body = {
      ...(profile.interests ? { interests: profile.interests } : {}),
      ...(profile.wants ? { preferences: { matchPreference: profile.wants } } : {}),
    };
    await app.call(updateDetails, { as: person, body });
  }
  return person;
}

async function vent(as: Person, emotion: Emotion, times: number, hashtags: string[] = []): Promise<void> {
  for (let n = 0; n < times; n += 1) await makeVent(app, as, { emotion, hashtags });
}

async function sqlOf(text: string) {
  const client = new pg.Client({ connectionString: app.config.databaseUrl });
  await client.connect();
  const result = await client.query<Record<string, unknown>>(text);
  await client.end();
  return result;
}

/** The same person, after their session ran out. */
/** In the browser they know: after months, an unknown one would open a fresh account. */
const signedIn = (person: Person) => signIn(app, person.phone, person);

const rebuild = () => runJob(app, 'rebuild-match-profiles');

const suggestionsOf = async (as: Person) => (await app.call(matchSuggestions, { as })).body.matches;
const pendingOf = async (as: Person) => (await app.call(pendingMatches, { as })).body;
const historyOf = async (as: Person) => (await app.call(matchHistory, { as })).body.history;
const accept = (as: Person, matchId: string) => app.call(acceptMatch, { as, body: { matchId } });
const reject = (as: Person, matchId: string) => app.call(rejectMatch, { as, body: { matchId } });

const otherOf = (me: Person, match: { user1: { _id: string }; user2: { _id: string } }) =>
  match.user1._id === me.user._id ? match.user2._id : match.user1._id;

async function suggestionWith(me: Person, other: Person) {
  const found = (await suggestionsOf(me)).find((match) => otherOf(me, match) === other.user._id);
  if (!found) throw new Error('not suggested');
  return found;
}

/** Two newcomers who were suggested to each other. */
async function two(): Promise<{ one: Person; other: Person; id: string }> {
  const [one, other] = [await newcomer({ name: 'calm_river' }), await newcomer()];
  return { one, other, id: (await suggestionWith(one, other))._id };
}

describe('suggestions', () => {
  test('two newcomers find each other at once, with one score, one id and no emotions', async () => {
    const [one, other] = [await newcomer({ name: 'calm_river' }), await newcomer()];
    const [mine] = await suggestionsOf(one);
    const [theirs] = await suggestionsOf(other);
    expect(mine).toEqual(theirs);
    expect(mine).toMatchObject({ matchScore: 0.5, commonEmotions: [], reasons: [] });
    const sides = [mine?.user1, mine?.user2];
    expect(sides.map((side) => side?.username).toSorted()).toEqual(['calm_river', null].toSorted());
    expect(new Set(sides.map((side) => side?._id))).toEqual(new Set([one.user._id, other.user._id]));
    expect([mine?.user1Accepted, mine?.user2Accepted]).toEqual([false, false]);
  });

  test('say why in words that come from profiles', async () => {
    const wants = 'Similar Emotions';
    const one = await newcomer({ interests: ['Old films', 'Chess'], wants });
    const other = await newcomer({ interests: ['old films', 'tea'], wants });
    const { reasons, matchScore } = await suggestionWith(one, other);
    expect(reasons.map(({ text }) => text)).toEqual([
      'You both like old films',
      'You both asked for someone who feels alike',
    ]);
    expect(matchScore).toBeGreaterThan(0.5);
    expect((await suggestionWith(other, one)).reasons).toEqual(reasons);
  });

  test('after a rebuild know who feels alike, and name what enough people share', async () => {
    const [one, alike, unlike] = [await newcomer(), await newcomer(), await newcomer()];
    await vent(one, 'Anxious', 6, ['exams']);
    await vent(alike, 'Anxious', 6, ['exams']);
    await vent(unlike, 'Happy', 6);
    await rebuild();
    const near = await suggestionWith(one, alike);
    const far = await suggestionWith(one, unlike);
    expect(near.matchScore).toBeGreaterThan(0.65);
    expect(far.matchScore).toBeLessThan(0.4);
    expect(near.commonEmotions).toEqual(['Anxious']);
    expect(far.commonEmotions).toEqual([]);
    expect(await suggestionsOf(one).then((list) => list.map((match) => match.matchScore))).toEqual([
      near.matchScore,
      far.matchScore,
    ]);
  });

  test('name no emotion that fewer people felt than the setting asks for (SC-11)', async () => {
    app = await ownTestApp({ limitsScale: 1000, matchEmotionMinAuthors: 3 });
    const [one, other] = [await newcomer(), await newcomer()];
    await vent(one, 'Angry', 3);
    await vent(other, 'Angry', 3);
    await vent(one, 'Sad', 2);
    await vent(other, 'Sad', 2);
    await vent(await newcomer(), 'Sad', 2);
    await rebuild();
    expect((await suggestionWith(one, other)).commonEmotions).toEqual(['Sad']);
  });

  test('are at most ten, for the one who asks and for everyone they meet', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 16; n += 1) people.push(await newcomer());
    for (const person of people) expect((await suggestionsOf(person)).length).toBeLessThanOrEqual(10);
    const lists = await Promise.all(people.map(suggestionsOf));
    for (const list of lists) expect(list.length).toBeLessThanOrEqual(10);
    expect((lists[0] ?? []).length).toBe(10);
  });

  test('asked for by everybody at once make no pair twice and nobody’s list too long', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 14; n += 1) people.push(await newcomer());
    const beside = await startBeside(app);
    await Promise.all(
      [...people, ...people, ...people].map((as, n) =>
        (n % 2 === 0 ? app : beside).call(matchSuggestions, { as }),
      ),
    );
    await beside.close();
    const lists = await Promise.all(people.map(suggestionsOf));
    for (const [n, list] of lists.entries()) {
      expect(list.length).toBeLessThanOrEqual(10);
      const others = list.map((match) => otherOf(people[n] as Person, match));
      expect(new Set(others).size).toBe(list.length);
    }
    const { rows } = await sqlOf(`select count(*)::int as n from matching.match_pairs`);
    expect(Number(rows[0]?.['n'])).toBe(new Set(lists.flat().map(({ _id }) => _id)).size);
  });

  test('leave out who has been away for a month, who is paused, and oneself', async () => {
    const away = await newcomer();
    app.clock.advance(31 * day);
    const [me, paused, there] = [await newcomer(), await newcomer(), await newcomer()];
    await suspend(app, paused);
    const list = await suggestionsOf(me);
    expect(list.map((match) => otherOf(me, match))).toEqual([there.user._id]);
    expect(away.user._id).not.toBe(there.user._id);
  });

  test('count edits of the profile at once for whoever is not paired yet', async () => {
    const me = await newcomer({ interests: ['kites'] });
    const other = await newcomer();
    await app.call(updateDetails, { as: other, body: { interests: ['Kites'] } });
    expect((await suggestionWith(me, other)).reasons[0]).toMatchObject({ about: 'Kites' });
  });
});

describe('what one answers', () => {
  test('two yeses make a match that both find in their history, and nobody else', async () => {
    const { one, other, id } = await two();
    const stranger = await newcomer();
    expect((await accept(one, id)).status).toBe(200);
    expect((await accept(one, id)).status).toBe(200);
    expect((await suggestionsOf(one)).map(({ _id }) => _id)).not.toContain(id);
    const received = await pendingOf(other);
    expect(received).toMatchObject({
      receivedMatches: [
        {
          matchId: id,
          from: 'calm_river',
          fromId: one.user._id,
          to: 'Anonymous',
          fromPic: one.user.profilePic,
          toId: other.user._id,
          toPic: other.user.profilePic,
          status: 'pending',
        },
      ],
      sentMatches: [],
    });
    expect(await pendingOf(one)).toMatchObject({
      receivedMatches: [],
      sentMatches: [{ matchId: id, from: 'calm_river', to: 'Anonymous', status: 'pending' }],
    });
    const asked = (await suggestionsOf(other)).find(({ _id }) => _id === id);
    expect(asked && [asked.user1Accepted, asked.user2Accepted].toSorted()).toEqual([false, true]);
    expect(asked?.user1Accepted).toBe(asked?.user1._id === one.user._id);

    expect((await accept(other, id)).status).toBe(200);
    for (const person of [one, other]) {
      expect(await historyOf(person)).toMatchObject([
        {
          matchId: id,
          matchScore: 0.5,
          status: 'accepted',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u),
        },
      ]);
      expect(await pendingOf(person)).toMatchObject({ receivedMatches: [], sentMatches: [] });
      expect((await suggestionsOf(person)).map(({ _id }) => _id)).not.toContain(id);
    }
    expect((await reject(one, id)).body.code).toBe('MATCH_CLOSED');
    expect((await accept(other, id)).status).toBe(200);
    expect((await accept(stranger, id)).body.code).toBe('MATCH_NOT_FOUND');
    expect(await historyOf(stranger)).toEqual([]);
  });

  test('a no is silent: the other goes on as if nothing had been said, until it closes as any lapse does (SC-32)', async () => {
    const { one, other, id } = await two();
    const [calm, lonely] = [await newcomer(), await newcomer()];
    const control = (await suggestionWith(calm, lonely))._id;
    expect((await reject(one, id)).status).toBe(200);
    expect((await reject(one, id)).status).toBe(200);
    expect((await accept(one, id)).body.code).toBe('MATCH_CLOSED');
    expect(await historyOf(one)).toMatchObject([{ matchId: id, status: 'rejected' }]);

    const seen = (await suggestionsOf(other)).find(({ _id }) => _id === id);
    expect(seen).toMatchObject({ user1Accepted: false, user2Accepted: false });
    for (const [person, match] of [
      [other, id],
      [lonely, control],
    ] as const) {
      expect((await accept(person, match)).status).toBe(200);
      expect((await pendingOf(person)).sentMatches).toMatchObject([{ matchId: match, status: 'pending' }]);
      expect((await historyOf(person)).filter(({ matchId }) => matchId === match)).toEqual([]);
    }
    expect((await pendingOf(one)).receivedMatches).toEqual([]);

    app.clock.advance(14 * day);
    for (const [person, match] of [
      [other, id],
      [lonely, control],
    ] as const) {
      const again = await signedIn(person);
      expect((await pendingOf(again)).sentMatches).toEqual([]);
      expect(await historyOf(again)).toMatchObject([{ matchId: match, status: 'closed' }]);
      expect((await accept(again, match)).body.code).toBe('MATCH_CLOSED');
    }
    // And is forgotten by it on the same day too, though the one who said no is kept away for longer.
    app.clock.advance(30 * day);
    await runJob(app, 'forget-old-matches');
    for (const person of [other, lonely]) expect(await historyOf(await signedIn(person))).toEqual([]);
  });

  test('may be taken back until the other has said yes too', async () => {
    const { one, other, id } = await two();
    await accept(one, id);
    expect((await reject(one, id)).status).toBe(200);
    expect((await accept(other, id)).status).toBe(200);
    expect((await pendingOf(other)).sentMatches).toMatchObject([{ matchId: id }]);
    expect(await historyOf(one)).toMatchObject([{ status: 'rejected' }]);
  });

  test('what nobody answers closes after fourteen days; a first yes begins them anew', async () => {
    const { one, other, id } = await two();
    app.clock.advance(13 * day);
    expect((await accept(await signedIn(one), id)).status).toBe(200);
    app.clock.advance(13 * day);
    expect((await accept(await signedIn(other), id)).status).toBe(200);
    app.clock.advance(200 * day);
    await runJob(app, 'forget-old-matches');
    expect(await historyOf(await signedIn(one))).toMatchObject([{ matchId: id, status: 'accepted' }]);
  });

  test('keeps the two apart: ninety days after a no, thirty after a lapse', async () => {
    const { one, other, id } = await two();
    await reject(one, id);
    for (const [days, isThere] of [
      [45, false],
      [46, true],
    ] as const) {
      app.clock.advance(days * day);
      await runJob(app, 'forget-old-matches');
      const again = await signedIn(one);
      await signedIn(other);
      const met = (await suggestionsOf(again)).map((match) => otherOf(one, match));
      expect(met.includes(other.user._id)).toBe(isThere);
    }
  });
});

describe('what is fixed when a pair is made', () => {
  test('a vent written now changes no existing suggestion, nobody else’s list, and nothing before the next rebuild (SC-12, SC-13)', async () => {
    const [me, other, third] = [await newcomer(), await newcomer(), await newcomer()];
    for (const person of [me, other, third]) await vent(person, 'Sad', 6);
    await rebuild();
    const before = await Promise.all([me, other, third].map(suggestionsOf));
    expect(before[0]).toHaveLength(2);
    await vent(other, 'Happy', 10);
    expect(await Promise.all([me, other, third].map(suggestionsOf))).toEqual(before);
    // Somebody who asks now meets the one who vented as the last rebuild knew them.
    const late = await newcomer();
    await vent(late, 'Happy', 6);
    const seen = await suggestionWith(late, other);
    expect(seen.commonEmotions).toEqual([]);
    expect(seen.matchScore).toBe((await suggestionWith(late, third)).matchScore);
    await rebuild();
    // And what was made on enough stays as it was made.
    for (const [n, person] of [me, other, third].entries()) {
      const kept = (await suggestionsOf(person)).filter(({ _id }) =>
        before[n]?.some((one) => one._id === _id),
      );
      expect(kept).toEqual(before[n]);
    }
  });

  test('a pair made when nothing was known is looked at again after a rebuild, unless somebody has answered', async () => {
    const [me, other, third] = [await newcomer(), await newcomer(), await newcomer()];
    const [open, answered] = [await suggestionWith(me, other), await suggestionWith(me, third)];
    await accept(third, answered._id);
    for (const person of [me, other, third]) await vent(person, 'Burnout', 6);
    expect(await suggestionWith(me, other)).toEqual(open);
    await rebuild();
    const anew = await suggestionWith(me, other);
    expect(anew._id).toBe(open._id);
    expect(anew.matchScore).toBeGreaterThan(open.matchScore);
    expect(anew.commonEmotions).toEqual(['Burnout']);
    expect(await suggestionWith(other, me)).toEqual(anew);
    expect(await suggestionWith(me, third)).toMatchObject({
      matchScore: answered.matchScore,
      commonEmotions: [],
    });
  });

  test('and says so, where it turns out that the two do not fit', async () => {
    const [me, other] = [await newcomer(), await newcomer()];
    const before = await suggestionWith(me, other);
    await vent(me, 'Sad', 6);
    await vent(other, 'Happy', 6);
    await rebuild();
    expect((await suggestionWith(me, other)).matchScore).toBeLessThan(before.matchScore - 0.1);
    // And would be the first to go, once there are ten better ones.
    const alike: Person[] = [];
    for (let n = 0; n < 9; n += 1) alike.push(await newcomer());
    for (const person of alike) await vent(person, 'Sad', 3);
    await rebuild();
    expect(otherOf(me, (await suggestionsOf(me)).at(-1) ?? before)).toBe(other.user._id);
  });
});

describe('leaving', () => {
  async function leave(person: Person): Promise<void> {
    const viewer = await app.features.sessions.authenticate(person.token, { skipCache: true });
    if (!viewer) throw new Error('nobody');
    await app.features.sessions.markReauthenticated(viewer);
    expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
  }

  test('takes somebody out of every list at once, and out of what can be found', async () => {
    const [gone, one, other] = [await newcomer(), await newcomer(), await newcomer()];
    const suggested = await suggestionWith(one, gone);
    const sent = await suggestionWith(other, gone);
    await accept(other, sent._id);
    await accept(gone, sent._id);
    await leave(gone);
    for (const person of [one, other]) {
      for (const list of [
        (await suggestionsOf(person)).map((match) => otherOf(person, match)),
        (await historyOf(person)).map((match) => otherOf(person, match)),
        (await pendingOf(person)).sentMatches.map(({ toId }) => toId),
      ]) {
        expect(list).not.toContain(gone.user._id);
      }
    }
    expect((await accept(one, suggested._id)).body.code).toBe('MATCH_NOT_FOUND');
    expect((await app.call(getUser, { as: one, params: { id: gone.user._id } })).status).toBe(404);
    await rebuild();
    expect((await suggestionsOf(one)).map((match) => otherOf(one, match))).toEqual([other.user._id]);
    const { rows } = await sqlOf('select count(*)::int as n from matching.match_profiles');
    expect(rows[0]?.['n']).toBe(2);
  });

  test('and an export says what matching holds', async () => {
    const { one, other, id } = await two();
    await vent(one, 'Neutral', 2, ['night']);
    await rebuild();
    await accept(one, id);
    await markConfirmed(app, one);
    const { body } = await app.call(exportData, { as: one });
    expect(body.data).toMatchObject({
      matching: {
        profile: { weights: { Neutral: 1 }, tags: 1 },
        pairs: [{ with: 'Anonymous', status: 'pending', matchScore: expect.any(Number) as number }],
      },
    });
    expect(other.user._id).not.toBe('');
  });
});

describe('the rebuild', () => {
  test('drops who has been away for a month, and they have a place again when they come back', async () => {
    const [back, stays] = [await newcomer(), await newcomer()];
    await rebuild();
    app.clock.advance(32 * day);
    const again = await signedIn(stays);
    await rebuild();
    expect((await sqlOf('select count(*)::int as n from matching.match_profiles')).rows[0]?.['n']).toBe(1);
    const returned = await signedIn(back);
    expect(await suggestionsOf(again).then((list) => list.length)).toBe(1);
    expect(await suggestionsOf(returned).then((list) => list.length)).toBe(1);
  });

  test('writes the table in the order of its keys, so that rows say nothing of who came when', async () => {
    for (let n = 0; n < 30; n += 1) await newcomer();
    await rebuild();
    const { rows } = await sqlOf('select match_key from matching.match_profiles order by ctid');
    const keys = rows.map((row) => (row['match_key'] as Buffer).toString('hex'));
    expect(keys).toEqual(keys.toSorted());
  });

  test('while people leave, writes nobody back', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 20; n += 1) people.push(await newcomer());
    const leaving = people.slice(0, 10);
    const viewers = await Promise.all(
      leaving.map(({ token }) => app.features.sessions.authenticate(token, { skipCache: true })),
    );
    for (const viewer of viewers) if (viewer) await app.features.sessions.markReauthenticated(viewer);
    await Promise.all([
      ...Array.from({ length: 4 }, async () => rebuild()),
      ...leaving.map((as) => app.call(deleteAccount, { as })),
    ]);
    const { rows } = await sqlOf('select count(*)::int as n from matching.match_profiles');
    expect(rows[0]?.['n']).toBe(10);
  });
});
