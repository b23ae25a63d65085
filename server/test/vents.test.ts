import {
  commentOnVent,
  deleteVent,
  getSelf,
  getUser,
  getVent,
  listHeldVents,
  needs,
  ventWeather,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import type { Actor } from './app.ts';
import { makeComment, makeUser, makeVent, runJob, suspend } from './factories.ts';
import { collide } from './locks.ts';
import {
  type VentBody,
  ann,
  app,
  ben,
  cat,
  commentOn,
  countRows,
  fetchVent,
  hour,
  listFeed,
  outcomeOf,
  postVent,
  reactTo,
  rows,
  searchTitles,
  titlesOf,
  ventBody,
  useVentApp,
} from './vent-app.ts';

useVentApp();

const postComment = (as: Actor, body: { ventId: string; text: string }, headers: Record<string, string>) =>
  app.call(commentOnVent, { as, body, headers });

describe('when a vent is created', () => {
  test('createVent responds 201 with the author’s view of the vent, with cleaned text and a time in whole minutes (S1.4, S3.4, S7.8)', async () => {
    app.clock.advance(12_345);
    const answer = await postVent(ann, {
      title: '  A \t title\u202E ',
      text: ' one\r\n\r\n\r\n\r\ntwo\u200B  ',
      emotion: 'Burnout',
      hashtags: ['night'],
    });
    expect(answer.status).toBe(201);
    const minute = new Date(app.clock.now()).toISOString().slice(0, 16);
    expect(answer.body).toEqual({
      success: true,
      vent: {
        _id: expect.stringMatching(/^[\w-]{22}$/u) as string,
        title: 'A title',
        text: 'one\n\ntwo',
        emotion: 'Burnout',
        hashtags: ['night'],
        need: null,
        keepDays: null,
        createdAt: `${minute}:00.000Z`,
        userId: { _id: ann.user._id, allowComments: true },
        reactions: { heart: 0, hug: 0, listen: 0 },
        comments: [],
        commentCount: 0,
        isOwner: true,
        myReactions: [],
      },
    });
    expect(await fetchVent(ann, answer.body.vent?._id ?? '')).toEqual(answer.body.vent);
  });

  test('every reader sees what would help, and nothing changes it', async () => {
    for (const need of needs) {
      const { id, view } = await makeVent(app, ann, { need });
      expect(view.need).toBe(need);
      expect((await fetchVent(ben, id)).need).toBe(need);
    }
    expect((await listFeed(ben)).vents.map(({ need }) => need)).toEqual(needs.toReversed());
  });

  test('a vent keeps Hindi, Malayalam, Persian and family emoji as they were written (R44)', async () => {
    const text = 'मैं थक गया हूँ क्‍ष\nഅവന്‍ പറഞ്ഞു\nنمی‌خواهم\n👨‍👩‍👧‍👦 <b>&amp;</b>';
    const { view } = await makeVent(app, ann, { title: 'दुख 👩🏽‍🦱', text, hashtags: ['अकेलापन', 'نمی‌خواهم'] });
    expect([view.title, view.text, view.hashtags]).toEqual(['दुख 👩🏽‍🦱', text, ['अकेलापन', 'نمی‌خواهم']]);
  });

  test.each([
    ['no title', { title: undefined }],
    ['an empty title', { title: '' }],
    ['an invisible title', { title: '\u200B \u2800\u3164' }],
    ['no text', { text: undefined }],
    ['an empty text', { text: ' \n ' }],
    ['no emotion', { emotion: undefined }],
    ['an unknown emotion', { emotion: 'sad' }],
    ['a title that is a list', { title: ['x'] }],
    ['hashtags that are a string', { hashtags: 'night' }],
    ['an unknown need', { need: 'money' }],
    ['two days', { keepDays: 2 }],
    ['a day as text', { keepDays: '1' }],
    ['no need as null', { need: null }],
    ['a title of 101', { title: '😢'.repeat(101) }],
    ['a text of 2,001', { text: 'अ'.repeat(2001) }],
    ['a text of 51 line breaks', { text: 'a\n'.repeat(52) }],
    ['a text with a NUL', { text: 'a\u0000b' }],
    ['a title with a lone surrogate', { title: 'a\uD800' }],
    ['11 hashtags', { hashtags: Array.from({ length: 11 }, (_, n) => `tag ${n}`) }],
    ['a hashtag of 31', { hashtags: ['x'.repeat(31)] }],
    ['a hashtag with other signs', { hashtags: ['no!'] }],
  ])(
    'a vent with %s is refused with the message of the specification, and nothing is stored',
    async (_, change) => {
      const answer = await postVent(ann, { ...ventBody, ...(change as Partial<VentBody>) });
      expect(outcomeOf(answer)).toEqual([422, 'VALIDATION_FAILED']);
      expect(answer.body.message).toBe('Please fill in all required fields.');
      expect(await countRows('content.vents')).toBe(0);
    },
  );

  test('a vent accepts exactly as much as the limits allow, counted in graphemes (R42)', async () => {
    const said = {
      title: '😢'.repeat(100),
      text: 'नि'.repeat(2000),
      hashtags: Array.from({ length: 10 }, (_, n) => `${n}${'é'.repeat(29)}`),
    };
    const { view } = await makeVent(app, ann, said);
    expect(view).toMatchObject(said);
    expect((await postVent(ann, { ...ventBody, text: 'a\n'.repeat(50) + 'a' })).status).toBe(201);
  });

  test('hashtags lose the # and their duplicates, and are shown as they were typed (S5.7)', async () => {
    const { view } = await makeVent(app, ann, {
      hashtags: ['#Night', 'night ', 'NÍGHT', '', '  ', '##', 'दुख', ' two  words', 'a_b-c', '9'],
    });
    expect(view.hashtags).toEqual(['Night', 'दुख', 'two words', 'a_b-c', '9']);
    expect((await makeVent(app, ann)).view.hashtags).toEqual([]);
  });

  test('the fifth identical vent within 5 minutes is refused, and no other vent is (R52)', async () => {
    for (let times = 0; times < 4; times += 1) expect((await postVent(ann, ventBody)).status).toBe(201);
    const refused = await postVent(ann, { ...ventBody, title: ' A  title' });
    expect(outcomeOf(refused)).toEqual([409, 'DUPLICATE_VENT']);
    expect((await postVent(ann, { ...ventBody, text: 'Something else' })).status).toBe(201);
    expect((await postVent(ben, ventBody)).status).toBe(201);
    app.clock.advance(5 * 60_000 + 1);
    expect((await postVent(ann, ventBody)).status).toBe(201);
  });

  test('5 concurrent vents with the same text leave 4', async () => {
    const posting = Array.from({ length: 5 }, () => () => postVent(ann, ventBody));
    const answers = await collide(rows, 'lock table content.vents in share mode', posting);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(answers.filter(({ body }) => body.code === 'DUPLICATE_VENT')).toHaveLength(1);
    expect(await countRows('content.vents')).toBe(4);
  });

  test('a vent sent twice with one Idempotency-Key is created once', async () => {
    const key = { 'idempotency-key': 'b2f1c0de-0000-4000-8000-000000000001' };
    const first = await postVent(ann, ventBody, key);
    const again = await postVent(ann, ventBody, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.vent).toEqual(first.body.vent);
    expect(await countRows('content.vents')).toBe(1);
    expect((await postVent(ann, ventBody)).body.vent?._id).not.toBe(first.body.vent?._id);
  });

  test('5 concurrent requests with one key create one vent, and all get the same response', async () => {
    const key = { 'idempotency-key': 'five-at-once' };
    const posting = Array.from({ length: 5 }, () => () => postVent(ann, ventBody, key));
    const answers = await collide(rows, 'lock table content.idempotency in share mode', posting);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.vent?._id)).size).toBe(1);
    expect(await countRows('content.vents')).toBe(1);
  });

  test('requests at once with one key are answered alike, also of somebody with many vents', async () => {
    for (let n = 0; n < 20; n += 1) await postVent(ann, { ...ventBody, text: `One of many, ${n}` });
    for (let round = 0; round < 10; round += 1) {
      const words = { ...ventBody, text: `At once, ${round}` };
      const key = { 'idempotency-key': `sent-at-once-number-${round}` };
      const answers = await Promise.all(Array.from({ length: 6 }, () => postVent(ann, words, key)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      expect(new Set(answers.map(({ body }) => body.vent?._id)).size).toBe(1);
    }
    expect(await countRows('content.vents')).toBe(30);
  });

  test('an idempotency key is separate for each person and each call', async () => {
    const key = { 'idempotency-key': 'chosen-by-two' };
    const [mine, theirs] = [await postVent(ann, ventBody, key), await postVent(ben, ventBody, key)];
    expect(mine.body.vent?._id).not.toBe(theirs.body.vent?._id);
    expect([mine.body.vent?.isOwner, theirs.body.vent?.isOwner]).toEqual([true, true]);
    const body = { ventId: theirs.body.vent?._id ?? '', text: 'I hear you' };
    const comments = await Promise.all(
      Array.from({ length: 8 }, () => app.call(commentOnVent, { as: ann, body, headers: key })),
    );
    expect(new Set(comments.map(({ body: { comment } }) => comment._id)).size).toBe(1);
    expect((await fetchVent(ann, body.ventId)).commentCount).toBe(1);
  });

  test.each([
    { what: 'a vent', most: 6, path: postVent, body: ventBody },
    { what: 'a held vent', most: 6, path: postVent, body: { ...ventBody, later: true } },
    { what: 'a comment', most: 4, path: postComment, body: {} },
    { what: 'a comment as Anonymous', most: 3, path: postComment, body: { anonymous: true } },
  ])(
    '$what takes at most $most statements and no transaction, also of a person with sixty items',
    async ({ most, path, body }) => {
      const [writer, { id }] = [await makeUser(app), await makeVent(app, ben)];
      for (let n = 0; n < 60; n += 1) {
        await makeVent(app, writer, { text: `vent ${n}` });
        await makeComment(app, writer, id);
      }
      // How many vents come in an hour is counted once an hour, whoever holds one back.
      await app.call(listHeldVents, { as: ben });
      app.statements.length = 0;
      const key = { 'idempotency-key': 'never-sent-before' };
      expect((await path(writer, { ventId: id, text: 'I hear you', ...body }, key)).status).toBe(201);
      const texts = app.statements.map(({ text }) => text);
      expect(texts.length).toBeLessThanOrEqual(most);
      expect(texts).not.toContain('begin');
    },
  );

  test('a reaction takes at most seven statements', async () => {
    const { id } = await makeVent(app, ben);
    app.statements.length = 0;
    await reactTo(ann, id, 'hug');
    expect(app.statements.length).toBeLessThanOrEqual(7);
  });

  test('an idempotency key expires after a day, and is not stored as plain text', async () => {
    const key = { 'idempotency-key': 'forgotten-tomorrow' };
    const first = await postVent(ann, ventBody, key);
    const { rows: kept } = await rows.query<{ row: string }>(
      'select to_jsonb(t)::text as row from content.idempotency t',
    );
    expect(kept).toHaveLength(1);
    expect(kept[0]?.row).not.toContain('forgotten');
    // Stored with its day, so it lasts one to two days.
    app.clock.advance(24 * hour);
    await runJob(app, 'remove-deleted-vents');
    expect(await countRows('content.idempotency')).toBe(1);
    app.clock.advance(24 * hour);
    await runJob(app, 'remove-deleted-vents');
    expect(await countRows('content.idempotency')).toBe(0);
    expect((await postVent(ann, ventBody, key)).body.vent?._id).not.toBe(first.body.vent?._id);
  });
});

