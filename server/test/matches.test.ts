import {
  changeUsername,
  deleteAccount,
  exportData,
  getUser,
  matchSuggestions,
  updateDetails,
  type Emotion,
  type MatchPreference,
} from '@unsaid/contract';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { withClient } from './db.ts';
import { changeFactsOf } from './facts.ts';
import { ownTestApp, startBeside, type TestApp } from './app.ts';
import { makeUser, makeVent, markConfirmed, runJob, signIn, suspend, type Person } from './factories.ts';
import * as pairs from './pairs.ts';
import { fullTier } from './runs.ts';

const day = 86_400_000;

let app: TestApp;
beforeEach(async () => {
  app = await ownTestApp({ limitsScale: 1000 });
});

interface Profile {
  readonly name?: string;
  readonly interests?: string[];
  readonly wants?: MatchPreference;
  readonly feels?: Emotion[];
}

async function makeNewcomer({ name, interests, wants, feels }: Profile = {}) {
  const person = await makeUser(app);
  if (name) await app.call(changeUsername, { as: person, body: { newUsername: name } });
  const body = {
    ...(interests ? { interests } : {}),
    ...(wants ? { preferences: { matchPreference: wants } } : {}),
    ...(feels ? { feelings: feels } : {}),
  };
  if (Object.keys(body).length > 0) await app.call(updateDetails, { as: person, body });
  return person;
}

async function runSql(text: string) {
  const client = new pg.Client({ connectionString: app.config.databaseUrl });
  await client.connect();
  const result = await client.query<Record<string, unknown>>(text);
  await client.end();
  return result;
}

/**
 * Signs the same person in again after their session expired, on a known device: an unknown one would open a new
 * account.
 */
const signInAgain = (person: Person) => signIn(app, person.phone, person);

const suggestionsOf = (as: Person) => pairs.suggestionsOf(app, as);
const pendingOf = (as: Person) => pairs.pendingOf(app, as);
const historyOf = (as: Person) => pairs.historyOf(app, as);
const accept = (as: Person, matchId: string) => pairs.accept(app, as, matchId);
const reject = (as: Person, matchId: string) => pairs.reject(app, as, matchId);
const suggestionWith = (me: Person, other: Person) => pairs.suggestionWith(app, me, other);
const peersIn = (me: Person, list: Parameters<typeof pairs.peersIn>[2]) => pairs.peersIn(app, me, list);

/** Two newcomers who were suggested to each other. */
async function makePair(): Promise<{ one: Person; other: Person; id: string }> {
  const [one, other] = [await makeNewcomer({ name: 'calm_river' }), await makeNewcomer()];
  return { one, other, id: (await suggestionWith(one, other))._id };
}

