import {
  changeUsername,
  emotions,
  exportData,
  getUser,
  listComments,
  listVents,
  matchHistory,
  matchSuggestions,
  pendingMatches,
  searchVents,
  type Emotion,
} from '@unsaid/contract';
import { afterAll, describe, expect, test } from 'vitest';
import { ownTestApp, type TestApp } from './app.ts';
import { makeComment, makeVent, markConfirmed, signIn, type Person } from './factories.ts';
import {
  accept,
  makeNamed,
  name,
  otherIdIn,
  pairIdOf,
  pairIdsOf,
  peerOf,
  reject,
  seenBy,
  suggestionsOf,
  suggestionWith,
  withdraw,
} from './pairs.ts';
import { today } from '../src/platform/clock.ts';
import { weekOf } from '../src/platform/coarse-days.ts';
import { runJobs } from '../src/platform/jobs.ts';
import { alignPeople, closeWorld, makeWorld, type Call, type World } from './two-worlds.ts';
import { fullTier } from './runs.ts';

/** Checks for information leaks through matching, one channel per test (SC numbers: docs/requirements.md). */

const minute = 60_000;
const day = 86_400_000;

async function makePeople(app: TestApp, count: number): Promise<Person[]> {
  const people: Person[] = [];
  for (let n = 0; n < count; n += 1) people.push(await makeNamed(app));
  return people;
}

async function makeVents(app: TestApp, as: Person, emotion: Emotion, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1)
    await makeVent(app, as, { emotion, title: emotion, text: `once more, ${n}`, hashtags: [emotion] });
}

/** Status and body without the request id, which is random. */
const withoutRequestId = ({ status, text }: { status: number; text: string }) =>
  `${status} ${text.replace(/"requestId":"[^"]+"/u, '')}`;

/** Two servers with separate databases and the same people: they differ only in what happens afterwards. */
const open: World[] = [];
async function makeTwinWorlds(roles: readonly string[]): Promise<[World, World]> {
  const pair: [World, World] = [await makeWorld(roles), await makeWorld(roles)];
  open.push(...pair);
  await alignPeople(pair);
  return pair;
}
afterAll(() => Promise.all(open.map(closeWorld)));

const matchCalls: readonly Call[] = [
  [matchSuggestions, {}],
  [pendingMatches, {}],
  [matchHistory, {}],
];

test('SC-10: match lists contain dates and no times of day, and the newest event comes first (SC-10, S3.15)', async () => {
  const app = await ownTestApp({ limitsScale: 1000 });
  const [me, ...others] = (await makePeople(app, 9)) as [Person, ...Person[]];
  const ids = new Map<bigint, { pair: string; shown: string }>();
  for (const match of await suggestionsOf(app, me)) {
    const shown = otherIdIn(me, match);
    ids.set(await peerOf(app, me, shown), { pair: match._id, shown });
  }
  const idWith = (other: Person) => ids.get(other.userId)?.pair ?? '';
  const shownAs = (other: Person) => ids.get(other.userId)?.shown;
  const [askers, asked] = [others.slice(0, 4), others.slice(4)];
  // An order that is neither that of ids nor that of sign-ups.
  const mixed = <T>(items: readonly T[]) => [2, 0, 3, 1].flatMap((n) => items[n] ?? []);
  for (const as of mixed(askers)) {
    app.clock.advance(7 * minute);
    await accept(app, as, idWith(as));
  }
  for (const other of mixed(asked)) {
    app.clock.advance(3 * minute);
    await accept(app, me, idWith(other));
  }
  const pending = await app.call(pendingMatches, { as: me });
  expect(pending.body.receivedMatches.map(({ fromId }) => fromId)).toEqual(
    mixed(askers).toReversed().map(shownAs),
  );
  expect(pending.body.sentMatches.map(({ toId }) => toId)).toEqual(mixed(asked).toReversed().map(shownAs));
  const done: string[] = [];
  for (const [n, other] of mixed(askers).entries()) {
    app.clock.advance(n === 2 ? day : 11 * minute);
    await (n === 1 ? reject : accept)(app, me, idWith(other));
    done.unshift(idWith(other));
    app.clock.advance(5 * minute);
    const answered = mixed(asked)[n] as Person;
    await accept(app, answered, idWith(answered));
    done.unshift(idWith(answered));
  }
  const history = await app.call(matchHistory, { as: me });
  expect(history.body.history.map(({ matchId }) => matchId)).toEqual(done);
  expect(history.body.history.map(({ timestamp }) => timestamp)).toEqual([
    ...Array.from({ length: 4 }, () => '2026-11-16'),
    ...Array.from({ length: 4 }, () => '2026-11-15'),
  ]);
  for (const as of [me, ...others]) {
    for (const [call] of matchCalls) {
      // Random ids and pictures could match the patterns by chance.
      const text = (await app.call(call, { as })).text.replaceAll(/"(?:_id|\w+Id|\w+Pic)":"[^"]+"/gu, '');
      expect(text).not.toMatch(/\d\d:\d\d|T\d\d|\b\d{10,}\b/u);
      expect(text.match(/\d{4}-\d\d-\d\d/gu)?.length ?? 0).toBe(text.match(/"timestamp":/gu)?.length ?? 0);
    }
  }
});