test('a vent opens from its link however old it is (S7.23)', async () => {
  const first = await makeVent(app, ann, { title: 'the oldest' });
  for (let count = 0; count < 103; count += 1) await makeVent(app, ben);
  await rows.query(`update content.vents set created_at = created_at - interval '300 days' where id = $1`, [
    String(first.number),
  ]);
  expect(titlesOf((await listFeed(cat, { limit: '100' })).vents)).not.toContain('the oldest');
  expect((await fetchVent(cat, first.id)).title).toBe('the oldest');
});

test('a vent is deleted only by its author, disappears at once and is removed from the database by the next job (R38, S4.11, S6.3, S6.8, S7.11)', async () => {
  const { id, number } = await makeVent(app, ann, { hashtags: ['canary'] });
  await reactTo(ben, id, 'heart');
  await makeComment(app, ben, id);
  await listFeed(ben);
  await runJob(app, 'rewrite-trending');
  expect(outcomeOf(await app.call(deleteVent, { as: ben, params: { id } }))).toEqual([404, 'VENT_NOT_FOUND']);
  const deleting = Array.from({ length: 4 }, () => () => app.call(deleteVent, { as: ann, params: { id } }));
  const answers = await collide(rows, 'select 1 from content.vents for update', deleting);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
  expect((await listFeed(ben)).vents).toEqual([]);
  expect((await listFeed(ben, { sort: 'trending' })).vents).toEqual([]);
  expect(await searchTitles(ben, 'canary')).toEqual([]);
  await runJob(app, 'remove-deleted-vents');
  for (const table of ['vents', 'vent_stats', 'vent_search', 'reactions', 'comments', 'trending']) {
    expect(await countRows(`content.${table}`), table).toBe(0);
  }
  expect(number).toBeGreaterThan(0n);
});