describe('suggestions', () => {
  test('pair two newcomers at once, with the same score and id and no emotions', async () => {
    const [one, other] = [await makeNewcomer({ name: 'calm_river' }), await makeNewcomer()];
    const [mine] = await suggestionsOf(one);
    const [theirs] = await suggestionsOf(other);
    const names = (match: typeof mine) => [match?.user1.username, match?.user2.username];
    expect([mine?._id, names(mine)]).toEqual([theirs?._id, names(theirs)]);
    expect(mine).toMatchObject({ matchScore: 0.45, commonEmotions: [], reasons: [] });
    expect(names(mine).toSorted()).toEqual(['calm_river', null].toSorted());
    // The caller sees their own id, and for the other a peer id that is valid in this pair only.
    for (const [me, match] of [
      [one, mine],
      [other, theirs],
    ] as const) {
      const ids = [match?.user1._id, match?.user2._id];
      expect(ids).toContain(me.user._id);
      expect(ids.filter((id) => id === one.user._id || id === other.user._id)).toEqual([me.user._id]);
    }
    expect([mine?.user1Accepted, mine?.user2Accepted]).toEqual([false, false]);
  });

  test('give reasons taken from the profiles (S1.8)', async () => {
    const wants = 'Similar Emotions';
    const one = await makeNewcomer({ interests: ['Old films', 'Chess'], wants });
    const other = await makeNewcomer({ interests: ['old films', 'tea'], wants });
    const { reasons, matchScore } = await suggestionWith(one, other);
    expect(reasons.map(({ text }) => text)).toEqual([
      'You both like old films',
      'You both asked for someone who feels alike',
    ]);
    expect(matchScore).toBe(0.45);
    expect((await suggestionWith(other, one)).reasons).toEqual(reasons);
  });

  test('introduce the other person by the first line of the bio and three shared interests, and show no more of the profile', async () => {
    const one = await makeNewcomer({ interests: ['Chai', 'kites', 'rain', 'chess', 'mine alone'] });
    const other = await makeNewcomer({ interests: ['theirs alone', 'chai', 'Kites', 'rain', 'chess'] });
    const bio = `I listen. ${'अ'.repeat(200)}\nsecond line`;
    await app.call(updateDetails, { as: other, body: { bio, dislikes: ['noise'] } });
    const match = await suggestionWith(one, other);
    expect(match.commonInterests).toEqual(['chai', 'kites', 'rain']);
    expect([...match.bio]).toHaveLength(161);
    expect(bio.startsWith(match.bio.slice(0, -1))).toBe(true);
    expect(Object.keys(match).toSorted()).toEqual([
      '_id',
      'bio',
      'commonEmotions',
      'commonInterests',
      'matchScore',
      'reasons',
      'user1',
      'user1Accepted',
      'user2',
      'user2Accepted',
    ]);
    expect(JSON.stringify(match)).not.toMatch(/alone|noise|second line/u);
    expect((await suggestionWith(other, one)).bio).toBe('');

    // Current, as in the profile. The score and the reasons stay as they were.
    await app.call(updateDetails, { as: other, body: { bio: 'New here.', interests: ['rain'] } });
    expect(await suggestionWith(one, other)).toEqual({
      ...match,
      bio: 'New here.',
      commonInterests: ['rain'],
    });
  });

  test('rank people by the feelings that both name, and show the common ones (SC-11, S1.8)', async () => {
    const one = await makeNewcomer({ feels: ['Anxious', 'Burnout'] });
    const [alike, unlike, silent] = [
      await makeNewcomer({ feels: ['Anxious', 'Burnout', 'Sad'] }),
      await makeNewcomer({ feels: ['Happy'] }),
      await makeNewcomer(),
    ];
    const near = await suggestionWith(one, alike);
    const far = await suggestionWith(one, unlike);
    const unknown = await suggestionWith(one, silent);
    expect([near.matchScore, unknown.matchScore, far.matchScore]).toEqual([0.75, 0.45, 0.1]);
    expect([near, unknown, far].map((match) => match.commonEmotions)).toEqual([
      ['Anxious', 'Burnout'],
      [],
      [],
    ]);
    expect((await suggestionsOf(one)).map((match) => match.matchScore)).toEqual([0.75, 0.45, 0.1]);
  });

  test('give feelings that were named long ago half the weight', async () => {
    const [fresh, old, me] = [
      await makeNewcomer({ feels: ['Sad'] }),
      await makeNewcomer({ feels: ['Sad'] }),
      await makeNewcomer({ feels: ['Sad'] }),
    ];
    await changeFactsOf(app, [old.userId], () => ({ feelingsFrom: '2026-01-01' }));
    expect((await suggestionWith(me, fresh)).matchScore).toBe(0.75);
    expect((await suggestionWith(me, old)).matchScore).toBe(0.6);
  });

  test('number five from a person’s own search, and ten as soon as the person names feelings', async () => {
    for (let n = 0; n < 14; n += 1) await makeNewcomer({ feels: ['Burnout'] });
    const me = await makeNewcomer();
    expect(await suggestionsOf(me)).toHaveLength(5);
    await pairs.name(app, me, ['Burnout']);
    const list = await suggestionsOf(me);
    expect(list).toHaveLength(10);
    expect(list.map(({ matchScore }) => matchScore)).toEqual([
      ...Array.from({ length: 5 }, () => 0.75),
      ...Array.from({ length: 5 }, () => 0.45),
    ]);
  });

  const readCounts = async () => [...(await pairs.countPairs(app)).values()];

  test(
    'number at most ten from a person’s own search, and others find a person at most 20 times, newcomers some more',
    fullTier(
      'match-races.proof.test.ts checks both limits after every race; the exceptions for newcomers wait for the night.',
    ),
    async () => {
      const people: Person[] = [];
      for (let n = 0; n < 44; n += 1) people.push(await makeNewcomer({ feels: ['Sad'] }));
      app.clock.advance(15 * day);
      const settled = await Promise.all(people.map(signInAgain));
      for (const person of settled) expect((await suggestionsOf(person)).length).toBeGreaterThanOrEqual(10);
      expect(Math.max(...(await readCounts()).map(({ own }) => own))).toBe(10);
      // All people answer, so that more searches run until each person has been found as often as the limit allows.
      for (const person of settled) {
        for (const { _id } of await suggestionsOf(person)) await reject(person, _id);
        await suggestionsOf(person);
      }
      const found = (await readCounts()).map((one) => one.found);
      expect(Math.max(...found)).toBeLessThanOrEqual(20);
      expect(await suggestionsOf(await makeNewcomer({ feels: ['Sad'] }))).toHaveLength(10);
    },
  );

  test('requested by all people at once create no duplicate pair and stay within the limits', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 24; n += 1) people.push(await makeNewcomer({ feels: ['Sad'] }));
    const beside = await startBeside(app);
    await Promise.all(
      [...people, ...people, ...people].map((as, n) =>
        (n % 2 === 0 ? app : beside).call(matchSuggestions, { as }),
      ),
    );
    await beside.close();
    const lists = await Promise.all(people.map(suggestionsOf));
    for (const [n, list] of lists.entries()) {
      const others = await peersIn(people[n] as Person, list);
      expect(new Set(others).size).toBe(list.length);
    }
    for (const { own, found } of await readCounts()) {
      expect(own).toBeLessThanOrEqual(10);
      expect(found).toBeLessThanOrEqual(30);
    }
    const { rows } = await runSql(`select count(*)::int as n from matching.pairs`);
    expect(Number(rows[0]?.['n'])).toBe(new Set(lists.flat().map(({ _id }) => _id)).size);
  });

  test('include at most 20 new people a day, 10 on an account’s first two days, however many are rejected', async () => {
    const crowd: Person[] = [];
    for (let n = 0; n < 70; n += 1) crowd.push(await makeNewcomer({ feels: ['Sad'] }));
    let me = await makeNewcomer({ feels: ['Sad'] });
    /** Rejects all suggestions until no new one comes. */
    const rejectAll = async () => {
      let met = 0;
      for (let list = await suggestionsOf(me); list.length > 0; list = await suggestionsOf(me)) {
        for (const { _id } of list) await reject(me, _id);
        met += list.length;
      }
      return met;
    };
    const met: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      met.push(await rejectAll());
      app.clock.advance(day);
    }
    expect(met).toEqual([10, 10, 20, 20]);
    // Being found by others counts against their quota and not against the caller's own.
    me = await signInAgain(me);
    const finders = await Promise.all(crowd.slice(60).map((person) => signInAgain(person)));
    for (const finder of finders) await suggestionsOf(finder);
    expect(await rejectAll()).toBeGreaterThanOrEqual(10);
  });

  test('leave out people absent for 90 days, suspended people and the caller, and list people absent for a month last', async () => {
    const [gone, away] = [await makeNewcomer(), await makeNewcomer()];
    app.clock.advance(60 * day);
    await signInAgain(away);
    app.clock.advance(31 * day);
    const [me, paused, there] = [await makeNewcomer(), await makeNewcomer(), await makeNewcomer()];
    await suspend(app, paused);
    const met = await peersIn(me, await suggestionsOf(me));
    expect(new Set(met)).toEqual(new Set([away.userId, there.userId]));
    expect(met).not.toContain(gone.userId);
    // With few places, recent visitors come first.
    for (let n = 0; n < 5; n += 1) await makeNewcomer();
    const late = await makeNewcomer();
    expect(await peersIn(late, await suggestionsOf(late))).not.toContain(away.userId);
  });

  test('use profile edits at once for people who are not paired yet', async () => {
    const me = await makeNewcomer({ interests: ['kites'] });
    const other = await makeNewcomer();
    await app.call(updateDetails, { as: other, body: { interests: ['Kites'] } });
    expect((await suggestionWith(me, other)).reasons[0]).toMatchObject({ about: 'kites' });
  });
});

