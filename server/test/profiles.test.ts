import {
  changeUsername,
  regenerateAvatar,
  getSelf,
  getUser,
  getVent,
  isAcceptableUsername,
  type Emotion,
  matchPreferences,
  updateDetails,
  verifyOtp,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { dayMs } from '../src/platform/clock.ts';
import { areFeelingsStale } from '../src/kernel/feelings.ts';
import { changeFactsOf, readFacts } from './facts.ts';
import { newActor, usePool, useTestApp } from './app.ts';
import { askForCode, makePhone, makeUser, makeVent, signIn } from './factories.ts';
import { collide } from './locks.ts';
import { makeNamed, otherIdIn, suggestionWith } from './pairs.ts';

const app = useTestApp();
const rows = usePool(app);

const words = (text: string) => text.trim().split(/\s+/u);

describe('a new account', () => {
  test('is created by a correct code and has no name (SC-34, S3.1 to S3.3)', async () => {
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

  test('is created once when two codes of a new number are verified at the same time', async () => {
    const phone = makePhone();
    // A correct code ends the others of its number. The second is sent when the first has been accepted.
    const enter = async () => {
      const actor = newActor();
      const otp = await askForCode(app, actor, phone);
      return app.call(verifyOtp, { as: actor, body: { phone, otp } });
    };
    const answers = await collide(rows, 'lock table identity.phone_index in share mode', [enter, enter]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ body }) => body.user._id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.isNewUser)).toHaveLength(1);
  });
});