test('an alias opens no profile and no vent, and is the same for every reader (SC-14)', async () => {
  const { id } = await makeVent(app, ann);
  const [one, two] = [await fetchVent(ben, id), await fetchVent(cat, id)];
  expect(one.userId._id).toBe(two.userId._id);
  for (const as of [ann, ben]) {
    const answer = await app.call(getUser, { as, params: { id: one.userId._id } });
    expect(outcomeOf(answer)).toEqual([404, 'NOT_FOUND']);
    expect(outcomeOf(await app.call(getVent, { as, params: { id: one.userId._id } }))).toEqual([
      404,
      'VENT_NOT_FOUND',
    ]);
  }
});

test('a suspended person cannot write, and their vents stay', async () => {
  const person = await makeUser(app);
  const { id } = await makeVent(app, person, { title: 'stays' });
  await suspend(app, person);
  for (const answer of [
    await postVent(person, ventBody),
    await reactTo(person, id, 'hug'),
    await commentOn(person, id, 'x'),
  ]) {
    expect(outcomeOf(answer)).toEqual([403, 'ACCOUNT_SUSPENDED']);
  }
  expect((await app.call(getSelf, { as: person })).body.user.suspended).toBe(true);
  expect((await fetchVent(ben, id)).title).toBe('stays');
});