test('SC-11: the common emotions of a pair are the feelings that both people named, whatever either of them vented (SC-11)', async () => {
  const app = await ownTestApp({ limitsScale: 1000 });
  const sets: Emotion[][] = [
    ['Sad'],
    ['Sad', 'Angry'],
    ['Anxious', 'Burnout', 'Angry'],
    ['Happy'],
    [],
    ['Neutral', 'Sad', 'Burnout'],
  ];
  const people: Person[] = [];
  for (const feelings of sets) {
    const person = await makeNamed(app, feelings);
    people.push(person);
    for (const emotion of emotions) await makeVents(app, person, emotion, 1);
  }
  let named = 0;
  for (const [n, me] of people.entries()) {
    for (const match of await suggestionsOf(app, me)) {
      const peer = await peerOf(app, me, otherIdIn(me, match));
      const theirs = sets[people.findIndex(({ userId }) => userId === peer)] ?? [];
      expect(match.commonEmotions).toEqual(
        emotions.filter((one) => sets[n]?.includes(one) && theirs.includes(one)),
      );
      named += match.commonEmotions.length;
    }
  }
  expect(named).toBeGreaterThan(8);
});

test('SC-12: the score and the common emotions are fixed when a pair is made, and later changes of feelings do not alter them (SC-12)', async () => {
  const app = await ownTestApp({ limitsScale: 1000 });
  const [me, other] = (await makePeople(app, 2)) as [Person, Person];
  const seen = async (as: Person, peer: Person) => {
    const { matchScore, commonEmotions } = await suggestionWith(app, as, peer);
    return { matchScore, commonEmotions };
  };
  const before = await seen(me, other);
  expect(before).toEqual({ matchScore: 0.75, commonEmotions: ['Sad'] });
  for (const emotion of emotions) {
    await name(app, me, [emotion]);
    expect(await seen(me, other)).toEqual(before);
    expect(await seen(other, me)).toEqual(before);
  }
});

