/**
 * @module-tag full
 * A day later: match-leaks.proof.test.ts and the two worlds find a vent or a visit that changes a suggestion on every
 * change; matches.test.ts finds ids and limits of pairs.
 */
import {
  regenerateAvatar,
  emotions,
  getVent,
  limits,
  listVents,
  matchHistory,
  pendingMatches,
} from '@unsaid/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBeside, startTestApp, type TestApp } from './app.ts';
import { makeVent } from './factories.ts';
import {
  accept,
  fetchSuggestions,
  signInAgain,
  describe as describeMember,
  inBoth,
  addMember,
  passDays,
  readProfile,
  reject,
  rename,
  findDifferences,
  walkToday,
  walkToTheEnd,
  workerRound,
  type Member,
  type Seen,
} from './match-walks.ts';
import { seeded } from './statistics.ts';

/**
 * Oracle attacks on matching: what repeated requests reveal (F2, F12, R8, R9, R15). Each attack runs once in
 * beforeAll and throws if its premises do not hold. The tests only check its results.
 */

const scale = 1_000_000;
const report = (line: string) => console.log(line);
const requirePremise = (isTrue: boolean, premise: string) => {
  if (!isTrue) throw new Error(`premise: ${premise}`);
};
const distribution = (values: readonly (number | string)[]) =>
  JSON.stringify(
    Object.fromEntries(
      [...Map.groupBy(values, String)]
        .map(([value, all]) => [value, all.length] as const)
        .toSorted(([, a], [, b]) => b - a),
    ),
  );
const shift = ({ from, to }: { from: string; to: string }) =>
  (Number.parseFloat(to) - Number.parseFloat(from)).toFixed(2);

function ownApp(): { readonly app: () => TestApp } {
  let app: TestApp | undefined;
  beforeAll(async () => {
    app = await startTestApp({ limitsScale: scale, logLevel: 'silent' });
  });
  afterAll(() => app?.close());
  return {
    app: () => {
      if (!app) throw new Error('no app yet');
      return app;
    },
  };
}

describe('two accounts that differ in one hashtag', () => {
  const { app: getApp } = ownApp();
  const size = 60;
  const secret = 'clinic';
  let victim = '';
  let byTag: { name: string; from: string; to: string }[] = [];
  let byInterest: typeof byTag = [];

  beforeAll(async () => {
    const app = getApp();
    const random = seeded(5);
    const subjects = ['exams', 'family', 'work', 'hostel', 'money', 'sleep', 'college', 'career', 'friends'];
    const hobbies = ['music', 'cricket', 'poetry', 'tea', 'films'];
    const people: Member[] = [];
    for (let n = 0; n < size; n += 1) {
      const member = await addMember(app, `person_${n}`, {
        interests: [...new Set([random.pick(hobbies), random.pick(hobbies)])],
        preferences: random.pick(['Similar Emotions', 'Different Emotions', 'Balanced', ''] as const),
      });
      people.push(member);
      for (let vents = 0; vents < 2; vents += 1)
        await makeVent(app, member, { emotion: random.pick(emotions), hashtags: [random.pick(subjects)] });
    }
    const target = people[17] as Member;
    victim = target.name;
    await describeMember(app, target, { interests: ['beekeeping'] });
    await makeVent(app, target, { emotion: 'Sad', hashtags: [secret, 'family'] });
    await workerRound(app);

    // The attacker knows only the emotion and the hashtag of the vent.
    const probes: Member[] = [];
    for (const [name, hashtag] of [
      ['probe_a', secret],
      ['probe_c', 'weather'],
    ] as const) {
      const probe = await addMember(app, name, { interests: ['tea'] });
      for (let vents = 0; vents < 3; vents += 1)
        await makeVent(app, probe, { emotion: 'Sad', hashtags: [hashtag] });
      probes.push(probe);
    }
    await workerRound(app);
    const [a, c] = (await walkToTheEnd(app, probes)) as [Map<string, string>, Map<string, string>];
    const seen = inBoth(a, c).filter((name) => name.startsWith('person_'));
    requirePremise(seen.length === size, `both walkers met all ${size} members, not ${seen.length}`);
    byTag = findDifferences(c, a);
    report(
      `tag walk: ${seen.length} people met by both, ${byTag.length} stand out ` +
        `(${byTag.map((one) => `${one.name} by ${shift(one)}`).join(', ')}); the vent was ${victim}'s`,
    );

    const others = [
      await addMember(app, 'probe_e', { interests: ['beekeeping'] }),
      await addMember(app, 'probe_f', { interests: ['falconry'] }),
    ];
    const [e, f] = (await walkToTheEnd(app, others)) as [Map<string, string>, Map<string, string>];
    byInterest = findDifferences(f, e);
    report(`planted, an interest: ${byInterest.map((one) => `${one.name} by ${shift(one)}`).join(', ')}`);
  });

  test('receive the same scores and reasons for every person, whichever of them vented under it (SC-13)', () => {
    expect(byTag).toEqual([]);
  });

  test('identify the only person who named an interest, which shows that the attack can succeed', () => {
    expect(byInterest.map(({ name }) => name)).toEqual([victim]);
  });
});