test('the emotional weather counts the caller’s own vents of twelve weeks by day and emotion, and no others', async () => {
  const me = await makeUser(app);
  const weather = async (as: Actor) => (await app.call(ventWeather, { as })).body.days;
  const dayOf = () => new Date(app.clock.now()).toISOString().slice(0, 10);
  await makeVent(app, me, { emotion: 'Sad' });
  await rows.query(`update content.vents set created_at = created_at - interval '84 days'`);
  await makeVent(app, me, { emotion: 'Angry' });
  await rows.query(
    `update content.vents set created_at = created_at - interval '83 days' where emotion = 'Angry'`,
  );
  const oldest = new Date(app.clock.now() - 83 * 24 * hour).toISOString().slice(0, 10);
  const first = dayOf();
  for (const emotion of ['Happy', 'Happy', 'Burnout'] as const) await makeVent(app, me, { emotion });
  await makeVent(app, ben, { emotion: 'Happy' });
  app.clock.advance(24 * hour - 60_000);
  const { id } = await makeVent(app, me, { emotion: 'Neutral' });
  await makeVent(app, me, { emotion: 'Happy' });
  await app.call(deleteVent, { as: me, params: { id } });
  const days = await weather(me);
  expect(days).toEqual([
    ...(dayOf() === first ? [{ day: oldest, emotion: 'Angry', count: 1 }] : []),
    { day: first, emotion: 'Burnout', count: 1 },
    { day: first, emotion: 'Happy', count: 2 },
    { day: dayOf(), emotion: 'Happy', count: 1 },
  ]);
  expect(await weather(cat)).toEqual([]);
});