test('SC-13: a vent leaves all suggestions unchanged, even after its author searches, accepts and rejects and the jobs run (SC-13)', async () => {
  const [silent, venting] = await makeTwinWorlds(['a', 'b', 'c', 'd', 'e', 'f']);
  const late = await Promise.all(
    [silent, venting].map(async ({ app }) => {
      const person = await makeNamed(app, ['Happy']);
      await app.call(changeUsername, { as: person, body: { newUsername: 'late_one' } });
      return person;
    }),
  );
  await alignPeople(
    [silent, venting].map((world, n) => ({ ...world, people: [...world.people, late[n] as Person] })),
  );
  const transcripts: string[][] = [];
  for (const [n, world] of [silent, venting].entries()) {
    const { app, people } = world;
    const [author, ...others] = people as [Person, ...Person[]];
    const lines: string[] = [];
    const everybody = [...people, late[n] as Person];
    const recordViews = async () => {
      for (const as of everybody) lines.push(await seenBy(app, as));
    };
    const postVents = async (emotion: Emotion, times: number) =>
      makeVents(app, world === venting ? author : (others[4] as Person), emotion, times);
    const runAllJobs = async () => runJobs(app.features.jobs);
    for (const [place, as] of people.entries()) await name(app, as, [emotions[place % 6] as Emotion, 'Sad']);
    // Some pairs are made before the vents, the others after.
    await suggestionsOf(app, others[0] as Person);
    await postVents('Happy', 1);
    await runAllJobs();
    const mine = await suggestionsOf(app, author);
    expect(mine).toHaveLength(6);
    await recordViews();
    const idWith = async (other: number) => (await pairIdOf(app, author, people[other] as Person)) ?? '';
    await accept(app, author, await idWith(1));
    await reject(app, author, await idWith(2));
    await recordViews();
    await postVents('Happy', 9);
    app.clock.advance(day);
    await runAllJobs();
    await accept(app, author, await idWith(3));
    await recordViews();
    transcripts.push(lines);
  }
  expect(transcripts[0]).toHaveLength(21);
  expect(transcripts[0]?.join('')).toContain('"emotions":["Happy"]');
  expect(transcripts[0]).toEqual(transcripts[1]);
});

describe('SC-14: the id of another person', () => {
  test('is returned only inside the caller’s own pairs, whatever the caller requests (SC-14, S6.7)', async () => {
    const app = await ownTestApp({ limitsScale: 10_000 });
    const people = await makePeople(app, 26);
    const vents: string[] = [];
    for (const as of people) vents.push((await makeVent(app, as)).id);
    for (const [n, as] of people.entries()) await makeComment(app, as, vents[(n * 5) % 26] ?? '');
    for (const [n, as] of people.entries()) {
      const [first, second] = await suggestionsOf(app, as);
      if (n % 3 === 0 && first) await accept(app, as, first._id);
      if (n % 4 === 0 && second) await reject(app, as, second._id);
    }
    const othersIn = (text: string, as: Person) =>
      people.filter((other) => other !== as && text.includes(other.user._id)).map(({ user }) => user._id);
    let strangers = 0;
    for (const as of people) {
      await markConfirmed(app, as);
      const inPairs = new Set<bigint>();
      for (const [call] of matchCalls) {
        const { text } = await app.call(call, { as });
        // No list contains the permanent id of another person.
        expect(othersIn(text, as)).toEqual([]);
        for (const [, id] of text.matchAll(/"(?:_id|fromId|toId)":"([\w-]{22})"/gu)) {
          if (id && app.deps.publicIds.peer.decode(id) !== null) inPairs.add(await peerOf(app, as, id));
        }
      }
      const elsewhere: { readonly text: string }[] = [
        await app.call(listVents, { as, query: { limit: '100' } }),
        await app.call(listVents, { as, query: { sort: 'trending' } }),
        await app.call(listVents, { as, query: { mine: 'true' } }),
        await app.call(searchVents, { as, query: { query: 'words' } }),
        await app.call(exportData, { as }),
      ];
      for (const id of vents) elsewhere.push(await app.call(listComments, { as, params: { id }, query: {} }));
      for (const { text } of elsewhere) expect(othersIn(text, as)).toEqual([]);
      const pairs = await pairIdsOf(app, as);
      for (const other of people) {
        if (other === as) continue;
        const isPair = pairs.has(other.userId);
        expect(inPairs.has(other.userId)).toBe(isPair);
        if (!isPair) strangers += 1;
      }
    }
    expect(strangers).toBeGreaterThan(26);
  });

  test('that is an alias, forged or of another kind opens no profile and no pair, and the response has the same bytes as for an id that never existed (SC-14)', async () => {
    const app = await ownTestApp({ limitsScale: 10_000 });
    const [me, other, stranger] = (await makePeople(app, 3)) as [Person, Person, Person];
    const { id: ventId, number } = await makeVent(app, other);
    const alias = (await app.call(listVents, { as: me })).body.vents[0]?.userId._id ?? '';
    expect(alias).toBe(app.deps.publicIds.alias.encode(number));
    const match = await suggestionWith(app, me, other);
    const notMine = (await suggestionWith(app, other, stranger))._id;
    const { publicIds } = app.deps;
    const never = { user: publicIds.peer.encode(10n ** 12n), match: publicIds.match.encode(10n ** 12n) };
    const theirPeer = publicIds.peer.encode(publicIds.match.decode(notMine) ?? 0n);
    const foreign = [
      alias,
      ventId,
      publicIds.session.encode(1n),
      'x',
      '',
      '0'.repeat(22),
      me.token.slice(0, 22),
    ];
    const profile = async (id: string) =>
      withoutRequestId(await app.call(getUser, { as: me, params: { id } }));
    for (const id of [
      ...foreign.filter(Boolean),
      match._id,
      other.user._id,
      theirPeer,
      app.pairKeys.encode(1n, weekOf(today(app.clock))).toString('base64url'),
    ])
      expect(await profile(id)).toBe(await profile(never.user));
    for (const answer of [accept, reject]) {
      const wanted = withoutRequestId(await answer(app, me, never.match));
      expect(wanted).toMatch(/^404 .*MATCH_NOT_FOUND/u);
      for (const id of [...foreign, notMine, other.user._id, otherIdIn(me, match)])
        expect(withoutRequestId(await answer(app, me, id))).toBe(wanted);
    }
    expect((await suggestionWith(app, me, other))._id).toBe(match._id);
  });
});

