import {
  changeUsername,
  drawAvatar,
  getSelf,
  getUser,
  getVent,
  isAcceptableUsername,
  type Emotion,
  matchPreferences,
  requestOtp,
  updateDetails,
  verifyOtp,
} from '@unsaid/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayMs } from '../src/platform/clock.ts';
import { areFeelingsStale } from '../src/profiles/feelings.ts';
import { newActor, startTestApp, type TestApp } from './app.ts';
import { makePhone, makeUser, makeVent, signIn } from './make.ts';
import { makeNamed, otherIdIn, suggestionWith } from './pairs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const words = (text: string) => text.trim().split(/\s+/u);

describe('a new account', () => {
  test('is made by a right code, and has no name', async () => {
    const person = await makeUser(app);
    expect(person.isNewUser).toBe(true);
    expect(person.user).toEqual({
      _id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/u) as string,
      username: null,
      bio: '',
      profilePic: expect.stringMatching(/^\/avatars\/[A-Za-z0-9_-]{12}\.svg$/u) as string,
      interests: [],
      likes: [],
      dislikes: [],
      feelings: [],
      feelingsStale: false,
      allowComments: true,
      preferences: { matchPreference: null, anonymousChat: true },
      profileCompleted: false,
    });
  });

  test('is the same account at the next sign-in', async () => {
    const phone = makePhone();
    const first = await signIn(app, phone);
    app.clock.advance(31_000);
    const second = await signIn(app, phone);
    expect([second.isNewUser, second.user._id]).toEqual([false, first.user._id]);
  });

  test('two codes of one new number answered at once make one account', async () => {
    const phone = makePhone();
    const [a, b] = [newActor(), newActor()];
    await app.call(requestOtp, { as: a, body: { phone } });
    const codeA = await app.codeFor(phone);
    await app.call(requestOtp, { as: b, body: { phone } });
    await expect.poll(() => app.deps.outbox.recent().filter(({ to }) => to === phone).length).toBe(2);
    const codeB = await app.codeFor(phone);
    const answers = await Promise.all([
      app.call(verifyOtp, { as: a, body: { phone, otp: codeA } }),
      app.call(verifyOtp, { as: b, body: { phone, otp: codeB } }),
    ]);
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners.length).toBeGreaterThan(0);
    expect(new Set(winners.map(({ body }) => body.user._id)).size).toBe(1);
    expect(winners.filter(({ body }) => body.isNewUser)).toHaveLength(1);
  });
});

describe('somebody by id', () => {
  test('a genuine id shows the public view and nothing of the self view', async () => {
    const [me, other] = [await makeNamed(app, ['Angry', 'Happy']), await makeNamed(app, ['Angry', 'Happy'])];
    await app.call(updateDetails, {
      as: other,
      body: { bio: 'tea and rain', preferences: 'Balanced', allowComments: false },
    });
    const id = otherIdIn(me, await suggestionWith(app, me, other));
    expect(id).not.toBe(other.user._id);
    const { status, body } = await app.call(getUser, { as: me, params: { id } });
    expect(status).toBe(200);
    expect(body.user).toEqual({
      _id: id,
      username: null,
      bio: 'tea and rain',
      profilePic: other.user.profilePic,
      interests: [],
      likes: [],
      dislikes: [],
      preferences: { matchPreference: 'Balanced' },
    });
  });

  test('my own id shows the self view', async () => {
    const me = await makeUser(app);
    const { body } = await app.call(getUser, { as: me, params: { id: me.user._id } });
    expect(body.user).toEqual(me.user);
  });

  test('anything else is not there, by the same number of statements', async () => {
    const me = await makeUser(app);
    const other = await makeUser(app);
    const { seals } = app.deps;
    const [sealed, unknown, strange] = [
      seals.session.seal(1n),
      seals.user.seal(999_999_999n),
      seals.peer.seal(1n),
    ];
    const counts = new Set<number>();
    await app.call(getSelf, { as: me });
    for (const id of [
      other.user._id,
      sealed,
      unknown,
      strange,
      'x',
      '1',
      `${me.user._id.slice(0, -1)}_`,
      '../user',
    ]) {
      app.statements.length = 0;
      const answer = await app.call(getUser, { as: me, params: { id } });
      expect([id, answer.status, answer.body.code]).toEqual([id, 404, 'NOT_FOUND']);
      counts.add(app.statements.length);
    }
    expect(counts.size).toBe(1);
  });
});