describe('two equal accounts, one that rejects all suggestions before a run of the jobs and one after it', () => {
  const { app: getApp } = ownApp();
  const size = 14;
  const some = [2, 5, 8, 11];
  const moved: Record<string, { name: string; from: string; to: string }[]> = {};
  let truth: string[] = [];
  const lists: string[][] = [];

  beforeAll(async () => {
    const app = getApp();
    const members: Member[] = [];
    for (let n = 0; n < size; n += 1) {
      const member = await addMember(app, `person_${n}`, { interests: ['music', 'tea'] });
      if (n % 3 !== 2) await makeVent(app, member, { emotion: n % 2 === 0 ? 'Sad' : 'Anxious' });
      members.push(member);
    }
    truth = some.map((n) => `person_${n}`);
    const walkers: Member[] = [];
    for (let n = 0; n < 7; n += 1) {
      const walker = await addMember(app, `walker_${n}`, { interests: ['tea'] });
      for (let vents = 0; vents < 4; vents += 1) await makeVent(app, walker, { emotion: 'Sad' });
      walkers.push(walker);
    }
    // New accounts get fewer suggestions.
    await passDays(app, 3);
    await workerRound(app);
    const [onlooker, ...equal] = walkers as [Member, ...Member[]];
    const readSuggestions = async () =>
      (await fetchSuggestions(app, onlooker)).map(({ name, told }) => `${name} ${told}`);
    // Ten members remain, and the four are among them.
    const passed = new Set([0, 1, 3, 4].map((n) => `person_${n}`));
    for (let round = 0; round < 4; round += 1) {
      for (const { name, matchId } of await fetchSuggestions(app, onlooker))
        if (name.startsWith('walker_') || passed.has(name)) await reject(app, onlooker, matchId);
    }
    const watched = (await readSuggestions()).filter((line) =>
      truth.some((name) => line.startsWith(`${name} `)),
    ).length;
    requirePremise(
      watched === some.length,
      `the onlooker has all four among the suggestions, not ${watched}`,
    );

    /**
     * Compares the scores and reasons that one walker sees before an event with those that the next sees after
     * it.
     */
    async function compare(what: string, happens: (member: Member, n: number) => Promise<unknown>) {
      const [first, second] = equal.splice(0, 2) as [Member, Member];
      lists.push(await readSuggestions());
      const told = (seen: readonly Seen[]) => new Map(seen.map((one) => [one.name, one.told]));
      const before = told(await walkToday(app, first));
      for (const [n, place] of some.entries()) await happens(members[place] as Member, n);
      await workerRound(app);
      const after = told(await walkToday(app, second));
      lists.push(await readSuggestions());
      const seen = inBoth(before, after).filter((name) => name.startsWith('person_'));
      requirePremise(seen.length === size, `both walkers met all ${size} members, not ${seen.length}`);
      const found = findDifferences(before, after);
      moved[what] = found;
      report(
        `${what}: of ${inBoth(before, after).length} people met by both ${found.length} moved ` +
          `(${found.map((one) => `${one.name} ${shift(one)}${truth.includes(one.name) ? ' TRUE' : ''}`).join(', ')})`,
      );
    }

    const felt = ['Angry', 'Happy', 'Sad', 'Burnout'] as const;
    await compare('vented', async (member, n) => {
      for (let times = 0; times < 3; times += 1) await makeVent(app, member, { emotion: felt[n] ?? 'Sad' });
    });
    await passDays(app, 7);
    for (const walker of [onlooker, ...equal]) await signInAgain(app, walker);
    await compare('visited', (member) => signInAgain(app, member));
    await compare('planted, an interest', (member) =>
      describeMember(app, member, { interests: ['football'] }),
    );
  });

  test('receive the same scores and reasons when four people vented in between (SC-13)', () => {
    expect(moved['vented']).toEqual([]);
  });

  test('receive the same scores and reasons when four people visited in between', () => {
    expect(moved['visited']).toEqual([]);
  });

  const changed = (before: number, after: number) =>
    (lists[after] ?? []).filter((line) => !lists[before]?.includes(line)).length;

  test('leave existing suggestions with the same people, scores and order when four people vented', () => {
    report(`of ${lists[0]?.length ?? 0} suggestions that wait, ${changed(0, 1)} changed when four vented`);
    expect(lists[1]).toEqual(lists[0]);
  });

  test('leave existing suggestions with the same people, scores and order when days passed and four people visited', () => {
    report(`of ${lists[0]?.length ?? 0} suggestions that wait, ${changed(1, 3)} changed when four visited`);
    expect(lists[2]).toEqual(lists[1]);
    expect(lists[3]).toEqual(lists[2]);
  });

  test('identify the four people who changed their profiles, which shows that the comparison can succeed', () => {
    expect(moved['planted, an interest']?.map(({ name }) => name).toSorted()).toEqual(truth.toSorted());
  });
});