describe('reading a user by id', () => {
  test('shows the public view for a peer id, and nothing of the self view (SC-7, S7.5)', async () => {
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

  test('shows the self view for the caller’s own id (S7.4)', async () => {
    const me = await makeUser(app);
    const { body } = await app.call(getUser, { as: me, params: { id: me.user._id } });
    expect(body.user).toEqual(me.user);
  });

  test('responds 404 to any other id, after the same number of statements (SC-14)', async () => {
    const me = await makeUser(app);
    const other = await makeUser(app);
    const { publicIds } = app.deps;
    const [sealed, unknown, strange] = [
      publicIds.session.encode(1n),
      publicIds.user.encode(999_999_999n),
      publicIds.peer.encode(1n),
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
  const changeName = (as: { token: string }, newUsername: string) =>
    app.call(changeUsername, { as, body: { newUsername } });

  test('has 1 to 20 letters, digits and underscores, and is no reserved word and no phone number (S5.1, S9.3)', async () => {
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
      const answer = await changeName(me, bad);
      expect([bad, answer.status, answer.body.code]).toEqual([bad, 422, 'USERNAME_INVALID']);
    }
    expect((await changeName(me, 'quiet_river')).body.user.username).toBe('quiet_river');
  });

  test('does not contain a word that stands for the service, in any spelling (R42)', async () => {
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
      const answer = await changeName(me, bad);
      expect([bad, answer.status, answer.body.code]).toEqual([bad, 422, 'USERNAME_INVALID']);
    }
    const refused = words(`
      Admin Admln ADMINISTRATOR a_d_m_i_n 4dm1n admin2 m0d3r4t0r the_moderator mod Mod_1 m0d mod7 Support
      support_team 5upp0rt SupportTeam help_team he1p1ine helpline247 Official 0ff1cia1 real_official System user
      u5er deleted_user me y0u null undefined root staff the_team th3_t34m team7 un_said Team_Unsaid UnSa1d
      an0nymous_3 auth0r the_author author2 owner`);
    expect(refused.filter(isAcceptableUsername)).toEqual([]);
  });

  test('may be any ordinary name or word, also one that contains a reserved word (R42)', () => {
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

  test('is unique regardless of case, also for simultaneous requests (R38)', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => makeUser(app)));
    const answers = await collide(
      rows,
      'lock table identity.users in share mode',
      people.map((person, n) => () => changeName(person, n % 2 ? 'Paper_Moon' : 'paper_moon')),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('USERNAME_TAKEN');
  });

  test('can be set to the same name again without a change and without a cost', async () => {
    const me = await makeUser(app);
    await changeName(me, 'same_again');
    for (let times = 0; times < 100; times += 1) {
      const { status } = await changeName(me, 'same_again');
      if (status !== 200) throw new Error(`refused at ${times}`);
    }
  });

  test('stays reserved for its former owner for 30 days after a change', async () => {
    const [me, other] = [await makeUser(app), await makeUser(app)];
    await changeName(me, 'held_name');
    await changeName(me, 'new_name');
    expect((await changeName(other, 'HELD_name')).status).toBe(409);
    expect((await changeName(me, 'held_name')).status).toBe(200);
    await changeName(me, 'third_name');
    app.clock.advance(31 * dayMs);
    const later = await makeUser(app);
    expect((await changeName(later, 'held_name')).status).toBe(200);
  });
});

describe('the details', () => {
  test('change only in the keys that are sent (S7.7)', async () => {
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

  test('accept preferences as the plain string of the signup form, also an empty one (S3.18, S7.21)', async () => {
    const me = await makeUser(app);
    for (const preference of matchPreferences) {
      const { body } = await app.call(updateDetails, { as: me, body: { preferences: preference } });
      expect(body.user.preferences).toEqual({ matchPreference: preference, anonymousChat: true });
    }
    const { body } = await app.call(updateDetails, { as: me, body: { preferences: '' } });
    expect(body.user.preferences.matchPreference).toBeNull();
  });

  test('echo the token at signup and return none later (S7.7)', async () => {
    const me = await makeUser(app);
    expect((await app.call(updateDetails, { as: me, body: { bio: 'x' } })).body.token).toBe(me.token);
    expect((await app.call(updateDetails, { as: me, body: { bio: 'y' } })).body.token).toBeUndefined();
  });

  test('ignore keys that users cannot set (S6.1, S6.6)', async () => {
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

  test('are refused as a whole if one value is invalid, with the message of the specification (R42)', async () => {
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

  test('contain up to three feelings, which are stored with the half month and become stale after 30 days', async () => {
    const person = await makeUser(app);
    const name = async (feelings: Emotion[]) =>
      (await app.call(updateDetails, { as: person, body: { feelings } })).body as {
        user: { feelings: string[]; feelingsStale: boolean };
      };
    const stored = async () => {
      const { feelings } = await app.deps.databases.identity
        .selectFrom('identity.users')
        .select('feelings')
        .where('id', '=', person.userId)
        .executeTakeFirstOrThrow();
      return { feelings, feelingsFrom: (await readFacts(app, person.userId)).feelingsFrom };
    };
    const day = new Date(app.clock.now()).toISOString().slice(0, 10);
    const halfMonth = `${day.slice(0, 8)}${day.slice(8) < '16' ? '01' : '16'}`;
    expect((await name(['Burnout', 'Sad', 'Sad'])).user.feelings).toEqual(['Sad', 'Burnout']);
    expect(await stored()).toEqual({ feelings: 0b100010, feelingsFrom: halfMonth });
    const self = async () =>
      ((await app.call(getSelf, { as: person })).body as { user: { feelingsStale: boolean } }).user
        .feelingsStale;
    expect(await self()).toBe(false);
    // At least 30 days, for any day of the half month.
    expect(areFeelingsStale('2026-11-01', '2026-12-15')).toBe(false);
    expect(areFeelingsStale('2026-11-01', '2026-12-17')).toBe(true);
    await changeFactsOf(app, [person.userId], () => ({ feelingsFrom: '2020-01-16' }));
    expect(await self()).toBe(true);
    // Naming the same feelings again makes them current.
    expect((await name(['Sad', 'Burnout'])).user.feelingsStale).toBe(false);
    expect((await name([])).user).toMatchObject({ feelings: [], feelingsStale: false });
    expect(await stored()).toEqual({ feelings: 0, feelingsFrom: null });
    for (const feelings of [['Happy', 'Sad', 'Angry', 'Anxious'], ['Lonely'], 'Sad', [null]]) {
      const { status } = await app.call(updateDetails, { as: person, body: { feelings } as never });
      expect(status).toBe(422);
    }
  });

  test('allow 300 graphemes of Hindi in a bio', async () => {
    const me = await makeUser(app);
    const bio = 'नमस्ते'.repeat(100).slice(0, 6 * 50);
    const { body } = await app.call(updateDetails, { as: me, body: { bio } });
    expect(body.user.bio).toBe(bio.normalize('NFC'));
  });

  test('store allowComments in the account, and affect no vent that is out', async () => {
    const me = await makeUser(app);
    const before = await makeVent(app, me);
    app.statements.length = 0;
    await app.call(updateDetails, { as: me, body: { allowComments: false } });
    // A vent that is held back would be sealed again, and none is.
    const writes = /^\s*(?:insert|update|delete)/iu;
    expect(app.statements.filter(({ role, text }) => role !== 'identity' && writes.test(text))).toEqual([]);
    const after = await makeVent(app, me);
    const isOpen = async ({ id }: { id: string }) =>
      (await app.call(getVent, { as: me, params: { id } })).body.vent.userId.allowComments;
    expect([await isOpen(before), await isOpen(after)]).toEqual([true, false]);
  });
});

test('a new picture is chosen by the server, whatever the request contains (SC-26)', async () => {
  const me = await makeUser(app);
  const { body } = await app.call(regenerateAvatar, {
    as: me,
    headers: { 'content-type': 'application/json' },
  });
  expect(body.user.profilePic).not.toBe(me.user.profilePic);
  expect(body.user.profilePic).toMatch(/^\/avatars\/[A-Za-z0-9_-]{12}\.svg$/u);
});