describe('the username', () => {
  const rename = (as: { token: string }, newUsername: string) =>
    app.call(changeUsername, { as, body: { newUsername } });

  test('letters, digits and underscore, 1 to 20; no reserved word and no phone number', async () => {
    const me = await makeUser(app);
    for (const bad of [
      '',
      'a b',
      'ä',
      'x'.repeat(21),
      'Admin',
      'anonymous',
      'me9876543210',
      '__1234567',
      'a-b',
      'नाम',
    ]) {
      const answer = await rename(me, bad);
      expect([bad, answer.status, answer.body.code]).toEqual([bad, 422, 'USERNAME_INVALID']);
    }
    expect((await rename(me, 'quiet_river')).body.user.username).toBe('quiet_river');
  });

  test('does not contain a word that stands for the service, however it is spelled', async () => {
    const me = await makeUser(app);
    for (const bad of [
      'Unsaid_Team',
      'unsaid_support',
      'Moderator_1',
      'Author_',
      'Anonymous_',
      'adm1n',
      'm0derator',
    ]) {
      const answer = await rename(me, bad);
      expect([bad, answer.status, answer.body.code]).toEqual([bad, 422, 'USERNAME_INVALID']);
    }
    const refused = words(`
      Admin Admln ADMINISTRATOR a_d_m_i_n 4dm1n admin2 m0d3r4t0r the_moderator mod Mod_1 m0d mod7 Support
      support_team 5upp0rt SupportTeam help_team he1p1ine helpline247 Official 0ff1cia1 real_official System user
      u5er deleted_user me y0u null undefined root staff the_team th3_t34m team7 un_said Team_Unsaid UnSa1d
      an0nymous_3 auth0r the_author author2 owner`);
    expect(refused.filter(isAcceptableUsername)).toEqual([]);
  });

  test('may be any ordinary name or word, also one that has a reserved one inside', () => {
    const innocent = words(`
      Modi narendra_modi Modak modest_mouse Ankit_Modi77 mod_esty badminton_fan badmintonlover Steamy_chai steam
      teammate Roots_of_mango beetroot Rooted Helpful_hema helpless_hugs SupportiveSoul Systematic ecosystem_9
      Owners_dog brownowl Meera_07 meena Youssef youth_2024 Usha User_friendly Useful Anoushka Authentic_asha
      Arthur_21 Tamilselvan Aditi_Nair Admirer Adhiraj Officer_k Priya4 Laksh1 Mohammed_5 Undefeated nullah_walk
      Staffordshire arun_said Varun_Saidapet Deletion Theodore quiet_river42 wandering_sparrow10 paper_lantern77
      mossy_thread31 little_compass15`);
    expect(innocent.length).toBeGreaterThanOrEqual(40);
    expect(innocent.filter((name) => !isAcceptableUsername(name))).toEqual([]);
  });

  test('is unique whatever its case, also for two who ask at the same instant', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => makeUser(app)));
    const answers = await Promise.all(
      people.map((person, n) => rename(person, n % 2 ? 'Paper_Moon' : 'paper_moon')),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('USERNAME_TAKEN');
  });

  test('the same name again changes nothing and costs nothing', async () => {
    const me = await makeUser(app);
    await rename(me, 'same_again');
    for (let times = 0; times < 100; times += 1) {
      const { status } = await rename(me, 'same_again');
      if (status !== 200) throw new Error(`refused at ${times}`);
    }
  });

  test('a name given up is held from others for 30 days, but not from its owner', async () => {
    const [me, other] = [await makeUser(app), await makeUser(app)];
    await rename(me, 'held_name');
    await rename(me, 'new_name');
    expect((await rename(other, 'HELD_name')).status).toBe(409);
    expect((await rename(me, 'held_name')).status).toBe(200);
    await rename(me, 'third_name');
    app.clock.advance(31 * dayMs);
    const later = await makeUser(app);
    expect((await rename(later, 'held_name')).status).toBe(200);
  });
});

