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
import { ownTestApp, startBeside, type TestApp } from './app.ts';
import { makeUser, makeVent, markConfirmed, runJob, signIn, suspend, type Person } from './make.ts';
import * as pairs from './pairs.ts';

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

async function newcomer({ name, interests, wants, feels }: Profile = {}) {
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

async function sqlOf(text: string) {
  const client = new pg.Client({ connectionString: app.config.databaseUrl });
  await client.connect();
  const result = await client.query<Record<string, unknown>>(text);
  await client.end();
  return result;
}

/** The same person after their session ran out, in the browser they know: an unknown one would open a fresh account. */
const signedIn = (person: Person) => signIn(app, person.phone, person);

const suggestionsOf = (as: Person) => pairs.suggestionsOf(app, as);
const pendingOf = (as: Person) => pairs.pendingOf(app, as);
const historyOf = (as: Person) => pairs.historyOf(app, as);
const accept = (as: Person, matchId: string) => pairs.accept(app, as, matchId);
const reject = (as: Person, matchId: string) => pairs.reject(app, as, matchId);
const suggestionWith = (me: Person, other: Person) => pairs.suggestionWith(app, me, other);
const peersIn = (me: Person, list: Parameters<typeof pairs.peersIn>[2]) => pairs.peersIn(app, me, list);

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
    const names = (match: typeof mine) => [match?.user1.username, match?.user2.username];
    expect([mine?._id, names(mine)]).toEqual([theirs?._id, names(theirs)]);
    expect(mine).toMatchObject({ matchScore: 0.45, commonEmotions: [], reasons: [] });
    expect(names(mine).toSorted()).toEqual(['calm_river', null].toSorted());
    // My own id is mine, and the other's is of this pair alone.
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

  test('say why in words that come from profiles', async () => {
    const wants = 'Similar Emotions';
    const one = await newcomer({ interests: ['Old films', 'Chess'], wants });
    const other = await newcomer({ interests: ['old films', 'tea'], wants });
    const { reasons, matchScore } = await suggestionWith(one, other);
    expect(reasons.map(({ text }) => text)).toEqual([
      'You both like old films',
      'You both asked for someone who feels alike',
    ]);
    expect(matchScore).toBe(0.45);
    expect((await suggestionWith(other, one)).reasons).toEqual(reasons);
  });

  test('know who feels alike from what both name, and show that', async () => {
    const one = await newcomer({ feels: ['Anxious', 'Burnout'] });
    const [alike, unlike, silent] = [
      await newcomer({ feels: ['Anxious', 'Burnout', 'Sad'] }),
      await newcomer({ feels: ['Happy'] }),
      await newcomer(),
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

  test('count feelings that were named long ago half', async () => {
    const [fresh, old, me] = [
      await newcomer({ feels: ['Sad'] }),
      await newcomer({ feels: ['Sad'] }),
      await newcomer({ feels: ['Sad'] }),
    ];
    await app.deps.db.identity
      .updateTable('identity.users')
      .set({ feelingsFrom: '2026-01-01' })
      .where('id', '=', old.userId)
      .execute();
    expect((await suggestionWith(me, fresh)).matchScore).toBe(0.75);
    expect((await suggestionWith(me, old)).matchScore).toBe(0.6);
  });

  test('are five from one’s own search until one names feelings, which brings five more at once', async () => {
    for (let n = 0; n < 14; n += 1) await newcomer({ feels: ['Burnout'] });
    const me = await newcomer();
    expect(await suggestionsOf(me)).toHaveLength(5);
    await pairs.name(app, me, ['Burnout']);
    const list = await suggestionsOf(me);
    expect(list).toHaveLength(10);
    expect(list.map(({ matchScore }) => matchScore)).toEqual([
      ...Array.from({ length: 5 }, () => 0.75),
      ...Array.from({ length: 5 }, () => 0.45),
    ]);
  });

  const counted = async () => [...(await pairs.countPairs(app)).values()];

  test('are at most ten by one’s own search; others find one at most 20 times, and newcomers some more', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 44; n += 1) people.push(await newcomer({ feels: ['Sad'] }));
    app.clock.advance(15 * day);
    const settled = await Promise.all(people.map(signedIn));
    for (const person of settled) expect((await suggestionsOf(person)).length).toBeGreaterThanOrEqual(10);
    expect(Math.max(...(await counted()).map(({ own }) => own))).toBe(10);
    // They answer, so that more is searched for, until everybody has been found as often as may be.
    for (const person of settled) {
      for (const { _id } of await suggestionsOf(person)) await reject(person, _id);
      await suggestionsOf(person);
    }
    const found = (await counted()).map((one) => one.found);
    expect(Math.max(...found)).toBeLessThanOrEqual(20);
    expect(await suggestionsOf(await newcomer({ feels: ['Sad'] }))).toHaveLength(10);
  });

  test('asked for by everybody at once make no pair twice and none too many', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 24; n += 1) people.push(await newcomer({ feels: ['Sad'] }));
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
    for (const { own, found } of await counted()) {
      expect(own).toBeLessThanOrEqual(10);
      expect(found).toBeLessThanOrEqual(30);
    }
    const { rows } = await sqlOf(`select count(*)::int as n from matching.pairs`);
    expect(Number(rows[0]?.['n'])).toBe(new Set(lists.flat().map(({ _id }) => _id)).size);
  });

  test('are at most 20 new ones a day, 10 on an account’s first two days, however many one refuses', async () => {
    const crowd: Person[] = [];
    for (let n = 0; n < 70; n += 1) crowd.push(await newcomer({ feels: ['Sad'] }));
    let me = await newcomer({ feels: ['Sad'] });
    /** Says no to everybody until nobody new comes. */
    const walk = async () => {
      let met = 0;
      for (let list = await suggestionsOf(me); list.length > 0; list = await suggestionsOf(me)) {
        for (const { _id } of list) await reject(me, _id);
        met += list.length;
      }
      return met;
    };
    const met: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      met.push(await walk());
      app.clock.advance(day);
    }
    expect(met).toEqual([10, 10, 20, 20]);
    // Being found by others counts for them and takes nothing from one's own search.
    me = await signedIn(me);
    const finders = await Promise.all(crowd.slice(60).map((person) => signedIn(person)));
    for (const finder of finders) await suggestionsOf(finder);
    expect(await walk()).toBeGreaterThanOrEqual(10);
  });

  test('leave out who has been away for 90 days, who is paused, and oneself; who was away for a month comes last', async () => {
    const [gone, away] = [await newcomer(), await newcomer()];
    app.clock.advance(60 * day);
    await signedIn(away);
    app.clock.advance(31 * day);
    const [me, paused, there] = [await newcomer(), await newcomer(), await newcomer()];
    await suspend(app, paused);
    const met = await peersIn(me, await suggestionsOf(me));
    expect(new Set(met)).toEqual(new Set([away.userId, there.userId]));
    expect(met).not.toContain(gone.userId);
    // With places for one alone, it is whoever was here lately.
    for (let n = 0; n < 5; n += 1) await newcomer();
    const late = await newcomer();
    expect(await peersIn(late, await suggestionsOf(late))).not.toContain(away.userId);
  });

  test('count edits of the profile at once for whoever is not paired yet', async () => {
    const me = await newcomer({ interests: ['kites'] });
    const other = await newcomer();
    await app.call(updateDetails, { as: other, body: { interests: ['Kites'] } });
    expect((await suggestionWith(me, other)).reasons[0]).toMatchObject({ about: 'kites' });
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
    // And is forgotten on the same day too.
    app.clock.advance(104 * day);
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

  test('keeps the two apart for 118 days, the same for a no and for silence', async () => {
    for (const isRefused of [true, false]) {
      const { one, other, id } = await two();
      if (isRefused) await reject(one, id);
      for (const [days, isThere] of [
        [117, false],
        [1, true],
      ] as const) {
        app.clock.advance(days * day);
        await runJob(app, 'forget-old-matches');
        const again = await signedIn(one);
        await signedIn(other);
        const met = await peersIn(one, await suggestionsOf(again));
        expect(met.includes(other.userId)).toBe(isThere);
      }
    }
  });
});