describe('answers to suggestions', () => {
  test('make a match of two yeses, which both people and no one else find in their history', async () => {
    const { one, other, id } = await makePair();
    const stranger = await makeNewcomer();
    expect((await accept(one, id)).status).toBe(200);
    expect((await accept(one, id)).status).toBe(200);
    expect((await suggestionsOf(one)).map(({ _id }) => _id)).not.toContain(id);
    const received = await pendingOf(other);
    expect(received).toMatchObject({
      receivedMatches: [
        {
          matchId: id,
          from: 'calm_river',
          fromId: expect.stringMatching(/^[\w-]{22}$/u) as string,
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
    expect(asked?.user1Accepted).toBe(asked?.user1._id !== other.user._id);

    expect((await accept(other, id)).status).toBe(200);
    for (const person of [one, other]) {
      expect(await historyOf(person)).toMatchObject([
        {
          matchId: id,
          matchScore: 0.45,
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

  test('keep a no silent: the other sees an unanswered pair until it closes as any lapse does (SC-32, S4.10)', async () => {
    const { one, other, id } = await makePair();
    const [calm, lonely] = [await makeNewcomer(), await makeNewcomer()];
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
      const again = await signInAgain(person);
      expect((await pendingOf(again)).sentMatches).toEqual([]);
      expect(await historyOf(again)).toMatchObject([{ matchId: match, status: 'closed' }]);
      expect((await accept(again, match)).body.code).toBe('MATCH_CLOSED');
    }
    // Both pairs are deleted on the same day, too.
    app.clock.advance(104 * day);
    await runJob(app, 'forget-old-matches');
    for (const person of [other, lonely]) expect(await historyOf(await signInAgain(person))).toEqual([]);
  });

  test.each([
    ['withdraw', pairs.withdraw],
    ['reject', pairs.reject],
  ] as const)(
    'can be taken back by %s until both have said yes, and the other is not told',
    async (_, call) => {
      const { one, other, id } = await makePair();
      const takeBack = (as: Person) => call(app, as, id);
      await accept(one, id);
      const before = await pendingOf(other);
      expect((await takeBack(one)).status).toBe(200);
      expect((await pairs.withdraw(app, one, id)).status).toBe(200);
      expect(await historyOf(one)).toMatchObject([{ matchId: id, status: 'rejected', takenBack: true }]);
      expect((await pendingOf(one)).sentMatches).toEqual([]);
      expect((await accept(one, id)).body.code).toBe('MATCH_CLOSED');
      expect(await pendingOf(other)).toEqual(before);

      // The other's yes is pending, as after a rejection. It can be taken back, too.
      expect((await accept(other, id)).status).toBe(200);
      expect((await pendingOf(other)).sentMatches).toMatchObject([{ matchId: id, status: 'pending' }]);
      expect(await historyOf(other)).toEqual([]);
      expect(await historyOf(one)).toMatchObject([{ matchId: id, status: 'rejected', takenBack: true }]);
      expect((await pendingOf(one)).receivedMatches).toEqual([]);
      expect((await takeBack(other)).status).toBe(200);
      expect(await historyOf(other)).toMatchObject([{ status: 'rejected', takenBack: true }]);
    },
  );

  test('cannot be taken back without a yes of one’s own, or once both have said yes', async () => {
    const { one, other, id } = await makePair();
    const takeBack = async (as: Person) => (await pairs.withdraw(app, as, id)).body.code ?? '200';
    expect(await takeBack(one)).toBe('MATCH_CLOSED');
    await accept(one, id);
    expect(await takeBack(other)).toBe('MATCH_CLOSED');
    await accept(other, id);
    for (const person of [one, other]) {
      expect(await takeBack(person)).toBe('MATCH_CLOSED');
      expect(await historyOf(person)).toMatchObject([{ status: 'accepted', takenBack: false }]);
    }
    expect(await takeBack(await makeNewcomer())).toBe('MATCH_NOT_FOUND');
  });

  test('of both can be ended by either: to the other it is closed today, and neither sees a profile any more', async () => {
    const { one, other, id } = await makePair();
    const match = (await suggestionsOf(other)).find(({ _id }) => _id === id);
    if (!match) throw new Error('no suggestion');
    const peerId = pairs.otherIdIn(other, match);
    const part = async (as: Person) => (await pairs.part(app, as, id)).body.code ?? '200';
    expect(await part(one)).toBe('MATCH_CLOSED');
    await accept(one, id);
    // A yes that nobody answered is taken back, not ended.
    expect(await part(one)).toBe('MATCH_CLOSED');
    await accept(other, id);
    expect(await part(await makeNewcomer())).toBe('MATCH_NOT_FOUND');
    expect((await app.call(getUser, { as: other, params: { id: peerId } })).status).toBe(200);

    expect([await part(one), await part(one)]).toEqual(['200', '200']);
    expect(await historyOf(one)).toMatchObject([{ matchId: id, status: 'rejected', takenBack: true }]);
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    expect(await historyOf(other)).toMatchObject([
      { matchId: id, status: 'closed', takenBack: false, timestamp: today },
    ]);
    expect(await part(other)).toBe('MATCH_CLOSED');
    expect((await app.call(getUser, { as: other, params: { id: peerId } })).status).toBe(404);
    for (const person of [one, other]) {
      expect(await pendingOf(person)).toMatchObject({ receivedMatches: [], sentMatches: [] });
      expect((await accept(person, id)).body.code).toBe('MATCH_CLOSED');
    }
  });

  test('have a deadline: a pair without an answer closes after fourteen days, and a first yes restarts the period', async () => {
    const { one, other, id } = await makePair();
    app.clock.advance(13 * day);
    expect((await accept(await signInAgain(one), id)).status).toBe(200);
    app.clock.advance(13 * day);
    expect((await accept(await signInAgain(other), id)).status).toBe(200);
    app.clock.advance(200 * day);
    await runJob(app, 'forget-old-matches');
    expect(await historyOf(await signInAgain(one))).toMatchObject([{ matchId: id, status: 'accepted' }]);
  });

  test('of two yeses move on from week to week under new keys, change for neither of the two, and go with one of them', async () => {
    const me = await makeNewcomer({ name: 'of_many_weeks', feels: ['Neutral'] });
    const others: Person[] = [];
    for (let n = 0; n < 10; n += 1) others.push(await makeNewcomer({ feels: ['Neutral'] }));
    // Half of them find me.
    for (const as of [...others.slice(5), me]) await suggestionsOf(as);
    const ids = new Set<bigint>();
    for (const other of others) {
      const id = (await pairs.pairIdOf(app, me, other)) ?? '';
      await accept(me, id);
      await accept(other, id);
      ids.add(app.deps.publicIds.match.decode(id) ?? -1n);
    }
    const { decode } = app.pairKeys;
    const read = async () =>
      (await pairs.readPairs(app))
        .filter(({ row }) => ids.has(row.id))
        .toSorted((one, other) => Number(one.row.id - other.row.id))
        .map(({ row: { id, aKey, bKey, isAskedByA, week }, a, b, ...rest }) => ({
          keys: [aKey, bKey].map((key) => key.toString('hex')),
          week,
          meant: [
            id,
            decode(isAskedByA ? aKey : bKey),
            rest,
            new Map([[decode(aKey), a]]).set(decode(bKey), b),
          ],
        }));
    const stored = [await read()];
    const seen = await historyOf(me);
    expect(seen.filter(({ status }) => status === 'accepted')).toHaveLength(10);
    for (const days of [28, 7, 7]) {
      app.clock.advance(days * day);
      await runJob(app, 'forget-old-matches');
      stored.push(await read());
    }
    for (const now of stored)
      expect(now.map(({ meant }) => meant)).toEqual(stored[0]?.map(({ meant }) => meant));
    const keys = stored.map((now) => new Set(now.flatMap((one) => one.keys)));
    expect(keys.map((now) => now.size)).toEqual(stored.map(() => 11));
    expect(new Set(keys.flatMap((now) => [...now])).size).toBe(4 * 11);
    const again = await signInAgain(me);
    expect(await historyOf(again)).toEqual(seen);
    await markConfirmed(app, again);
    expect((await app.call(deleteAccount, { as: again })).status).toBe(200);
    expect(await read()).toEqual([]);
  });

  test('belong to a pair that opens only with its own week and side', async () => {
    for (const column of ['week', 'is_asked_by_a']) {
      const { one, id } = await makePair();
      const number = app.deps.publicIds.match.decode(id) ?? -1n;
      const change = column === 'week' ? 'week - 7' : 'not is_asked_by_a';
      await withClient(app.config.databaseUrl, (client) =>
        client.query(`update matching.pairs set ${column} = ${change} where id = $1`, [number]),
      );
      // It counts as no pair, for both people and for every job.
      expect((await accept(one, id)).status).toBe(404);
      expect((await app.call(matchSuggestions, { as: one })).status).toBe(200);
      await runJob(app, 'forget-old-matches');
      await withClient(app.config.databaseUrl, (client) =>
        client.query('delete from matching.pairs where id = $1', [number]),
      );
    }
  });

  test('keep the two apart for 118 days, the same for a no and for no answer', async () => {
    for (const isRefused of [true, false]) {
      const { one, other, id } = await makePair();
      if (isRefused) await reject(one, id);
      for (const [days, isThere] of [
        [117, false],
        [1, true],
      ] as const) {
        app.clock.advance(days * day);
        await runJob(app, 'forget-old-matches');
        const again = await signInAgain(one);
        await signInAgain(other);
        const met = await peersIn(one, await suggestionsOf(again));
        expect(met.includes(other.userId)).toBe(isThere);
      }
    }
  });
});

describe('an existing suggestion', () => {
  test('is not changed by vents, visits or new feelings (SC-12, SC-13)', async () => {
    const people = [
      await makeNewcomer({ name: 'first_one', feels: ['Sad'] }),
      await makeNewcomer({ name: 'other_one', feels: ['Sad'] }),
      await makeNewcomer({ name: 'third_one', feels: ['Sad'] }),
    ];
    const [, other, third] = people as [Person, Person, Person];
    const before = await Promise.all(people.map(suggestionsOf));
    expect(before[0]).toHaveLength(2);
    for (const emotion of ['Happy', 'Angry'] as const) await makeVent(app, other, { emotion });
    expect(await Promise.all(people.map(suggestionsOf))).toEqual(before);
    await pairs.name(app, other, ['Happy']);
    expect(await Promise.all(people.map(suggestionsOf))).toEqual(before);
    // A later newcomer sees both by their current profiles, whatever they vented.
    const late = await makeNewcomer({ feels: ['Happy'] });
    expect((await suggestionWith(late, other)).commonEmotions).toEqual(['Happy']);
    expect((await suggestionWith(late, third)).commonEmotions).toEqual([]);
  });
});

describe('a profile', () => {
  const profileOf = async (as: Person, id: string) => app.call(getUser, { as, params: { id } });

  test('can be read while the pair is open or mutual, and not after a no or a lapse (S6.7)', async () => {
    const { one, other, id } = await makePair();
    const shown = pairs.otherIdIn(one, await suggestionWith(one, other));
    expect((await profileOf(one, shown)).body).toMatchObject({ user: { _id: shown, username: null } });
    await reject(other, id);
    // A no of the other must not be detectable.
    expect((await profileOf(one, shown)).status).toBe(200);
    expect(
      (
        await profileOf(
          other,
          pairs.otherIdIn(other, {
            user1: { _id: shown, username: null, profilePic: '' },
            user2: other.user,
          }),
        )
      ).status,
    ).toBe(404);
    await reject(one, id);
    expect((await profileOf(one, shown)).status).toBe(404);
    const lapsing = await makePair();
    const lapsingId = pairs.otherIdIn(lapsing.one, await suggestionWith(lapsing.one, lapsing.other));
    const mutual = await makePair();
    const mutualId = pairs.otherIdIn(mutual.one, await suggestionWith(mutual.one, mutual.other));
    await accept(mutual.one, mutual.id);
    await accept(mutual.other, mutual.id);
    app.clock.advance(14 * day);
    expect((await profileOf(await signInAgain(lapsing.one), lapsingId)).status).toBe(404);
    expect((await profileOf(await signInAgain(mutual.one), mutualId)).status).toBe(200);
  });

  test('of an ended pair stays in history under the name and picture at the time of the answer', async () => {
    const { one, other, id } = await makePair();
    await reject(other, id);
    await app.call(changeUsername, { as: one, body: { newUsername: 'new_name' } });
    const [past] = await historyOf(other);
    expect([past?.user1.username, past?.user2.username]).toContain('calm_river');
    expect(JSON.stringify(past)).not.toContain('new_name');
  });
});

describe('matching data', () => {
  async function deleteAccountOf(person: Person): Promise<void> {
    const viewer = await app.features.sessions.authenticate(person.token, { skipCache: true });
    if (!viewer) throw new Error('no session');
    await app.features.sessions.markReauthenticated(viewer);
    expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
  }

  test('disappears from every list and from the search as soon as an account is deleted (R35)', async () => {
    const [gone, one, other] = [await makeNewcomer(), await makeNewcomer(), await makeNewcomer()];
    const suggested = await suggestionWith(one, gone);
    const shown = pairs.otherIdIn(one, suggested);
    const sent = await suggestionWith(other, gone);
    await accept(other, sent._id);
    await accept(gone, sent._id);
    await deleteAccountOf(gone);
    for (const person of [one, other]) {
      for (const list of [
        await peersIn(person, await suggestionsOf(person)),
        await peersIn(person, await historyOf(person)),
      ]) {
        expect(list).not.toContain(gone.userId);
      }
      expect((await pendingOf(person)).sentMatches).toEqual([]);
    }
    expect((await accept(one, suggested._id)).body.code).toBe('MATCH_NOT_FOUND');
    expect((await app.call(getUser, { as: one, params: { id: shown } })).status).toBe(404);
    expect(await peersIn(one, await suggestionsOf(one))).toEqual([other.userId]);
    const { rows } = await runSql('select count(*)::int as n from matching.pairs');
    expect(rows[0]?.['n']).toBe(1);
  });

  test('is part of an export', async () => {
    const { one, other, id } = await makePair();
    await accept(one, id);
    await markConfirmed(app, one);
    const { body } = await app.call(exportData, { as: one });
    expect(body.data).toMatchObject({
      matching: {
        pairs: [{ with: 'Anonymous', status: 'pending', matchScore: expect.any(Number) as number }],
      },
    });
    expect(other.user._id).not.toBe('');
  });
});

describe('settling', () => {
  const readPhysicalOrder = async () => {
    const { rows } = await runSql('select id::text from matching.pairs order by ctid');
    return rows.map((row) => BigInt(row['id'] as string));
  };
  const sorted = (ids: readonly bigint[]) => ids.toSorted((a, b) => (a < b ? -1 : 1));

  test('writes the pairs of the day in the order of their random ids, so that row positions do not reveal when they were made', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 12; n += 1) people.push(await makeNewcomer());
    for (const person of people) await suggestionsOf(person);
    const before = await readPhysicalOrder();
    expect(before).not.toEqual(sorted(before));
    await runJob(app, 'settle-todays-pairs');
    expect(await readPhysicalOrder()).toEqual(sorted(before));
    const [match] = await suggestionsOf(people[0] as Person);
    await accept(people[0] as Person, match?._id ?? '');
    await runJob(app, 'settle-ended-pairs');
    expect(await readPhysicalOrder()).toEqual(sorted(before));
    const { rows } = await runSql('select count(*)::int as n from matching.pairs where is_fresh');
    expect(rows[0]?.['n']).toBe(0);
  });
});