describe('the details', () => {
  test('only the keys that are sent change', async () => {
    const me = await makeUser(app);
    await app.call(updateDetails, {
      as: me,
      body: {
        bio: 'a\r\n\r\n\r\n\r\nb\tc',
        interests: ['music', ' Music ', '', 'चाय'],
        likes: ['rain'],
        dislikes: ['noise'],
        preferences: { matchPreference: 'Similar Emotions', anonymousChat: false },
        allowComments: false,
      },
    });
    const { body } = await app.call(updateDetails, { as: me, body: { likes: [] } });
    expect(body.user).toMatchObject({
      bio: 'a\n\nb c',
      interests: ['music', 'चाय'],
      likes: [],
      dislikes: ['noise'],
      allowComments: false,
      preferences: { matchPreference: 'Similar Emotions', anonymousChat: false },
      profileCompleted: true,
    });
    expect((await app.call(getSelf, { as: me })).body.user).toEqual(body.user);
  });

  test('preferences may be the bare string of the signup form, also an empty one', async () => {
    const me = await makeUser(app);
    for (const preference of matchPreferences) {
      const { body } = await app.call(updateDetails, { as: me, body: { preferences: preference } });
      expect(body.user.preferences).toEqual({ matchPreference: preference, anonymousChat: true });
    }
    const { body } = await app.call(updateDetails, { as: me, body: { preferences: '' } });
    expect(body.user.preferences.matchPreference).toBeNull();
  });

  test('at signup the presented token is echoed, later none is', async () => {
    const me = await makeUser(app);
    expect((await app.call(updateDetails, { as: me, body: { bio: 'x' } })).body.token).toBe(me.token);
    expect((await app.call(updateDetails, { as: me, body: { bio: 'y' } })).body.token).toBeUndefined();
  });

  test('keys that are not theirs to set change nothing', async () => {
    const me = await makeUser(app);
    const body = {
      role: 'admin',
      _id: 'x',
      phone: '+1',
      username: 'root',
      profilePic: 'https://evil.example/x.png',
    };
    const answer = await app.call(updateDetails, { as: me, body: body as never });
    expect(answer.status).toBe(200);
    expect(answer.body.user).toEqual({ ...me.user, profileCompleted: true });
  });

  test('what does not fit is refused whole, in the words of the spec', async () => {
    const me = await makeUser(app);
    const wrong: unknown[] = [
      { bio: 'x'.repeat(301) },
      { bio: null },
      { bio: ['x'] },
      { bio: 'a\u0000b' },
      { bio: '\uD800' },
      { interests: 'music' },
      { interests: Array.from({ length: 21 }, (_, n) => `thing ${n}`) },
      { interests: ['x'.repeat(41)] },
      { allowComments: 'true' },
      { preferences: 'Somebody rich' },
      { preferences: { anonymousChat: 1 } },
    ];
    for (const body of wrong) {
      const answer = await app.call(updateDetails, { as: me, body: body as never });
      expect([body, answer.status, answer.body.code, answer.body.message]).toEqual([
        body,
        422,
        'VALIDATION_FAILED',
        'Profile update failed',
      ]);
    }
    expect((await app.call(getSelf, { as: me })).body.user).toEqual(me.user);
  });

  test('name up to three feelings, kept with the half month and asked again after 30 days', async () => {
    const person = await makeUser(app);
    const name = async (feelings: Emotion[]) =>
      (await app.call(updateDetails, { as: person, body: { feelings } })).body as {
        user: { feelings: string[]; feelingsStale: boolean };
      };
    const stored = async () =>
      app.deps.db.identity
        .selectFrom('identity.users')
        .select(['feelings', 'feelingsFrom'])
        .where('id', '=', person.userId)
        .executeTakeFirstOrThrow();
    const day = new Date(app.clock.now()).toISOString().slice(0, 10);
    const halfMonth = `${day.slice(0, 8)}${day.slice(8) < '16' ? '01' : '16'}`;
    expect((await name(['Burnout', 'Sad', 'Sad'])).user.feelings).toEqual(['Sad', 'Burnout']);
    expect(await stored()).toEqual({ feelings: 0b100010, feelingsFrom: halfMonth });
    const self = async () =>
      ((await app.call(getSelf, { as: person })).body as { user: { feelingsStale: boolean } }).user
        .feelingsStale;
    expect(await self()).toBe(false);
    // At least 30 days, whichever day of the half month it was.
    expect(areFeelingsStale('2026-11-01', '2026-12-15')).toBe(false);
    expect(areFeelingsStale('2026-11-01', '2026-12-17')).toBe(true);
    await app.deps.db.identity
      .updateTable('identity.users')
      .set({ feelingsFrom: '2020-01-16' })
      .where('id', '=', person.userId)
      .execute();
    expect(await self()).toBe(true);
    // Saying the same again is an answer to the question.
    expect((await name(['Sad', 'Burnout'])).user.feelingsStale).toBe(false);
    expect((await name([])).user).toMatchObject({ feelings: [], feelingsStale: false });
    expect(await stored()).toEqual({ feelings: 0, feelingsFrom: null });
    for (const feelings of [['Happy', 'Sad', 'Angry', 'Anxious'], ['Lonely'], 'Sad', [null]]) {
      const { status } = await app.call(updateDetails, { as: person, body: { feelings } as never });
      expect(status).toBe(422);
    }
  });

  test('300 graphemes of Hindi fit in a bio', async () => {
    const me = await makeUser(app);
    const bio = 'नमस्ते'.repeat(100).slice(0, 6 * 50);
    const { body } = await app.call(updateDetails, { as: me, body: { bio } });
    expect(body.user.bio).toBe(bio.normalize('NFC'));
  });

  test('allowComments is kept with the account, sends no statement to content, and counts for new vents alone', async () => {
    const me = await makeUser(app);
    const before = await makeVent(app, me);
    app.statements.length = 0;
    await app.call(updateDetails, { as: me, body: { allowComments: false } });
    expect(app.statements.filter(({ role, text }) => role !== 'identity' && !/^select/iu.test(text))).toEqual(
      [],
    );
    const after = await makeVent(app, me);
    const isOpen = async ({ id }: { id: string }) =>
      (await app.call(getVent, { as: me, params: { id } })).body.vent.userId.allowComments;
    expect([await isOpen(before), await isOpen(after)]).toEqual([true, false]);
  });
});

test('another picture is drawn by the server, whatever is sent', async () => {
  const me = await makeUser(app);
  const { body } = await app.call(drawAvatar, { as: me, headers: { 'content-type': 'application/json' } });
  expect(body.user.profilePic).not.toBe(me.user.profilePic);
  expect(body.user.profilePic).toMatch(/^\/avatars\/[A-Za-z0-9_-]{12}\.svg$/u);
});