describe('people with equal profiles and last visits on different days', () => {
  const { app: getApp } = ownApp();
  let scores: number[] = [];

  beforeAll(async () => {
    const app = getApp();
    const week = 7;
    const members: Member[] = [];
    for (let n = 0; n <= week; n += 1)
      members.push(await addMember(app, `person_${n}`, { interests: ['music', 'tea'] }));
    const walker = await addMember(app, 'walker', { interests: ['tea'] });
    for (let day = 1; day <= week; day += 1) {
      await passDays(app, 1);
      // After the loop, the nth member visited last n days ago.
      await signInAgain(app, members[week - day] as Member);
      await workerRound(app);
    }
    const seen = await walkToday(app, walker);
    requirePremise(seen.length === members.length, `the walker met all, not ${seen.length}`);
    scores = members.map(({ name }) => seen.find((one) => one.name === name)?.score ?? -1);
    report(`scores by days since the last visit, 0 to 7: ${scores.join(' ')}`);
  });

  test('have the same score, for last visits of 0 to 7 days ago (SC-13)', () => {
    expect(new Set(scores).size).toBe(1);
  });

  test('have scores between 0 and 1, so the comparison is not empty', () => {
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });
});

describe('a person who rejects every suggestion', () => {
  const { app: getApp } = ownApp();
  const met: number[] = [];
  let strict: TestApp | undefined;
  afterAll(() => strict?.close());

  beforeAll(async () => {
    const app = getApp();
    for (let n = 0; n < 70; n += 1) await addMember(app, `person_${n}`);
    const walker = await addMember(app, 'walker');
    // A second server on the same stores, with the limits of production.
    strict = await startBeside(app, { limitsScale: 1 });
    for (let day = 0; day < 4; day += 1) {
      met.push((await walkToday(strict, walker)).length);
      await passDays(strict, 1);
    }
    report(`new people for one walker, day by day: ${met.join(', ')}`);
  });

  test('gets ten new suggestions on each of the first two days and twenty on each later day', () => {
    expect(met).toEqual([10, 10, 20, 20]);
  });
});

