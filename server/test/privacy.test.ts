import {
  acceptMatch,
  changeUsername,
  deleteAccount,
  exportData,
  getSelf,
  getUser,
  matchSuggestions,
  reauthenticate,
  updateDetails,
} from '@unsaid/contract';
import { expect, test } from 'vitest';
import { useTestApp } from './app.ts';
import { withClient } from './db.ts';
import {
  askForCode,
  finishLeaving,
  keysOf,
  makeComment,
  makeUser,
  makeVent,
  runJob,
  signIn,
  suspend,
  type Person,
} from './factories.ts';
import { listTables } from './tables.ts';
import { pairKeysOf } from './pairs.ts';

const app = useTestApp();

async function confirm(person: Person, phone = person.phone) {
  const otp = await askForCode(app, person, phone, 'reauth');
  return app.call(reauthenticate, { as: person, body: { phone, otp } });
}

/** All rows of all schemas that contain one of the values. */
async function findRowsWith(values: readonly (string | Buffer | bigint)[]): Promise<string[]> {
  return withClient(app.config.databaseUrl, async (client) => {
    const found: string[] = [];
    for (const name of await listTables(client)) {
      const { rows } = await client.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
      for (const { row } of rows) {
        const isHeld = values.some((value) =>
          typeof value === 'bigint'
            ? new RegExp(`"(?:id|user_id)": ${value}[,}]`, 'u').test(row)
            : row.includes(typeof value === 'string' ? value : `\\\\x${value.toString('hex')}`),
        );
        if (isHeld) found.push(`${name}: ${row}`);
      }
    }
    return found;
  });
}

test('every table is declared by exactly one feature that can export and erase it', async () => {
  const tables = await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select schemaname || '.' || tablename as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema', 'jobs', 'public') order by 1`,
    );
    return rows.map(({ name }) => name);
  });
  const declared = app.features.privacyParts.flatMap((part) => part.tables).toSorted();
  expect(declared).toEqual(tables);
});

test('an export contains everything that the person entered, and no phone number', async () => {
  const me = await makeUser(app);
  await app.call(changeUsername, { as: me, body: { newUsername: 'before_name' } });
  await app.call(changeUsername, { as: me, body: { newUsername: 'export_me' } });
  await app.call(updateDetails, {
    as: me,
    body: {
      bio: 'my bio',
      interests: ['music'],
      likes: ['rain'],
      dislikes: ['noise'],
      feelings: ['Anxious', 'Sad'],
      preferences: 'Balanced',
    },
  });
  const theirs = await makeVent(app, await makeUser(app), { title: 'not mine' });
  await makeComment(app, me, theirs.id, { text: 'under my name' });
  await makeComment(app, me, theirs.id, { text: 'under no name', anonymous: true });
  await makeComment(app, await makeUser(app), theirs.id, { text: 'somebody else', anonymous: true });
  const mine = await makeVent(app, me, {
    title: 'Export this',
    text: 'What I said',
    hashtags: ['night'],
    need: 'advice',
    keepDays: 7,
  });
  await makeComment(app, me, mine.id, { text: 'under my own vent' });
  await app.call(updateDetails, { as: me, body: { allowComments: false } });
  expect((await app.call(matchSuggestions, { as: me })).body.matches.length).toBeGreaterThan(0);
  expect((await confirm(me)).status).toBe(200);
  const { body, text } = await app.call(exportData, { as: me });
  expect(text).not.toMatch(/not mine|somebody else/u);
  expect(body.data).toMatchObject({
    profile: {
      username: 'export_me',
      formerUsernames: [{ name: 'before_name' }],
      bio: 'my bio',
      interests: ['music'],
      likes: ['rain'],
      dislikes: ['noise'],
      feelings: ['Sad', 'Anxious'],
      preferences: { matchPreference: 'Balanced', anonymousChat: true },
      allowComments: false,
    },
    vents: [
      {
        title: 'Export this',
        body: 'What I said',
        emotion: 'Sad',
        hashtags: ['night'],
        need: 'advice',
        keepDays: 7,
        state: 'visible',
      },
    ],
    comments: [
      { text: 'under my name', as: 'named' },
      { text: 'under no name', as: 'anonymous' },
      { text: 'under my own vent', as: 'author' },
    ],
    reactions: expect.stringContaining('there is no list of yours') as string,
    signIn: { sessions: [{ label: 'Unknown device' }], rememberedDevices: 1 },
    slots: expect.stringContaining('How many vents and comments') as string,
    moderation: { notices: [], reports: [], whenYouLeave: expect.stringContaining('not even we') as string },
    matching: {
      pairs: expect.arrayContaining([
        {
          with: expect.any(String) as string,
          status: 'suggested',
          matchScore: expect.any(Number) as number,
          commonEmotions: [],
          takenBack: false,
        },
      ]) as unknown[],
    },
  });
  expect(text).not.toContain(me.phone.slice(3));
});