test('SC-19: accepting and rejecting suggestions changes no byte of any feed, trending list or search (SC-19)', async () => {
  const app = await ownTestApp({ limitsScale: 10_000 });
  const people = await makePeople(app, 5);
  for (const as of people) {
    const { id } = await makeVent(app, as, { hashtags: ['rain'] });
    for (const other of people) await makeComment(app, other, id, { anonymous: other !== as });
  }
  const feeds = async () => {
    const lines: string[] = [];
    for (const as of people) {
      for (const query of [{ limit: '100' }, { sort: 'trending' }, { mine: 'true' }] as const)
        lines.push(withoutRequestId(await app.call(listVents, { as, query })));
      lines.push(withoutRequestId(await app.call(searchVents, { as, query: { query: '#rain' } })));
    }
    return lines;
  };
  const before = await feeds();
  for (const [n, as] of people.entries()) {
    for (const [place, { _id }] of (await suggestionsOf(app, as)).entries())
      await ((n + place) % 2 === 0 ? accept : reject)(app, as, _id);
  }
  await runJobs(app.features.jobs);
  expect(await feeds()).toEqual(before);
});

describe('SC-31: in a pair', () => {
  test('the person listed first searched, signed up earlier or has the lower key no more often than by chance (SC-31)', async () => {
    const app = await ownTestApp({ limitsScale: 10_000 });
    const people = await makePeople(app, 44);
    const number = new Map(people.map(({ userId }, n) => [userId, n]));
    const pairs = new Map<string, { asker: bigint; first: bigint; second: bigint }>();
    for (let n = 0; n < people.length; n += 1) {
      const asker = people[(n * 19) % people.length] as Person;
      for (const { _id, user1, user2 } of await suggestionsOf(app, asker)) {
        const isAskerFirst = user1._id === asker.user._id;
        const peer = await peerOf(app, asker, isAskerFirst ? user2._id : user1._id);
        const [first, second] = isAskerFirst ? [asker.userId, peer] : [peer, asker.userId];
        const known = pairs.get(_id);
        // Both people see the same order.
        if (known) expect([first, second]).toEqual([known.first, known.second]);
        else pairs.set(_id, { asker: asker.userId, first, second });
      }
    }
    expect(pairs.size).toBeGreaterThanOrEqual(200);
    const all = [...pairs.values()];
    const share = (isFirst: (pair: (typeof all)[number]) => boolean) =>
      (all.filter(isFirst).length - all.length / 2) / Math.sqrt(all.length / 4);
    const key = (id: bigint) => app.pairKeys.encode(id, weekOf(today(app.clock)));
    const leanings = {
      asked: share(({ asker, first }) => asker === first),
      'signed up': share(({ first, second }) => (number.get(first) ?? 0) < (number.get(second) ?? 0)),
      'key in order': share(({ first, second }) => key(first).compare(key(second)) < 0),
    };
    // In standard deviations.
    for (const [what, leaning] of Object.entries(leanings)) expect(Math.abs(leaning), what).toBeLessThan(5);
    // In their own list, people come first about as often as second.
    let oneSided = 0;
    for (const person of people) {
      const mine = await suggestionsOf(app, person);
      if (new Set(mine.map(({ user1 }) => user1._id === person.user._id)).size < 2) oneSided += 1;
    }
    // A list of ten is one-sided by chance once in 500.
    expect(oneSided).toBeLessThan(5);
  });

  test('a person who has not answered sees the other’s yes, and no other answer is visible (SC-31)', async () => {
    const app = await ownTestApp({ limitsScale: 1000 });
    const [me, eager, unwilling, fickle, quiet] = (await makePeople(app, 5)) as [
      Person,
      Person,
      Person,
      Person,
      Person,
    ];
    const idWith = new Map<Person, string>();
    for (const other of [eager, unwilling, fickle, quiet])
      idWith.set(other, (await suggestionWith(app, me, other))._id);
    const id = (other: Person) => idWith.get(other) ?? '';
    await accept(app, eager, id(eager));
    await reject(app, unwilling, id(unwilling));
    await accept(app, fickle, id(fickle));
    expect((await withdraw(app, fickle, id(fickle))).status).toBe(200);
    const flags = async (as: Person) =>
      new Map(
        (await suggestionsOf(app, as)).map((match) => [
          match._id,
          match.user1._id === as.user._id
            ? { mine: match.user1Accepted, theirs: match.user2Accepted }
            : { mine: match.user2Accepted, theirs: match.user1Accepted },
        ]),
      );
    const mine = await flags(me);
    // A yes that was taken back looks like one that stands.
    for (const other of [eager, fickle]) expect(mine.get(id(other))).toEqual({ mine: false, theirs: true });
    for (const other of [unwilling, quiet])
      expect(mine.get(id(other))).toEqual({ mine: false, theirs: false });
    const { receivedMatches } = (await app.call(pendingMatches, { as: me })).body;
    expect(receivedMatches.map(({ matchId }) => matchId)).toEqual([id(fickle), id(eager)]);
    // A person who has answered no longer sees the suggestion or its flags.
    await accept(app, me, id(unwilling));
    await accept(app, me, id(quiet));
    const after = await flags(me);
    for (const other of [unwilling, quiet]) expect(after.has(id(other))).toBe(false);
    for (const { text } of await Promise.all(
      [pendingMatches, matchHistory].map((call) => app.call(call, { as: me })),
    ))
      expect(text).not.toMatch(/[aA]ccepted"|rejected/u);
  });
});

test(
  'SC-32: a refused person sees, on every day until the pair is deleted and after, what they would see if the other had never answered (SC-32)',
  fullTier(
    'match-refusals.proof.test.ts compares the same people on the day, the days after and while pairs close.',
  ),
  async () => {
    // Five people who are refused and the five who refuse them. There is no one else, so every two people are
    // paired.
    const roles = ['a', 'b', 'c', 'd', 'e', 'r', 's', 't', 'u', 'v'];
    const [refusing, silent] = await makeTwinWorlds(roles);
    // Pairs are made on day 0, close on day 14, 16 or 19, and are deleted on day 118.
    const days = [
      ...[0, 1, 2, 3, 4, 5, 6, 7, 13, 14, 15, 16, 18, 19, 20, 30, 44, 45, 60, 75, 90],
      ...[93, 97, 102, 104, 105, 107, 109, 110, 111, 115, 116, 117, 118, 119, 120, 122],
    ];
    const transcripts: string[][] = [];
    for (const world of [refusing, silent]) {
      const { app } = world;
      let people = world.people;
      const lines: string[] = [];
      for (const as of people) await name(app, as, ['Sad']);
      for (const as of people) await suggestionsOf(app, as);
      const ids = new Map<string, string>();
      for (const n of roles.keys())
        for (const other of roles.keys())
          if (n < other)
            ids.set(
              `${n} ${other}`,
              (await pairIdOf(app, people[n] as Person, people[other] as Person)) ?? '',
            );
      const idOf = (n: number, other: number) => ids.get(`${n} ${other}`) ?? '';
      let now = 0;
      let signedIn = 0;
      for (const today of days) {
        app.clock.advance((today - now) * day);
        now = today;
        if (today - signedIn >= 9) {
          signedIn = today;
          // The five who refuse do not sign in again, so they cannot be suggested again.
          const back = people.slice(0, 5).map((person) => signIn(app, person.phone, person));
          people = [...(await Promise.all(back)), ...people.slice(5)];
        }
        const refused = people.slice(0, 5);
        const [early, late, never, also, unlike] = refused as [Person, Person, Person, Person, Person];
        if (today === 2) await accept(app, early, idOf(0, 5));
        if (today === 3) {
          for (const [n, as] of people.slice(5).entries()) {
            if (world === refusing) expect((await reject(app, as, idOf(n, n + 5))).status).toBe(200);
            else await app.call(matchHistory, { as });
          }
        }
        if (today === 5) await accept(app, late, idOf(1, 6));
        if (today === 6) await reject(app, also, idOf(3, 8));
        await runJobs(app.features.jobs);
        for (const [n, as] of refused.entries()) {
          const matchId = idOf(n, n + 5);
          const answered = async (answer: typeof accept) => {
            const { status, body } = await answer(app, as, matchId);
            return `${status} ${JSON.stringify({ ...body, requestId: '' })}`;
          };
          lines.push(`day ${today} ${roles[n] ?? ''} ${await seenBy(app, as)}`);
          const profile = await app.call(getUser, {
            as,
            params: { id: app.deps.publicIds.peer.encode(app.deps.publicIds.match.decode(matchId) ?? 0n) },
          });
          lines.push(
            `profile ${profile.status} ${JSON.stringify(profile.body.user ?? null).replace(/"_id":"[^"]+"/u, '')}`,
          );
          if (today % 5 === 0 || today === 3) {
            await markConfirmed(app, as);
            const { body } = await app.call(exportData, { as });
            const { pairs } = body.data['matching'] as { pairs: { with: string }[] };
            lines.push(JSON.stringify(pairs.toSorted((x, y) => x.with.localeCompare(y.with))));
          }
          const mayAsk = today > 20 || [early, late].includes(as) ? today > 5 : today > 14;
          if (mayAsk && as !== also) lines.push(`day ${today} accepts ${await answered(accept)}`);
          if (today > 20 || (as === also && today > 6) || ((as === never || as === unlike) && today > 14))
            lines.push(`day ${today} rejects ${await answered(reject)}`);
        }
      }
      transcripts.push(lines);
    }
    const [one, other] = transcripts as [string[], string[]];
    for (const [n, line] of one.entries()) expect(line).toBe(other[n]);
    // The pairs were pending, closed and deleted on the way, and profiles were readable until the pairs closed.
    const told = one.join('\n');
    for (const piece of [
      '"status":"pending"',
      '"status":"closed"',
      'MATCH_CLOSED',
      'MATCH_NOT_FOUND',
      'profile 200',
      'profile 404',
    ])
      expect(told).toContain(piece);
  },
);

test(
  'SC-32: a person whose received yes was taken back sees, on every day until the pair is deleted, what they would see if it stood, unless they say yes too (SC-32)',
  fullTier('matches.test.ts finds a yes taken back that shows; its later days are found at night.'),
  async () => {
    // Three who receive a yes, and the three who give it. The first never answers, the second says no on day 6, the third
    // on day 3, before it is taken back.
    const roles = ['a', 'b', 'c', 'r', 's', 't'];
    const [withdrawing, standing] = await makeTwinWorlds(roles);
    const days = [0, 1, 2, 3, 4, 5, 6, 7, 13, 14, 15, 16, 17, 20, 30, 44, 90, 117, 118, 119];
    const transcripts: string[][] = [];
    for (const world of [withdrawing, standing]) {
      const { app } = world;
      let people = world.people;
      const lines: string[] = [];
      for (const as of people) await name(app, as, ['Sad']);
      for (const as of people) await suggestionsOf(app, as);
      const ids: string[] = [];
      for (const n of [0, 1, 2])
        ids.push((await pairIdOf(app, people[n] as Person, people[n + 3] as Person)) ?? '');
      // A second yes for each, so that the order of the received ones shows a change of its moment.
      const also = await Promise.all(
        [0, 1, 2].map((n) => pairIdOf(app, people[n] as Person, people[3 + ((n + 1) % 3)] as Person)),
      );
      let now = 0;
      let signedIn = 0;
      for (const today of days) {
        app.clock.advance((today - now) * day);
        now = today;
        if (today - signedIn >= 9) {
          signedIn = today;
          const back = people.slice(0, 3).map((person) => signIn(app, person.phone, person));
          people = [...(await Promise.all(back)), ...people.slice(3)];
        }
        const givers = people.slice(3);
        if (today === 2) {
          for (const [n, as] of givers.entries())
            expect((await accept(app, as, ids[n] ?? '')).status).toBe(200);
          for (const [n, id] of also.entries())
            expect((await accept(app, people[3 + ((n + 1) % 3)] as Person, id ?? '')).status).toBe(200);
        }
        if (today === 3) await reject(app, people[2] as Person, ids[2] ?? '');
        if (today === 4)
          for (const [n, as] of givers.entries()) {
            if (world === withdrawing) expect((await withdraw(app, as, ids[n] ?? '')).status).toBe(200);
            else await app.call(matchHistory, { as });
          }
        if (today === 6) await reject(app, people[1] as Person, ids[1] ?? '');
        await runJobs(app.features.jobs);
        for (const [n, as] of people.slice(0, 3).entries()) {
          lines.push(`day ${today} ${roles[n] ?? ''} ${await seenBy(app, as)}`);
          const { match, peer } = app.deps.publicIds;
          const id = peer.encode(match.decode(ids[n] ?? '') ?? 0n);
          const profile = await app.call(getUser, { as, params: { id } });
          lines.push(`profile ${profile.status} ${String(profile.body.user?.username)}`);
          if (today % 5 === 0 || today === 4) {
            await markConfirmed(app, as);
            const { body } = await app.call(exportData, { as });
            const { pairs } = body.data['matching'] as { pairs: { with: string }[] };
            lines.push(JSON.stringify(pairs.toSorted((x, y) => x.with.localeCompare(y.with))));
          }
          if (today > 16)
            for (const answer of [reject, accept, withdraw])
              lines.push(`day ${today} ${withoutRequestId(await answer(app, as, ids[n] ?? ''))}`);
        }
      }
      transcripts.push(lines);
    }
    const [one, other] = transcripts as [string[], string[]];
    for (const [n, line] of one.entries()) expect(line).toBe(other[n]);
    const told = one.join('\n');
    for (const piece of ['"received":[{', 'MATCH_CLOSED', 'MATCH_NOT_FOUND', 'profile 200', 'profile 404'])
      expect(told).toContain(piece);
  },
);