describe('a person whom many searches have found', () => {
  const { app: getApp } = ownApp();
  let found = 0;
  let own = 0;

  beforeAll(async () => {
    const app = getApp();
    const popular = await addMember(app, 'popular', { interests: ['chess'] });
    const walkers: Member[] = [];
    for (let n = 0; n < 34; n += 1)
      walkers.push(await addMember(app, `walker_${n}`, { interests: ['football'] }));
    await passDays(app, 3);
    let times = 0;
    for (const walker of walkers)
      times += (await walkToday(app, walker)).filter(({ name }) => name === popular.name).length;
    // People whom no search has found yet, and who fit better.
    for (let n = 0; n < 12; n += 1) await addMember(app, `quiet_${n}`, { interests: ['chess'] });
    const list = await fetchSuggestions(app, popular);
    found = list.filter(({ name }) => name.startsWith('walker_')).length;
    own = list.filter(({ name }) => name.startsWith('quiet_')).length;
    requirePremise(times >= limits.foundByOthers, `many searches found them, not ${times}`);
    report(
      `found by ${times} of 34 who then said no; their own first suggestions: ${found} of those and ${own} others`,
    );
  });

  test('has no more of those suggestions to answer than the limit for being found', () => {
    expect(found).toBeLessThanOrEqual(limits.foundByOthers + limits.foundByNewcomers);
  });

  test('still gets ten suggestions from their own search', () => {
    expect(own).toBe(10);
  });
});