test('deleting an account needs a fresh code', async () => {
  const me = await makeUser(app);
  const refused = await app.call(deleteAccount, { as: me });
  expect([refused.status, refused.body.code]).toEqual([403, 'REAUTH_REQUIRED']);
  expect((await confirm(me)).status).toBe(200);
  app.clock.advance(11 * 60_000);
  expect((await app.call(deleteAccount, { as: me })).body.code).toBe('REAUTH_REQUIRED');
});

test('a code for another number neither creates nor deletes anything', async () => {
  const [me, other] = [await makeUser(app), await makeUser(app)];
  expect((await confirm(me, other.phone)).body.code).toBe('OTP_INVALID');
  expect((await app.call(deleteAccount, { as: me })).body.code).toBe('REAUTH_REQUIRED');
  expect((await app.call(getSelf, { as: other })).status).toBe(200);
});

test('a deleted account cannot be opened or restored from that moment, and has no row left after its content is removed (R25, R35)', async () => {
  const me = await makeUser(app);
  const elsewhere = await signIn(app, me.phone);
  const witness = await makeUser(app);
  await app.call(changeUsername, { as: me, body: { newUsername: 'gone_soon' } });
  await app.call(updateDetails, { as: me, body: { allowComments: false, bio: 'leaving words' } });
  await makeVent(app, me);
  const theirs = await makeVent(app, witness);
  await makeComment(app, me, theirs.id, { text: 'leaving words too', anonymous: true });
  const [match] = (await app.call(matchSuggestions, { as: me })).body.matches;
  expect((await app.call(acceptMatch, { as: me, body: { matchId: match?._id ?? '' } })).status).toBe(200);
  const { authorSeed, speakerId } = await app.deps.databases.identity
    .selectFrom('identity.users')
    .select(['authorSeed', 'speakerId'])
    .where('id', '=', me.userId)
    .executeTakeFirstOrThrow();
  const person = await keysOf(app, me);
  await suspend(app, me);
  const traces = [
    'leaving words',
    authorSeed,
    speakerId,
    ...person.slotKeys('vent', [1]),
    ...person.slotKeys('comment', [1]),
    ...person.noticeSlots(),
    ...pairKeysOf(app, me.userId),
    me.userId,
  ];
  const held = new Set((await findRowsWith(traces)).map((row) => row.split(':')[0]));
  expect([...held]).toContain('matching.pairs');
  expect(held.size).toBeGreaterThan(5);
  await confirm(me);
  expect((await app.call(deleteAccount, { as: me })).status).toBe(200);

  // Items are removed one by one, so that they do not disappear together, and a notice stays for its time. They lead to
  // no one: the seed of their keys is deleted.
  const tablesLeft = async () => (await findRowsWith(traces)).map((row) => row.split(':')[0]).toSorted();
  expect(await tablesLeft()).toEqual(['content.comments', 'content.vents', 'moderation.notices']);
  expect((await app.call(getSelf, { as: me })).status).toBe(401);
  expect((await app.call(getSelf, { as: elsewhere })).status).toBe(401);
  const seen = await app.call(getUser, { as: witness, params: { id: me.user._id } });
  expect([seen.status, seen.body.code]).toEqual([404, 'NOT_FOUND']);
  const taken = await app.call(changeUsername, { as: witness, body: { newUsername: 'gone_soon' } });
  expect(taken.status).toBe(409);
  await finishLeaving(app);
  expect(await tablesLeft()).toEqual(['moderation.notices']);
  app.clock.advance(181 * 24 * 3_600_000);
  await runJob(app, 'moderation-purge');
  expect(await tablesLeft()).toEqual([]);
  const back = await signIn(app, me.phone);
  expect([back.isNewUser, back.user._id === me.user._id]).toEqual([true, false]);
});

test('an export needs a fresh code from the same session', async () => {
  const me = await makeUser(app);
  await makeComment(app, me, (await makeVent(app, await makeUser(app))).id, {
    text: 'unnamed',
    anonymous: true,
  });
  const elsewhere = await signIn(app, me.phone);
  const refused = await app.call(exportData, { as: me });
  expect([refused.status, refused.body.code]).toEqual([403, 'REAUTH_REQUIRED']);
  expect(refused.text).not.toContain('unnamed');
  expect((await confirm(me)).status).toBe(200);
  expect((await app.call(exportData, { as: me })).text).toContain('unnamed');
  expect((await app.call(exportData, { as: elsewhere })).body.code).toBe('REAUTH_REQUIRED');
  app.clock.advance(11 * 60_000);
  expect((await app.call(exportData, { as: me })).body.code).toBe('REAUTH_REQUIRED');
});