describe('what is fixed when a pair is made', () => {
  test('vents, visits and other feelings change no existing suggestion (SC-12, SC-13)', async () => {
    const people = [
      await newcomer({ name: 'first_one', feels: ['Sad'] }),
      await newcomer({ name: 'other_one', feels: ['Sad'] }),
      await newcomer({ name: 'third_one', feels: ['Sad'] }),
    ];
    const [, other, third] = people as [Person, Person, Person];
    const before = await Promise.all(people.map(suggestionsOf));
    expect(before[0]).toHaveLength(2);
    for (const emotion of ['Happy', 'Angry'] as const) await makeVent(app, other, { emotion });
    expect(await Promise.all(people.map(suggestionsOf))).toEqual(before);
    await pairs.name(app, other, ['Happy']);
    expect(await Promise.all(people.map(suggestionsOf))).toEqual(before);
    // Whoever comes now meets both as their profiles say, whatever they vented.
    const late = await newcomer({ feels: ['Happy'] });
    expect((await suggestionWith(late, other)).commonEmotions).toEqual(['Happy']);
    expect((await suggestionWith(late, third)).commonEmotions).toEqual([]);
  });
});

describe('a profile', () => {
  const profileOf = async (as: Person, id: string) => app.call(getUser, { as, params: { id } });

  test('can be read while the pair is open or mutual, and not after a no or a lapse', async () => {
    const { one, other, id } = await two();
    const shown = pairs.otherIdIn(one, await suggestionWith(one, other));
    expect((await profileOf(one, shown)).body).toMatchObject({ user: { _id: shown, username: null } });
    await reject(other, id);
    // A no of the other is not to be found out.
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
    const lapsing = await two();
    const lapsingId = pairs.otherIdIn(lapsing.one, await suggestionWith(lapsing.one, lapsing.other));
    const mutual = await two();
    const mutualId = pairs.otherIdIn(mutual.one, await suggestionWith(mutual.one, mutual.other));
    await accept(mutual.one, mutual.id);
    await accept(mutual.other, mutual.id);
    app.clock.advance(14 * day);
    expect((await profileOf(await signedIn(lapsing.one), lapsingId)).status).toBe(404);
    expect((await profileOf(await signedIn(mutual.one), mutualId)).status).toBe(200);
  });

  test('of an ended pair stays in history under the name and picture one answered to', async () => {
    const { one, other, id } = await two();
    await reject(other, id);
    await app.call(changeUsername, { as: one, body: { newUsername: 'new_name' } });
    const [past] = await historyOf(other);
    expect([past?.user1.username, past?.user2.username]).toContain('calm_river');
    expect(JSON.stringify(past)).not.toContain('new_name');
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
    const shown = pairs.otherIdIn(one, suggested);
    const sent = await suggestionWith(other, gone);
    await accept(other, sent._id);
    await accept(gone, sent._id);
    await leave(gone);
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
    const { rows } = await sqlOf('select count(*)::int as n from matching.pairs');
    expect(rows[0]?.['n']).toBe(1);
  });

  test('and an export says what matching holds', async () => {
    const { one, other, id } = await two();
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
  const lying = async () => {
    const { rows } = await sqlOf('select id::text from matching.pairs order by ctid');
    return rows.map((row) => BigInt(row['id'] as string));
  };
  const sorted = (ids: readonly bigint[]) => ids.toSorted((a, b) => (a < b ? -1 : 1));

  test('writes the pairs of the day in the order of their random numbers, so that rows say nothing of who came when', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 12; n += 1) people.push(await newcomer());
    for (const person of people) await suggestionsOf(person);
    const before = await lying();
    expect(before).not.toEqual(sorted(before));
    await runJob(app, 'settle-todays-pairs');
    expect(await lying()).toEqual(sorted(before));
    const [match] = await suggestionsOf(people[0] as Person);
    await accept(people[0] as Person, match?._id ?? '');
    await runJob(app, 'settle-ended-pairs');
    expect(await lying()).toEqual(sorted(before));
    const { rows } = await sqlOf('select count(*)::int as n from matching.pairs where is_fresh');
    expect(rows[0]?.['n']).toBe(0);
  });
});