describe('the id of the other person in a pair', () => {
  const { app: getApp } = ownApp();
  const statuses: Record<string, number> = {};
  const shown: Record<string, string[]> = {};
  const first = new Map<string, Seen>();
  const again = new Map<string, Seen>();
  const seenBy: Record<string, string> = {};
  const elsewhere: Record<string, unknown> = {};

  beforeAll(async () => {
    const app = getApp();
    const people: Member[] = [];
    for (const name of ['asha', 'bina', 'chandra', 'deepa', 'esha', 'farah'])
      people.push(await addMember(app, name, { interests: ['music'] }));
    const [asha, bina, chandra, deepa, esha, farah] = people as [
      Member,
      Member,
      Member,
      Member,
      Member,
      Member,
    ];
    for (const seen of await fetchSuggestions(app, asha)) first.set(seen.name, seen);
    requirePremise(first.size === 5, `asha is suggested everybody, not ${first.size}`);
    const kept = (name: string) => first.get(name)?.other._id ?? '';
    const matchWith = (name: string) => first.get(name)?.matchId ?? '';
    const read = async (when: string, who: readonly string[]) => {
      for (const name of who) statuses[`${name} ${when}`] = (await readProfile(app, asha, kept(name))).status;
    };
    /** Changes name and picture, and records which of the new ones appear in lists. */
    const change = async (when: string, member: Member) => {
      const before = member.name;
      await rename(app, member, `${before}_new`);
      const { body } = await app.call(regenerateAvatar, { as: member });
      const answers = [
        ...(await Promise.all([matchHistory, pendingMatches].map((call) => app.call(call, { as: asha })))),
      ];
      shown[`${before} ${when}`] = [member.name, body.user.profilePic].filter((piece) =>
        answers.some(({ text }) => text.includes(piece)),
      );
    };

    await read('open', ['bina', 'deepa', 'esha', 'farah']);
    seenBy['asha'] = kept('bina');
    seenBy['chandra'] =
      (await fetchSuggestions(app, chandra)).find(({ name }) => name === 'bina')?.other._id ?? '';
    requirePremise(seenBy['chandra'] !== '', 'chandra is suggested bina');
    statuses['bina by another'] = (await readProfile(app, chandra, kept('bina'))).status;
    const { id: ventId } = await makeVent(app, bina);
    const alias = (await app.call(listVents, { as: asha })).body.vents.find(({ _id }) => _id === ventId)
      ?.userId._id;
    elsewhere['alias of a vent is the id'] = alias === kept('bina');
    elsewhere['profile by alias'] = (await readProfile(app, asha, alias ?? '')).status;
    elsewhere['vent by id'] = (await app.call(getVent, { as: asha, params: { id: kept('bina') } })).status;
    elsewhere['profile by match'] = (await readProfile(app, asha, matchWith('bina'))).status;

    for (const [answer, as, name] of [
      [reject, asha, 'bina'],
      [accept, asha, 'deepa'],
      [accept, asha, 'esha'],
      [accept, esha, 'esha'],
    ] as const) {
      const { status, text } = await answer(app, as, matchWith(name));
      requirePremise(status === 200, `${name} is answered: ${text}`);
    }
    await read('answered', ['bina', 'deepa', 'esha', 'farah']);
    await change('refused', bina);
    await change('mutual', esha);

    await passDays(app, 15);
    for (const member of people) await signInAgain(app, member);
    await workerRound(app);
    await read('closed', ['bina', 'deepa', 'esha', 'farah']);
    const { history } = (await app.call(matchHistory, { as: asha })).body;
    const counts = distribution(history.map(({ status }) => status));
    requirePremise(counts.includes('"closed":1'), `one pair in asha's history is closed: ${counts}`);
    await change('closed', deepa);
    await change('unanswered', farah);

    for (let month = 0; month < 4; month += 1) {
      await passDays(app, 28);
      for (const member of people) await signInAgain(app, member);
      await workerRound(app);
    }
    for (const seen of await fetchSuggestions(app, asha)) again.set(seen.name.replace('_new', ''), seen);
    requirePremise(again.has('bina') && again.has('deepa'), 'they are suggested again in the end');
    await read('paired again', ['bina', 'deepa', 'esha']);
    report(`kept ids, by what came of the pair: ${JSON.stringify(statuses)}`);
    report(`later names and pictures in lists: ${JSON.stringify(shown)}`);
    const sameIds = [...again].filter(
      ([name, { matchId, other }]) => matchId === matchWith(name) || other._id === kept(name),
    ).length;
    report(`pairs made again with an id of before: ${sameIds} of ${again.size}`);
  });

  test('opens the profile while the pair is open, and permanently after both said yes', () => {
    for (const name of ['bina', 'deepa', 'esha', 'farah']) expect(statuses[`${name} open`], name).toBe(200);
    // A no of the other is not visible, and a pair without an answer is open.
    for (const name of ['deepa', 'esha', 'farah']) expect(statuses[`${name} answered`], name).toBe(200);
    for (const when of ['closed', 'paired again']) expect(statuses[`esha ${when}`], when).toBe(200);
    expect(shown['esha mutual']).toHaveLength(2);
  });

  test('opens nothing after the caller has said no', () => {
    expect(statuses['bina answered']).toBe(404);
    expect(statuses['bina closed']).toBe(404);
  });

  test('opens nothing after the pair has closed, answered or not', () => {
    expect([statuses['deepa closed'], statuses['farah closed']]).toEqual([404, 404]);
  });

  test('leads to no later name or picture in a list after a no', () => {
    expect(shown['bina refused']).toEqual([]);
  });

  test('leads to no later name or picture in a list after the pair has closed', () => {
    expect([shown['deepa closed'], shown['farah unanswered']]).toEqual([[], []]);
  });

  test('is different for each person who sees them', () => {
    expect(seenBy['asha']).not.toBe(seenBy['chandra']);
  });

  test('opens nothing for another person who is paired with them', () => {
    expect(statuses['bina by another']).toBe(404);
  });

  test('is not valid as an alias, a vent id or a match id', () => {
    expect(elsewhere).toEqual({
      'alias of a vent is the id': false,
      'profile by alias': 404,
      'vent by id': 404,
      'profile by match': 404,
    });
  });

  test('changes, as the match id does, when the same two are paired again', () => {
    for (const name of ['bina', 'deepa']) {
      expect(again.get(name)?.matchId).not.toBe(first.get(name)?.matchId);
      expect(again.get(name)?.other._id).not.toBe(first.get(name)?.other._id);
    }
  });

  test('of an earlier pair opens nothing when the same two are paired again', () => {
    expect([statuses['bina paired again'], statuses['deepa paired again']]).toEqual([404, 404]);
  });
});
