import {
  changeUsername,
  closeAllVents,
  commentOnVent,
  createVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  drawAvatar,
  getSelf,
  getUser,
  getVent,
  listComments,
  listVents,
  react,
  reportReasons,
  reportVent,
  searchVents,
  setVentComments,
  updateDetails,
  ventsSince,
  ventWeather,
  type CommentView,
  type RequestOf,
  type VentView,
} from '@unsaid/contract';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ownTestApp, startBeside, startTestApp, type Actor, type Answer, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import { makeComment, makeUser, makeVent, runJob, suspend, type Person } from './make.ts';

let app: TestApp;
let rows: pg.Pool;
/** People are dear to make and have nothing to do with each other here. */
let ann: Person;
let ben: Person;
let cat: Person;
beforeAll(async () => {
  app = await startTestApp({ limitsScale: 10_000 });
  rows = new pg.Pool({ connectionString: app.config.databaseUrl, max: 2 });
  [ann, ben, cat] = [await makeUser(app), await makeUser(app), await makeUser(app)];
  for (const [person, newUsername] of [
    [ann, 'ann_of_tests'],
    [ben, 'ben_of_tests'],
  ] as const) {
    await app.call(changeUsername, { as: person, body: { newUsername } });
  }
});
afterAll(async () => {
  await rows.end();
  await app.close();
});

beforeEach(async () => {
  await rows.query('truncate content.vents, content.reports, content.idempotency cascade');
  // Longer than any shared page or trending list is kept.
  app.clock.advance(60_000);
});

type Said = RequestOf<typeof createVent>['body'];
const words: Said = { title: 'A title', text: 'What I could not say', emotion: 'Anxious' };
const hour = 3_600_000;

const create = (as: Actor, body: Partial<Said>, headers: Record<string, string> = {}) =>
  app.call(createVent, { as, body: body as Said, headers });
const feed = async (as: Actor, query: Record<string, string> = {}) => {
  const answer = await app.call(listVents, { as, query });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const titles = (vents: readonly VentView[]) => vents.map(({ title }) => title);
const look = async (as: Actor, id: string, on: TestApp = app) => {
  const answer = await on.call(getVent, { as, params: { id } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.vent;
};
const find = async (as: Actor, query: string, more: Record<string, string> = {}) => {
  const answer = await app.call(searchVents, { as, query: { query, ...more } });
  expect(answer.status, `${query}: ${answer.text}`).toBe(200);
  return titles(answer.body.vents);
};
const give = (as: Actor, ventId: string, reactionType: 'heart' | 'hug' | 'listen', active?: boolean) =>
  app.call(react, { as, body: { ventId, reactionType, ...(active === undefined ? {} : { active }) } });
const say = (as: Actor, ventId: string, text: string, more: { anonymous?: boolean } = {}) =>
  app.call(commentOnVent, { as, body: { ventId, text, ...more } });
const setState = (ventId: string, state: string) =>
  rows.query('update content.vents set state = $2 where id = $1', [
    String(app.deps.seals.vent.open(ventId)),
    state,
  ]);
const verdict = ({ status, body }: Answer<unknown>) => [status, body.code];
const leave = async (person: Person) => {
  const viewer = await app.features.sessions.authenticate(person.token, { skipCache: true });
  if (!viewer) throw new Error('nobody');
  await app.features.sessions.markReauthenticated(viewer);
  expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
};
const indianDay = () => new Date(app.clock.now() + 5.5 * 3_600_000).toISOString().slice(0, 10);
const setVent = (as: Actor, id: string, allowComments: boolean) =>
  app.call(setVentComments, { as, params: { id }, body: { allowComments } });
const setComments = async (as: Actor, allowComments: boolean) =>
  expect((await app.call(updateDetails, { as, body: { allowComments } })).status).toBe(200);
const numberOf = async (query: string) => {
  const { rows: found } = await rows.query<{ count: number }>(`select count(*)::int as count from ${query}`);
  return found[0]?.count ?? -1;
};

describe('saying it', () => {
  test('answers 201 with the vent as its author sees it, cleaned and cut to the minute', async () => {
    app.clock.advance(12_345);
    const answer = await create(ann, {
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
        createdAt: `${minute}:00.000Z`,
        userId: { _id: ann.user._id, allowComments: true },
        reactions: { heart: 0, hug: 0, listen: 0 },
        comments: [],
        commentCount: 0,
        isOwner: true,
        myReactions: [],
      },
    });
    expect(await look(ann, answer.body.vent._id)).toEqual(answer.body.vent);
  });

  test('leaves Hindi, Malayalam, Persian and family emoji as they were written', async () => {
    const text = 'मैं थक गया हूँ क्‍ष\nഅവന്‍ പറഞ്ഞു\nنمی‌خواهم\n👨‍👩‍👧‍👦 <b>&amp;</b>';
    const { view } = await makeVent(app, ann, { title: 'दुख 👩🏽‍🦱', text, hashtags: ['अकेलापन', 'نمی‌خواهم'] });
    expect([view.title, view.text, view.hashtags]).toEqual(['दुख 👩🏽‍🦱', text, ['अकेलापन', 'نمی‌خواهم']]);
  });

  test.each([
    ['no title', { title: undefined }],
    ['an empty title', { title: '' }],
    ['a title nobody can see', { title: '\u200B \u2800\u3164' }],
    ['no text', { text: undefined }],
    ['an empty text', { text: ' \n ' }],
    ['no emotion', { emotion: undefined }],
    ['an emotion that is none', { emotion: 'sad' }],
    ['a title that is a list', { title: ['x'] }],
    ['hashtags that are a string', { hashtags: 'night' }],
    ['a title of 101', { title: '😢'.repeat(101) }],
    ['a text of 2,001', { text: 'अ'.repeat(2001) }],
    ['a text of 51 line breaks', { text: 'a\n'.repeat(52) }],
    ['a text with a NUL', { text: 'a\u0000b' }],
    ['a title with a lone surrogate', { title: 'a\uD800' }],
    ['11 hashtags', { hashtags: Array.from({ length: 11 }, (_, n) => `tag ${n}`) }],
    ['a hashtag of 31', { hashtags: ['x'.repeat(31)] }],
    ['a hashtag with other signs', { hashtags: ['no!'] }],
  ])('refuses %s with the sentence of the specification, and keeps nothing', async (_, change) => {
    const answer = await create(ann, { ...words, ...(change as Partial<Said>) });
    expect(verdict(answer)).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.body.message).toBe('Please fill in all required fields.');
    expect(await numberOf('content.vents')).toBe(0);
  });

  test('takes exactly as much as the limits say, counted as a person counts', async () => {
    const said = {
      title: '😢'.repeat(100),
      text: 'नि'.repeat(2000),
      hashtags: Array.from({ length: 10 }, (_, n) => `${n}${'é'.repeat(29)}`),
    };
    const { view } = await makeVent(app, ann, said);
    expect(view).toMatchObject(said);
    expect((await create(ann, { ...words, text: 'a\n'.repeat(50) + 'a' })).status).toBe(201);
  });

  test('hashtags lose their sign and their repeats, and are shown as they were typed', async () => {
    const { view } = await makeVent(app, ann, {
      hashtags: ['#Night', 'night ', 'NÍGHT', '', '  ', '##', 'दुख', ' two  words', 'a_b-c', '9'],
    });
    expect(view.hashtags).toEqual(['Night', 'दुख', 'two words', 'a_b-c', '9']);
    expect((await makeVent(app, ann)).view.hashtags).toEqual([]);
  });

  test('the fifth identical vent within 5 minutes is refused, and only that', async () => {
    for (let times = 0; times < 4; times += 1) expect((await create(ann, words)).status).toBe(201);
    const refused = await create(ann, { ...words, title: ' A  title' });
    expect(verdict(refused)).toEqual([409, 'DUPLICATE_VENT']);
    expect((await create(ann, { ...words, text: 'Something else' })).status).toBe(201);
    expect((await create(ben, words)).status).toBe(201);
    app.clock.advance(5 * 60_000 + 1);
    expect((await create(ann, words)).status).toBe(201);
  });

  test('saying the same thing 12 times in one instant leaves 4 of it', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(ann, words)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(answers.filter(({ body }) => body.code === 'DUPLICATE_VENT')).toHaveLength(8);
    expect(await numberOf('content.vents')).toBe(4);
  });

  test('sent twice with one Idempotency-Key it is said once', async () => {
    const key = { 'idempotency-key': 'b2f1c0de-0000-4000-8000-000000000001' };
    const first = await create(ann, words, key);
    const again = await create(ann, words, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.vent).toEqual(first.body.vent);
    expect(await numberOf('content.vents')).toBe(1);
    expect((await create(ann, words)).body.vent._id).not.toBe(first.body.vent._id);
  });

  test('20 at once with one key are one vent, and everyone is told the same', async () => {
    const key = { 'idempotency-key': 'twenty-at-once' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(ann, words, key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.vent._id)).size).toBe(1);
    expect(await numberOf('content.vents')).toBe(1);
  });

  test('the same key of another person, or on another call, is another key', async () => {
    const key = { 'idempotency-key': 'chosen-by-two' };
    const [mine, theirs] = [await create(ann, words, key), await create(ben, words, key)];
    expect(mine.body.vent._id).not.toBe(theirs.body.vent._id);
    expect([mine.body.vent.isOwner, theirs.body.vent.isOwner]).toEqual([true, true]);
    const body = { ventId: theirs.body.vent._id, text: 'I hear you' };
    const comments = await Promise.all(
      Array.from({ length: 8 }, () => app.call(commentOnVent, { as: ann, body, headers: key })),
    );
    expect(new Set(comments.map(({ body: { comment } }) => comment._id)).size).toBe(1);
    expect((await look(ann, theirs.body.vent._id)).commentCount).toBe(1);
  });

  test('a key is forgotten after a day, and is no plain text in the database', async () => {
    const key = { 'idempotency-key': 'forgotten-tomorrow' };
    const first = await create(ann, words, key);
    const { rows: kept } = await rows.query<{ row: string }>(
      'select to_jsonb(t)::text as row from content.idempotency t',
    );
    expect(kept).toHaveLength(1);
    expect(kept[0]?.row).not.toContain('forgotten');
    // Kept by the day, so a day at least and two at most.
    app.clock.advance(24 * hour);
    await runJob(app, 'remove-deleted-vents');
    expect(await numberOf('content.idempotency')).toBe(1);
    app.clock.advance(24 * hour);
    await runJob(app, 'remove-deleted-vents');
    expect(await numberOf('content.idempotency')).toBe(0);
    expect((await create(ann, words, key)).body.vent._id).not.toBe(first.body.vent._id);
  });
});

describe('the feed', () => {
  test('is newest first in true order, also within one minute and one instant', async () => {
    const said: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const title = `number ${count}`;
      said.unshift(title);
      await makeVent(app, [ann, ben, cat][count % 3] ?? ann, { title });
      if (count % 4 === 3) app.clock.advance(7);
    }
    const { vents } = await feed(ann, { limit: '100' });
    expect(titles(vents)).toEqual(said);
    expect(new Set(vents.map(({ createdAt }) => createdAt)).size).toBe(1);
    for (const { createdAt } of vents) expect(createdAt).toMatch(/:00\.000Z$/u);
    expect(titles((await feed(ben)).vents)).toEqual(said.slice(0, 5));
    expect(titles((await feed(ben, { page: '3', sort: 'recent' })).vents)).toEqual(said.slice(10));
    expect(titles((await feed(ben, { page: '2', limit: '7' })).vents)).toEqual(said.slice(7));
  });

  test('says how many of its ten pages hold something, and no more than that', async () => {
    expect(await feed(ann)).toEqual({ success: true, vents: [], pageCount: 0, hasOlder: false });
    const seen: [number, number, boolean][] = [];
    for (let count = 1; count <= 57; count += 1) {
      await makeVent(app, ann);
      if (![1, 5, 6, 50, 51, 57].includes(count)) continue;
      const { pageCount, hasOlder } = await feed(ben);
      seen.push([count, pageCount, hasOlder]);
    }
    expect(seen).toEqual([
      [1, 1, false],
      [5, 1, false],
      [6, 2, false],
      [50, 10, false],
      [51, 10, true],
      [57, 10, true],
    ]);
    expect((await feed(ben, { page: '11' })).vents).toHaveLength(5);
    expect(await feed(ben, { page: '13' })).toMatchObject({ vents: [], pageCount: 10 });
    expect((await feed(ben, { page: '1000', limit: '100' })).vents).toEqual([]);
    expect(Object.keys(await feed(ben)).toSorted()).toEqual(['hasOlder', 'pageCount', 'success', 'vents']);
  });

  test.each([
    { page: '0' },
    { page: '-1' },
    { page: '1.5' },
    { page: ' 1' },
    { page: '1e2' },
    { page: '0x1' },
    { page: '01' },
    { page: '1001' },
    { page: '' },
    { page: '१' },
    { limit: '0' },
    { limit: '101' },
    { limit: 'all' },
    { sort: 'oldest' },
    { sort: 'Recent' },
    { mine: 'yes' },
  ])('refuses %j', async (query) => {
    const answer = await app.call(listVents, { as: ann, query: query as never });
    expect(verdict(answer)).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.body.message).toBe('Failed to fetch vents');
  });

  test('goes on by cursor over every vent exactly once, while new ones arrive and the last one seen goes away', async () => {
    const made: string[] = [];
    for (let count = 0; count < 61; count += 1)
      made.unshift((await makeVent(app, [ann, ben][count % 2] ?? ann)).id);
    const seen: string[] = [];
    let before: string | undefined;
    for (let pages = 0; pages < 30; pages += 1) {
      const { vents, hasOlder } = await feed(cat, { limit: '7', ...(before ? { before } : {}) });
      seen.push(...vents.map(({ _id }) => _id));
      if (pages > 0 && !hasOlder) break;
      before = vents.at(-1)?._id;
      await makeVent(app, cat);
      if (pages === 3) {
        const owner = (await look(ann, before ?? '')).isOwner ? ann : ben;
        await app.call(deleteVent, { as: owner, params: { id: before ?? '' } });
      }
    }
    expect(seen).toEqual(made);
    expect((await feed(cat, { before: made.at(-1) ?? '' })).vents).toEqual([]);
    expect((await feed(cat, { before: 'A'.repeat(22) })).vents).toEqual([]);
  });

  test('mine holds my vents alone, in order, searched by the server and paged', async () => {
    for (let count = 0; count < 12; count += 1) {
      await makeVent(app, ann, {
        title: `mine ${count}`,
        text: count % 2 ? 'odd पानी' : 'even',
        hashtags: ['river'],
      });
      await makeVent(app, ben, { title: `theirs ${count}`, text: 'odd पानी', hashtags: ['river'] });
    }
    const mine = await feed(ann, { mine: 'true', limit: '5', page: '2' });
    expect(titles(mine.vents)).toEqual([6, 5, 4, 3, 2].map((n) => `mine ${n}`));
    expect([mine.pageCount, mine.hasOlder]).toEqual([3, false]);
    for (const { isOwner, userId } of mine.vents) expect([isOwner, userId._id]).toEqual([true, ann.user._id]);
    expect(titles((await feed(ann, { mine: 'true', query: 'ODD', limit: '50' })).vents)).toEqual(
      [11, 9, 7, 5, 3, 1].map((n) => `mine ${n}`),
    );
    expect(titles((await feed(ann, { mine: 'true', query: '#riv', limit: '3', page: '2' })).vents)).toEqual([
      'mine 8',
      'mine 7',
      'mine 6',
    ]);
    expect((await feed(ann, { mine: 'true', query: 'theirs' })).vents).toEqual([]);
    expect((await feed(ann, { mine: 'true', query: '  ' })).vents).toHaveLength(5);
    expect((await feed(ann, { mine: 'true', query: '!!!' })).vents).toEqual([]);
    expect(await feed(cat, { mine: 'true' })).toMatchObject({ vents: [], pageCount: 0, hasOlder: false });
    const last = (await feed(ann, { mine: 'true', limit: '5' })).vents.at(-1)?._id ?? '';
    const older = await feed(ann, { mine: 'true', limit: '5', before: last });
    expect([titles(older.vents), older.hasOlder]).toEqual([[6, 5, 4, 3, 2].map((n) => `mine ${n}`), true]);
  });

  test('does not show what is hidden, removed or taken back, anywhere', async () => {
    const [kept, hidden, removed, deleted] = await Promise.all(
      ['kept', 'hidden', 'removed', 'deleted'].map((title) =>
        makeVent(app, ann, { title, hashtags: ['shown'] }),
      ),
    );
    if (!kept || !hidden || !removed || !deleted) throw new Error('no vents');
    for (const { id } of [kept, hidden, removed]) await give(ben, id, 'heart', true);
    await setState(hidden.id, 'hidden');
    await setState(removed.id, 'removed');
    await app.call(deleteVent, { as: ann, params: { id: deleted.id } });
    app.clock.advance(60_000);
    for (const reader of [ann, ben]) {
      expect(titles((await feed(reader)).vents)).toEqual(['kept']);
      expect(titles((await feed(reader, { limit: '50' })).vents)).toEqual(['kept']);
      expect(titles((await feed(reader, { sort: 'trending' })).vents)).toEqual(['kept']);
      expect(await find(reader, '#shown')).toEqual(['kept']);
      for (const { id } of [removed, deleted]) {
        expect(verdict(await app.call(getVent, { as: reader, params: { id } }))).toEqual([
          404,
          'VENT_NOT_FOUND',
        ]);
      }
    }
    expect((await feed(ben)).pageCount).toBe(1);
    for (const { id } of [hidden, removed, deleted]) {
      expect(verdict(await app.call(getVent, { as: ben, params: { id } }))).toEqual([404, 'VENT_NOT_FOUND']);
      expect(verdict(await give(ben, id, 'hug'))).toEqual([404, 'VENT_NOT_FOUND']);
      expect(verdict(await say(ben, id, 'hello'))).toEqual([404, 'VENT_NOT_FOUND']);
    }
    // Its author may still find and take back what waits for review, not what is gone.
    expect(titles((await feed(ann, { mine: 'true' })).vents).toSorted()).toEqual(['hidden', 'kept']);
    expect((await app.call(deleteVent, { as: ann, params: { id: hidden.id } })).status).toBe(200);
  });

  test('one vent opens from its link however old it is', async () => {
    const first = await makeVent(app, ann, { title: 'the oldest' });
    for (let count = 0; count < 103; count += 1) await makeVent(app, ben);
    await rows.query(`update content.vents set created_at = created_at - interval '300 days' where id = $1`, [
      String(first.number),
    ]);
    expect(titles((await feed(cat, { limit: '100' })).vents)).not.toContain('the oldest');
    expect((await look(cat, first.id)).title).toBe('the oldest');
  });

  test('readers who come at once are read for at once, and each sees what is theirs and no more', async () => {
    const shown = await makeVent(app, ann, { title: 'seen by all' });
    const hidden = await makeVent(app, ann, { title: 'seen by its author' });
    await give(ben, shown.id, 'heart', true);
    await give(cat, shown.id, 'hug', true);
    await say(cat, shown.id, 'as nobody', { anonymous: true });
    await setState(hidden.id, 'hidden');
    const times = 20;
    const asked = [ann, ben, cat].flatMap((person) => Array.from({ length: times }, () => person));
    const [details, lists, own, others] = await Promise.all([
      Promise.all(asked.map((person) => look(person, shown.id))),
      Promise.all(asked.map((person) => feed(person, { limit: '7' }))),
      Promise.all(asked.map((person) => feed(person, { mine: 'true' }))),
      Promise.all(asked.map((person) => app.call(getVent, { as: person, params: { id: hidden.id } }))),
    ]);
    for (const [index, person] of asked.entries()) {
      const mine = person === ben ? ['heart'] : person === cat ? ['hug'] : [];
      for (const vent of [details[index], lists[index]?.vents[0]]) {
        expect(vent?.myReactions).toEqual(mine);
        expect(vent?.isOwner).toBe(person === ann);
        expect(vent?.comments.map(({ isMine }) => isMine)).toEqual([person === cat]);
      }
      expect(titles(lists[index]?.vents ?? [])).toEqual(['seen by all']);
      expect(titles(own[index]?.vents ?? [])).toEqual(
        person === ann ? ['seen by its author', 'seen by all'] : [],
      );
      expect(others[index]?.status).toBe(404);
    }
  });
});

describe('taking it back', () => {
  test('is for its author alone; it is gone from sight at once and from the database with the next round', async () => {
    const { id, number } = await makeVent(app, ann, { hashtags: ['canary'] });
    await give(ben, id, 'heart');
    await makeComment(app, ben, id);
    await feed(ben);
    await feed(ben, { sort: 'trending' });
    expect(verdict(await app.call(deleteVent, { as: ben, params: { id } }))).toEqual([404, 'VENT_NOT_FOUND']);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => app.call(deleteVent, { as: ann, params: { id } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
    expect((await feed(ben)).vents).toEqual([]);
    expect((await feed(ben, { sort: 'trending' })).vents).toEqual([]);
    expect(await find(ben, 'canary')).toEqual([]);
    await runJob(app, 'remove-deleted-vents');
    for (const table of ['vents', 'vent_stats', 'vent_search', 'reactions', 'comments', 'trending']) {
      expect(await numberOf(`content.${table}`), table).toBe(0);
    }
    expect(number).toBeGreaterThan(0n);
  });
});

describe('search', () => {
  test('finds word beginnings in title, text and hashtags, newest first, whoever asks', async () => {
    await makeVent(app, ann, { title: 'Lonesome road', text: 'nothing' });
    await makeVent(app, ben, { title: 'Other', text: 'so LONELY tonight' });
    await makeVent(app, ann, { title: 'Tagged', text: 'nothing', hashtags: ['loneliness'] });
    await makeVent(app, ben, { title: 'Not', text: 'a balloon is alone' });
    for (const reader of [ann, ben, cat])
      expect(await find(reader, 'lone')).toEqual(['Tagged', 'Other', 'Lonesome road']);
    expect(await find(cat, 'lone', { limit: '1', page: '2' })).toEqual(['Other']);
    expect(await find(cat, 'lone', { page: '2' })).toEqual([]);
    expect(await find(cat, 'so lon ton')).toEqual(['Other']);
    expect(await find(cat, 'nothing balloon')).toEqual([]);
  });

  test('says how many of its ten pages hold something, or whether there is more, and goes on by cursor over each exactly once', async () => {
    const page = async (query: Record<string, string>) => {
      const answer = await app.call(searchVents, { as: cat, query: { query: 'lone', limit: '2', ...query } });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    expect(await page({})).toEqual({ success: true, vents: [], pageCount: 0, hasOlder: false });
    const made: string[] = [];
    const seen: [number, number, boolean][] = [];
    for (let count = 1; count <= 23; count += 1) {
      made.unshift((await makeVent(app, [ann, ben][count % 2] ?? ann, { text: `lonely ${count}` })).id);
      await makeVent(app, ben, { text: 'something else' });
      if (![1, 2, 3, 20, 21].includes(count)) continue;
      for (const asked of [{ page: '1' }, {}]) {
        const { pageCount, hasOlder } = await page(asked);
        seen.push([count, pageCount, hasOlder]);
      }
    }
    // With a page all ten are counted; without one it is told whether there is more.
    expect(seen).toEqual([
      [1, 1, false],
      [1, 1, false],
      [2, 1, false],
      [2, 1, false],
      [3, 2, false],
      [3, 2, true],
      [20, 10, false],
      [20, 2, true],
      [21, 10, true],
      [21, 2, true],
    ]);
    const idsOf = ({ vents }: { vents: VentView[] }) => vents.map(({ _id }) => _id);
    expect(idsOf(await page({}))).toEqual(made.slice(0, 2));
    expect(idsOf(await page({ page: '10' }))).toEqual(made.slice(18, 20));
    expect(idsOf(await page({ page: '12' }))).toEqual(made.slice(22));
    const older = await page({ before: made[19] ?? '' });
    expect([idsOf(older), older.hasOlder]).toEqual([made.slice(20, 22), true]);
    const last = await page({ before: made[21] ?? '' });
    expect([idsOf(last), last.hasOlder]).toEqual([made.slice(22), false]);
    expect((await page({ before: 'A'.repeat(22) })).vents).toEqual([]);
  });

  test('#tag looks at hashtags alone', async () => {
    await makeVent(app, ann, { title: 'rain in the title', text: 'rain' });
    await makeVent(app, ann, { title: 'tagged', text: 'x', hashtags: ['Rainy days'] });
    expect(await find(ben, '#rain')).toEqual(['tagged']);
    expect(await find(ben, '#days')).toEqual(['tagged']);
    expect(await find(ben, '##RAINY')).toEqual(['tagged']);
    expect(await find(ben, 'rain')).toEqual(['tagged', 'rain in the title']);
    expect(await find(ben, '#title')).toEqual([]);
  });

  test('keeps Hindi and other scripts whole', async () => {
    await makeVent(app, ann, { title: 'अकेलापन', text: 'मुझे नींद नहीं आती', hashtags: ['दुख'] });
    await makeVent(app, ann, { title: 'தனிமை', text: 'எனக்கு பயமாக இருக்கிறது' });
    await makeVent(app, ann, { title: 'Усталость', text: 'не могу больше' });
    expect(await find(ben, 'अकेलापन')).toEqual(['अकेलापन']);
    expect(await find(ben, 'अकेला')).toEqual(['अकेलापन']);
    expect(await find(ben, 'नींद नहीं')).toEqual(['अकेलापन']);
    expect(await find(ben, '#दुख')).toEqual(['अकेलापन']);
    expect(await find(ben, 'न')).toEqual(['अकेलापन']);
    expect(await find(ben, 'ींद')).toEqual([]);
    expect(await find(ben, 'பயமாக')).toEqual(['தனிமை']);
    expect(await find(ben, 'УСТАЛ')).toEqual(['Усталость']);
  });

  test('sees no difference of case and accent', async () => {
    for (const [title, asked] of [
      ['Café crème', ['cafe', 'CAFÉ', 'cafe\u0301', 'Creme']],
      ['Søren Łódź straße', ['søren', 'soren', 'SØREN', 'łódź', 'lodz', 'straße', 'STRASSE']],
      ['it’s over', ['it’s', "it's", 'over']],
    ] as const) {
      await makeVent(app, ann, { title, text: 'x' });
      for (const query of asked) expect([query, await find(ben, query)]).toEqual([query, [title]]);
    }
  });

  test('signs mean nothing: no quote, operator or wildcard changes what is asked', async () => {
    await makeVent(app, ann, { title: 'alpha', text: 'alpha' });
    await makeVent(app, ann, { title: 'both', text: 'alpha beta' });
    for (const query of [
      'alpha & beta',
      'alpha | beta',
      "alpha' | 'beta",
      'alpha beta!',
      '(alpha beta)',
      '"alpha" beta',
      'al% beta',
      'al* _beta',
    ])
      expect([query, await find(ben, query)]).toEqual([query, ['both']]);
    for (const query of [
      '!alpha beta gamma',
      'alpha:*B | gamma',
      "x' | 'alpha",
      '%lpha',
      '_lpha',
      'alpha\\ gamma',
      'alp*ha',
    ])
      expect([query, await find(ben, query)]).toEqual([query, []]);
    for (const query of [
      ...["'", '"', '\\', "\\'", '!!!', '(', ')', ':*', '&', '|', '<->', '%', '*', '#', '-', '--', '😢'],
      ...[
        "a'",
        "a''",
        'a\\',
        "a\\'",
        "'a",
        'a:*',
        'a:',
        'a!',
        'a&',
        'a|b',
        'a<->',
        'ŉ',
        '’a',
        'ʼ',
        'a＼',
        'a＇b',
        'a∖',
        '＼＇a',
      ],
      ...[
        "'; drop table content.vents; --",
        '$1',
        '{}',
        '[]',
        'a/b',
        'a@b.c',
        'http://x.y/z?a=b',
        '1.5e3',
        '-1',
        'a-b-c',
      ],
    ]) {
      const { status, text } = await app.call(searchVents, { as: ben, query: { query } });
      expect(status, `${query}: ${text}`).toBe(200);
      const mine = await app.call(listVents, { as: ben, query: { mine: 'true', query } });
      expect(mine.status, `${query}: ${mine.text}`).toBe(200);
    }
    // Every sign that the folding of the database turns into a quote or a backslash.
    const { rows: signs } = await rows.query<{ sign: string }>(
      `select chr(n) as sign from generate_series(33, 65533) n
        where n not between 55296 and 57343 and content.folded(chr(n)) ~ '[''\\\\]'`,
    );
    expect(signs.length).toBeGreaterThan(10);
    for (const { sign } of signs) {
      const found = await find(ben, `alpha${sign}${sign}${sign}`);
      // One of them is a letter with its apostrophe, and so a word.
      expect([sign, found]).toEqual([sign, sign === 'ŉ' ? [] : ['both', 'alpha']]);
    }
    expect(await numberOf('content.vents')).toBe(2);
  });

  test('refuses a blank query with the sentence of the specification, and one that is too long or unreadable', async () => {
    for (const query of ['', '   ', '\u200B', 'x'.repeat(101), 'a\u0000b', '\u0001']) {
      const answer = await app.call(searchVents, { as: ann, query: { query } });
      expect([query, ...verdict(answer)]).toEqual([query, 422, 'VALIDATION_FAILED']);
      expect(answer.body.message).toBe('Please enter a search query.');
    }
    expect((await app.call(searchVents, { as: ann, query: {} as never })).body.message).toBe(
      'Please enter a search query.',
    );
    expect((await app.call(searchVents, { as: ann, query: { query: '😢'.repeat(100) } })).status).toBe(200);
    const mine = await app.call(listVents, { as: ann, query: { mine: 'true', query: 'a\u0000b' } });
    expect(mine.status).toBe(422);
  });

  test('finds nobody: neither name, nor id, nor alias, nor key is a word (SC-21)', async () => {
    const { id, number, view } = await makeVent(app, ann);
    await makeComment(app, ben, id, { text: 'a word in a comment' });
    const seen = await look(cat, id);
    for (const query of [
      'ann_of_tests',
      'ann',
      'ben_of_tests',
      'comment',
      id,
      ann.user._id,
      seen.userId._id,
      view.userId._id,
      String(ann.userId),
      String(number),
      '#ann_of_tests',
    ]) {
      expect([query, await find(cat, query)]).toEqual([query, []]);
    }
  });
});

describe('reactions', () => {
  test('each is a toggle of its own, and the answer tells all counts and mine', async () => {
    const { id } = await makeVent(app, ann);
    const told = async (answer: ReturnType<typeof give>) => {
      const { reactions, myReactions, ...rest } = (await answer).body;
      expect(rest).toEqual({ success: true });
      return [reactions.heart, reactions.hug, reactions.listen, myReactions];
    };
    expect(await told(give(ben, id, 'heart'))).toEqual([1, 0, 0, ['heart']]);
    expect(await told(give(cat, id, 'heart'))).toEqual([2, 0, 0, ['heart']]);
    expect(await told(give(ben, id, 'listen'))).toEqual([2, 0, 1, ['heart', 'listen']]);
    expect(await told(give(ben, id, 'hug'))).toEqual([2, 1, 1, ['heart', 'hug', 'listen']]);
    expect(await told(give(ben, id, 'heart'))).toEqual([1, 1, 1, ['hug', 'listen']]);
    expect(await told(give(ann, id, 'heart'))).toEqual([2, 1, 1, ['heart']]);
    expect((await look(ben, id)).myReactions).toEqual(['hug', 'listen']);
    expect((await look(ann, id)).myReactions).toEqual(['heart']);
    expect((await look(await makeUser(app), id)).myReactions).toEqual([]);
  });

  test('with `active` saying it twice is saying it once', async () => {
    const { id } = await makeVent(app, ann);
    for (const [active, hug] of [
      [false, 0],
      [true, 1],
      [true, 1],
      [false, 0],
      [false, 0],
    ] as const) {
      const { body } = await give(ben, id, 'hug', active);
      expect([body.reactions.hug, body.myReactions]).toEqual([hug, hug ? ['hug'] : []]);
    }
    const answers = await Promise.all(Array.from({ length: 30 }, () => give(ben, id, 'hug', true)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await look(ann, id)).reactions).toEqual({ heart: 0, hug: 1, listen: 0 });
  });

  test('an unknown kind, a number for an id or a string for active is refused', async () => {
    const { id } = await makeVent(app, ann);
    for (const body of [
      { ventId: id, reactionType: 'Heart' },
      { ventId: id, reactionType: 'like' },
      { ventId: id },
      { ventId: 1, reactionType: 'hug' },
      { ventId: id, reactionType: 'hug', active: 'true' },
    ]) {
      expect(verdict(await app.call(react, { as: ben, body: body as never }))).toEqual([
        422,
        'VALIDATION_FAILED',
      ]);
    }
    expect(await numberOf('content.reactions')).toBe(0);
  });

  test('50 toggles of one person at once all happen: the count is the rows, and an odd one more leaves one', async () => {
    const { id } = await makeVent(app, ann);
    const shown = async () => (await look(ben, id)).reactions.heart;
    await Promise.all(Array.from({ length: 50 }, () => give(ben, id, 'heart')));
    expect([await shown(), await numberOf('content.reactions')]).toEqual([0, 0]);
    await Promise.all(Array.from({ length: 51 }, () => give(ben, id, 'heart')));
    expect([await shown(), await numberOf('content.reactions')]).toEqual([1, 1]);
  });

  test('whatever several people do at once, counts are the rows and never below zero', async () => {
    const people = [ann, ben, cat, await makeUser(app), await makeUser(app)];
    const { id } = await makeVent(app, ann);
    const kinds = ['heart', 'hug', 'listen'] as const;
    for (let round = 0; round < 6; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          give(
            people[(n * 7 + round) % 5] ?? ann,
            id,
            kinds[(n + round) % 3] ?? 'hug',
            [undefined, true, false][(n >> 1) % 3],
          ),
        ),
      );
      for (const { status, text, body } of answers) {
        expect(status, text).toBe(200);
        for (const count of Object.values(body.reactions)) expect(count).toBeGreaterThanOrEqual(0);
      }
      const { reactions } = await look(ben, id);
      for (const kind of kinds) {
        expect([kind, reactions[kind]]).toEqual([
          kind,
          await numberOf(`content.reactions where kind = '${kind}'`),
        ]);
      }
    }
    // What the author gave and took back has left no weight behind.
    for (const kind of kinds) await give(ann, id, kind, false);
    const { rows: stats } = await rows.query<{ own: number }>(
      'select own_weight as own from content.vent_stats',
    );
    expect(stats).toEqual([{ own: 0 }]);
  });

  test('are counts: nowhere does an answer say who gave them (SC-23)', async () => {
    const { id } = await makeVent(app, ann);
    const { cursor } = (await app.call(ventsSince, { as: ann, query: {} })).body;
    await give(ben, id, 'hug', true);
    for (const answer of [
      await app.call(getVent, { as: cat, params: { id } }),
      await app.call(listVents, { as: ann }),
      await app.call(listVents, { as: ann, query: { mine: 'true' } }),
      await app.call(ventsSince, { as: ann, query: { cursor } }),
    ]) {
      expect(answer.text).toContain('"hug":1');
      expect(answer.text).not.toMatch(/ben_of_tests|reactor/u);
      expect(answer.text).not.toContain(ben.user._id);
    }
  });
});

describe('trending', () => {
  test('weighs hearts, hugs, listens and comments against age, and counts nothing of oneself', async () => {
    const made: Record<string, string> = {};
    for (const title of ['own praise', 'one heart', 'one hug', 'one comment', 'two listens', 'nothing']) {
      made[title] = (await makeVent(app, ann, { title })).id;
    }
    const id = (title: string) => made[title] ?? '';
    for (const kind of ['heart', 'hug', 'listen'] as const) await give(ann, id('own praise'), kind);
    for (let count = 0; count < 5; count += 1) await say(ann, id('own praise'), `${count}`);
    await give(ben, id('one heart'), 'heart');
    await give(ben, id('one hug'), 'hug');
    await say(ben, id('one comment'), 'hello');
    await give(ben, id('two listens'), 'listen');
    await give(cat, id('two listens'), 'listen');
    app.clock.advance(11_000);
    const order = ['two listens', 'one comment', 'one hug', 'one heart', 'nothing', 'own praise'];
    for (const reader of [ann, ben, cat]) {
      expect(titles((await feed(reader, { sort: 'trending', limit: '50' })).vents)).toEqual(order);
    }
    const paged = await feed(cat, { sort: 'trending', page: '2' });
    expect([titles(paged.vents), paged.pageCount, paged.hasOlder]).toEqual([['own praise'], 2, false]);
    // A day later four points weigh less than one fresh heart.
    app.clock.advance(24 * hour);
    const fresh = await makeVent(app, ben, { title: 'fresh' });
    await give(cat, fresh.id, 'heart');
    app.clock.advance(11_000);
    await feed(ann, { sort: 'trending' });
    await app.deps.backgroundDone();
    expect(titles((await feed(ann, { sort: 'trending' })).vents)[0]).toBe('fresh');
  });

  test('nobody waits while it is weighed anew: the old list meanwhile, and the work is done once', async () => {
    const first = await makeVent(app, ann, { title: 'first' });
    const trend = async () => titles((await feed(cat, { sort: 'trending', limit: '50' })).vents);
    expect(await trend()).toEqual(['first']);
    await makeVent(app, ann, { title: 'second' });
    await give(ben, first.id, 'heart');
    app.clock.advance(11_000);
    const before = app.statements.length;
    await withClient(app.config.databaseUrl, async (client) => {
      // Reading goes on, writing has to wait.
      await client.query('begin; lock table content.trending in exclusive mode');
      for (let asked = 0; asked < 5; asked += 1) expect(await trend()).toEqual(['first']);
      await client.query('rollback');
    });
    await app.deps.backgroundDone();
    expect(await trend()).toEqual(['first', 'second']);
    const rewrites = app.statements
      .slice(before)
      .filter(({ text }) => text.includes('delete from content.trending'));
    expect(rewrites).toHaveLength(1);
  });

  test('holds fifty at most', async () => {
    for (let count = 0; count < 53; count += 1) await makeVent(app, ann);
    expect((await feed(ben, { sort: 'trending', limit: '100' })).vents).toHaveLength(50);
    expect(await feed(ben, { sort: 'trending', page: '11' })).toMatchObject({
      vents: [],
      pageCount: 10,
      hasOlder: false,
    });
  });
});

describe('comments', () => {
  const who = ({ userId: { username, profilePic }, isAuthor, isMine }: CommentView) => [
    username,
    profilePic !== null,
    isAuthor,
    isMine,
  ];

  test('stand under the name of their writer, under none when they wish, and the author is the Author (SC-3)', async () => {
    const { id } = await makeVent(app, ann);
    const told: CommentView[] = [];
    for (const [person, more] of [
      [ben, {}],
      [ben, { anonymous: true }],
      [cat, {}],
      [ann, {}],
      [ann, { anonymous: true }],
      [ann, { anonymous: false }],
    ] as const) {
      const answer = await say(person, id, ' some\u0000'.slice(0, 5), more);
      expect(answer.status).toBe(201);
      expect(Object.keys(answer.body.comment).toSorted()).toEqual([
        '_id',
        'createdAt',
        'isAuthor',
        'isMine',
        'text',
        'userId',
      ]);
      // The day in India: 5:30 ahead, so that it is already tomorrow there in the evening.
      expect(answer.body.comment.createdAt).toBe(`${indianDay()}T00:00:00+05:30`);
      expect(answer.body.comment.text).toBe('some');
      told.push(answer.body.comment);
    }
    expect(told.map(who)).toEqual([
      ['ben_of_tests', true, false, true],
      [null, false, false, true],
      // No name chosen yet: "Anonymous", and no picture, which would be one under every comment.
      [null, false, false, true],
      [null, false, true, true],
      [null, false, true, true],
      [null, false, true, true],
    ]);
    const seen = (await look(cat, id)).comments;
    expect(seen.map(who)).toEqual(
      told.map(who).map(([name, hasPicture, isAuthor], n) => [name, hasPicture, isAuthor, n === 2]),
    );
    expect((await look(ann, id)).comments.map(({ isMine }) => isMine)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
    expect((await look(ben, id)).comments.map(({ isMine }) => isMine)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    const { text } = await app.call(getVent, { as: cat, params: { id } });
    expect(text).not.toContain('ann_of_tests');
    // Neither does a new name of the author change anything under their vent.
    await app.call(changeUsername, { as: ann, body: { newUsername: 'ann_renamed' } });
    expect((await app.call(getVent, { as: cat, params: { id } })).text.replace(/"requestId".*/u, '')).toBe(
      text,
    );
    await app.call(changeUsername, { as: ann, body: { newUsername: 'ann_of_tests' } });
  });

  test('of somebody without a name stay nobody’s, also when they choose a name later', async () => {
    const person = await makeUser(app);
    const { id } = await makeVent(app, ann);
    await makeComment(app, person, id);
    await makeComment(app, person, id, { anonymous: false });
    await app.call(changeUsername, { as: person, body: { newUsername: 'named_later' } });
    expect((await look(cat, id)).comments.map(({ userId }) => userId.username)).toEqual([null, null]);
    await makeComment(app, person, id, { anonymous: false });
    expect((await look(cat, id)).comments.at(-1)?.userId.username).toBe('named_later');
  });

  test('carry the current name of whoever spoke, and lead to no profile (SC-4)', async () => {
    const { id } = await makeVent(app, ann);
    await makeComment(app, ben, id);
    await app.call(changeUsername, { as: ben, body: { newUsername: 'ben_renamed' } });
    const { text } = await app.call(getVent, { as: cat, params: { id } });
    expect(text).toContain('ben_renamed');
    expect(text).not.toContain(ben.user._id);
    await app.call(changeUsername, { as: ben, body: { newUsername: 'ben_of_tests' } });
  });

  test.each([
    ['nothing', {}],
    ['blanks', { text: ' \n\u200B' }],
    ['501', { text: '😢'.repeat(501) }],
    ['a NUL', { text: 'a\u0000' }],
    ['a number', { text: 5 }],
    ['a string for anonymous', { text: 'x', anonymous: 'true' }],
  ])('of %s is refused with the sentence of the specification', async (_, body) => {
    const { id } = await makeVent(app, ann);
    const answer = await app.call(commentOnVent, { as: ben, body: { ventId: id, ...body } as never });
    expect([...verdict(answer), answer.body.message]).toEqual([
      422,
      'VALIDATION_FAILED',
      'Please enter a comment.',
    ]);
    expect((await say(ben, id, '😢'.repeat(500))).status).toBe(201);
  });

  test('are closed vent by vent, for everyone and the author, from that moment; what was said stays', async () => {
    const [first, second] = [await makeVent(app, ann), await makeVent(app, ann)];
    const other = await makeVent(app, ben);
    await makeComment(app, ben, first.id, { text: 'before' });
    await feed(cat);
    expect((await setVent(ann, first.id, false)).status).toBe(200);
    for (const person of [ann, ben, cat]) {
      const answer = await say(person, first.id, 'too late', { anonymous: person === cat });
      expect(verdict(answer)).toEqual([403, 'COMMENTS_DISABLED']);
    }
    // Whoever reads sees it too, also the one who has just closed it.
    const shown = async () =>
      Object.fromEntries((await feed(ann)).vents.map(({ _id, userId }) => [_id, userId.allowComments]));
    expect(await shown()).toEqual({ [first.id]: false, [second.id]: true, [other.id]: true });
    expect((await look(cat, first.id)).comments.map(({ text }) => text)).toEqual(['before']);
    expect((await say(ben, second.id, 'still open')).status).toBe(201);
    await setVent(ann, first.id, true);
    expect((await say(ben, first.id, 'again')).status).toBe(201);
    expect((await look(cat, first.id)).commentCount).toBe(2);
  });

  test('are closed by nobody but the author: somebody else’s vent is not found, as one that never was', async () => {
    const { id } = await makeVent(app, ann);
    const never = app.deps.seals.vent.seal(10n ** 12n);
    for (const ventId of [id, never])
      expect(verdict(await setVent(ben, ventId, false))).toEqual([404, 'VENT_NOT_FOUND']);
    expect((await look(cat, id)).userId.allowComments).toBe(true);
  });

  test('follow the profile’s switch on new vents only, and what the composer says before it', async () => {
    const old = await makeVent(app, ann);
    await setComments(ann, false);
    expect((await look(cat, old.id)).userId.allowComments).toBe(true);
    expect((await makeVent(app, ann)).view.userId.allowComments).toBe(false);
    expect((await makeVent(app, ann, { allowComments: true })).view.userId.allowComments).toBe(true);
    await setComments(ann, true);
    expect((await makeVent(app, ann)).view.userId.allowComments).toBe(true);
    expect((await makeVent(app, ann, { allowComments: false })).view.userId.allowComments).toBe(false);
  });

  test('can be closed on all of one’s own vents at once, and on nobody else’s', async () => {
    for (let n = 0; n < 7; n += 1) await makeVent(app, n === 3 ? ben : ann);
    await app.call(closeAllVents, { as: ann });
    const { vents } = await feed(cat, { limit: '100' });
    expect(vents.map(({ userId }) => userId.allowComments)).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  test('closing while 30 people speak: whatever was answered 201 is there, nothing else, and the count is exact', async () => {
    const { id } = await makeVent(app, ann);
    const speaking = Array.from({ length: 30 }, (_, n) => say([ben, cat][n % 2] ?? ben, id, `comment ${n}`));
    const closing = setVent(ann, id, false);
    const answers = await Promise.all(speaking);
    await closing;
    const taken = answers.filter(({ status }) => status === 201).length;
    expect(answers.filter(({ body }) => body.code === 'COMMENTS_DISABLED').length).toBe(30 - taken);
    expect([await numberOf('content.comments'), (await look(ann, id)).commentCount]).toEqual([taken, taken]);
    expect((await say(ben, id, 'after')).status).toBe(403);
  });

  test('come along as the newest 20, oldest first; older ones by cursor, each exactly once', async () => {
    const { id } = await makeVent(app, ann);
    const said: string[] = [];
    for (let n = 0; n < 47; n += 1) {
      said.push(`comment ${n}`);
      await makeComment(app, [ann, ben, cat][n % 3] ?? ann, id, {
        text: `comment ${n}`,
        anonymous: n % 2 === 0,
      });
    }
    const vent = await look(cat, id);
    expect(vent.commentCount).toBe(47);
    expect(vent.comments.map(({ text }) => text)).toEqual(said.slice(27));
    expect((await feed(cat)).vents[0]?.comments).toEqual(vent.comments);
    const seen = [...vent.comments];
    const older = (before: string) => app.call(listComments, { as: cat, params: { id }, query: { before } });
    for (let hasOlder = true; hasOlder;) {
      const { body } = await older(seen[0]?._id ?? '');
      seen.unshift(...body.comments);
      hasOlder = body.hasOlder;
    }
    expect(seen.map(({ text }) => text)).toEqual(said);
    expect(new Set(seen.map(({ _id }) => _id)).size).toBe(47);
    const { body } = await app.call(listComments, { as: cat, params: { id }, query: {} });
    expect([body.comments, body.hasOlder]).toEqual([vent.comments, true]);
    expect((await older('A'.repeat(22))).body.comments).toEqual([]);
  });

  test("are deleted by the vent's owner or their writer, once, and by nobody else", async () => {
    const [vent, elsewhere] = [await makeVent(app, ann), await makeVent(app, ann)];
    const remove = (as: Actor, commentId: string, ventId = vent.id) =>
      app.call(deleteComment, { as, params: { ventId, commentId } });
    const gone = [404, 'COMMENT_NOT_FOUND'];
    const named = await makeComment(app, ben, vent.id, { text: 'named' });
    const masked = await makeComment(app, ben, vent.id, { text: 'masked', anonymous: true });
    const own = await makeComment(app, ann, vent.id, { text: 'own' });
    const theirs = await makeComment(app, cat, vent.id, { text: 'theirs' });
    await feed(cat);
    for (const id of [named, masked, own]) expect(verdict(await remove(cat, id))).toEqual(gone);
    expect(verdict(await remove(ben, own))).toEqual(gone);
    expect(verdict(await remove(ann, named, elsewhere.id))).toEqual(gone);
    expect(verdict(await remove(ben, named, elsewhere.id))).toEqual(gone);
    expect((await look(cat, vent.id)).commentCount).toBe(4);
    expect((await remove(ben, masked)).status).toBe(200);
    expect(verdict(await remove(ben, masked))).toEqual(gone);
    const atOnce = await Promise.all(Array.from({ length: 6 }, () => remove(ann, theirs)));
    expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await remove(ben, named)).status).toBe(200);
    const shown = (await feed(cat)).vents.find(({ _id }) => _id === vent.id);
    expect([shown?.comments.map(({ text }) => text), shown?.commentCount]).toEqual([['own'], 1]);
    expect((await remove(ann, own)).status).toBe(200);
    expect((await look(cat, vent.id)).commentCount).toBe(0);
  });
});

describe('reports', () => {
  const report = (as: Actor, ventId: string, reason: string) =>
    app.call(reportVent, { as, body: { ventId, reason } });

  test('again is answered as the first time and kept once, and nobody can ask what became of it (SC-24)', async () => {
    const { id } = await makeVent(app, ann, words);
    const before = await app.call(getVent, { as: ann, params: { id } });
    const first = await report(ben, id, 'Spam');
    const again = await report(ben, id, 'Harassment');
    expect([first.status, first.text, again.status, again.text]).toEqual([
      201,
      '{"success":true}',
      201,
      '{"success":true}',
    ]);
    const names = ({ headers }: Answer<unknown>) => Object.keys(headers).toSorted();
    expect(names(again)).toEqual(names(first));
    await report(cat, id, 'Other: because');
    const { rows: kept } = await rows.query(
      'select reason, snapshot from content.reports order by reason desc',
    );
    const snapshot = { title: words.title, text: words.text, emotion: words.emotion, hashtags: [] };
    expect(kept).toEqual([
      { reason: 'Spam', snapshot },
      { reason: 'Other: because', snapshot },
    ]);
    // Its author sees nothing of it.
    expect((await app.call(getVent, { as: ann, params: { id } })).text).toBe(before.text);
    expect((await app.call(ventsSince, { as: ann })).body.since).toEqual({
      heart: 0,
      hug: 0,
      listen: 0,
      comments: 0,
    });
    const { rows: keys } = await rows.query<{ key: Buffer }>(
      'select reporter_key as key from content.reports',
    );
    expect(new Set(keys.map(({ key }) => key.toString('hex'))).size).toBe(2);
  });

  test("one's own vent is refused to its author alone, and nothing is kept", async () => {
    const { id } = await makeVent(app, ann);
    expect(verdict(await report(ann, id, 'Spam'))).toEqual([403, 'CANNOT_REPORT_OWN']);
    expect(await numberOf('content.reports')).toBe(0);
  });

  test('take the four reasons and Other with up to 500 of details, and nothing else', async () => {
    for (const reason of [...reportReasons, 'Other: x', `Other: ${'😢'.repeat(500)}`]) {
      expect((await report(ben, (await makeVent(app, ann)).id, reason)).status).toBe(201);
    }
    const { id } = await makeVent(app, ann);
    for (const reason of [
      '',
      ' ',
      'spam',
      'Other: ',
      'Something',
      'Spam: details',
      `Other: ${'x'.repeat(501)}`,
      null,
      5,
    ]) {
      const answer = await report(ben, id, reason as string);
      expect([reason, ...verdict(answer), answer.body.message]).toEqual([
        reason,
        422,
        'VALIDATION_FAILED',
        'Please select a reason for reporting.',
      ]);
    }
  });

  test('keep what was reported when the vent is gone, and forget it after 90 days', async () => {
    const { id } = await makeVent(app, ann, words);
    await report(ben, id, 'Harassment');
    await app.call(deleteVent, { as: ann, params: { id } });
    await runJob(app, 'remove-deleted-vents');
    expect([await numberOf('content.vents'), await numberOf('content.reports')]).toEqual([0, 1]);
    const age = (days: number) =>
      rows.query(`update content.reports set reported_on = reported_on - $1::int`, [days]);
    await age(89);
    await runJob(app, 'purge-old-reports');
    expect(await numberOf(`content.reports where snapshot ->> 'text' = '${words.text}'`)).toBe(1);
    await age(2);
    await runJob(app, 'purge-old-reports');
    expect(await numberOf('content.reports')).toBe(0);
  });
});

describe('what my vents were given since I was here', () => {
  const none = { heart: 0, hug: 0, listen: 0, comments: 0 };
  const ask = async (as: Actor, cursor?: string) =>
    (await app.call(ventsSince, { as, query: cursor === undefined ? {} : { cursor } })).body;

  test('counts what others gave all my vents after the cursor was made, and not what I gave myself', async () => {
    const [first, second] = [await makeVent(app, ann), await makeVent(app, ann)];
    const start = await ask(ann);
    expect(start.since).toEqual(none);
    await give(ben, first.id, 'heart');
    await give(cat, second.id, 'heart');
    await give(ben, second.id, 'hug');
    await give(ann, first.id, 'listen');
    await say(ann, first.id, 'own');
    await say(cat, first.id, 'hello');
    await say(cat, second.id, 'hello', { anonymous: true });
    const given = { heart: 2, hug: 1, listen: 0, comments: 2 };
    const next = await ask(ann, start.cursor);
    expect(next.since).toEqual(given);
    // Nothing is used up: who asks again with the same cursor is told the same.
    expect((await ask(ann, start.cursor)).since).toEqual(given);
    expect((await ask(ann, next.cursor)).since).toEqual(none);
    expect((await ask(ben)).since).toEqual(none);
    // Taken back after it was told: nothing goes below zero, and given again it is no news twice over.
    await give(ben, first.id, 'heart');
    const less = await ask(ann, next.cursor);
    expect(less.since).toEqual(none);
    await give(ben, first.id, 'heart');
    await give(cat, first.id, 'heart');
    expect((await ask(ann, less.cursor)).since).toEqual({ ...none, heart: 2 });
  });

  test('counts everything on vents that are newer than the cursor', async () => {
    const start = await ask(ann);
    const { id } = await makeVent(app, ann);
    await give(ben, id, 'hug');
    await say(ben, id, 'hello');
    expect((await ask(ann, start.cursor)).since).toEqual({ ...none, hug: 1, comments: 1 });
  });

  test('counts the comments of the last seven days, and no reactions, where there is no cursor', async () => {
    const { id } = await makeVent(app, ann);
    await give(ben, id, 'hug');
    await say(ben, id, 'an old one');
    await rows.query('update content.comments set said_on = said_on - 8');
    await say(ben, id, 'a new one');
    expect((await ask(ann)).since).toEqual({ ...none, comments: 1 });
    // What is no cursor of this account is none.
    for (const cursor of ['x', (await ask(ben)).cursor])
      expect((await ask(ann, cursor)).since).toEqual({ ...none, comments: 1 });
  });

  test('looks at the newest 64 vents, and says nothing of one that only comes back among them', async () => {
    const made: string[] = [];
    for (let n = 0; n < 66; n += 1) made.push((await makeVent(app, ann)).id);
    const [oldest = '', , third = ''] = made;
    const start = await ask(ann);
    await give(ben, oldest, 'heart');
    await give(ben, third, 'heart');
    expect((await ask(ann, start.cursor)).since).toEqual({ ...none, heart: 1 });
    for (const id of made.slice(10, 13)) await app.call(deleteVent, { as: ann, params: { id } });
    const after = await ask(ann, start.cursor);
    expect(after.since).toEqual({ ...none, heart: 1 });
    expect(after.cursor).toHaveLength(start.cursor.length);
  });
});

test('the emotional weather is my own vents of twelve weeks by day and emotion, and nobody else’s', async () => {
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

describe('a reader sees their own write', () => {
  test('at once: in the feed, in trending and in the vent, with shared pages warm', async () => {
    const { id } = await makeVent(app, ann, { title: 'first' });
    const shown = async (as: Actor) => (await feed(as)).vents.find(({ _id }) => _id === id);
    for (const person of [ann, ben]) {
      await feed(person);
      await feed(person, { sort: 'trending' });
    }
    await give(ben, id, 'heart', true);
    expect((await shown(ben))?.reactions.heart).toBe(1);
    expect((await feed(ben, { sort: 'trending' })).vents[0]?.reactions.heart).toBe(1);
    const comment = await makeComment(app, ben, id);
    expect((await shown(ben))?.commentCount).toBe(1);
    await app.call(deleteComment, { as: ben, params: { ventId: id, commentId: comment } });
    expect((await shown(ben))?.comments).toEqual([]);
    await makeVent(app, ben, { title: 'second' });
    expect(titles((await feed(ben)).vents)).toEqual(['second', 'first']);
    await app.call(deleteVent, { as: ann, params: { id } });
    expect(titles((await feed(ann)).vents)).toEqual(['second']);
    expect((await feed(ann, { sort: 'trending' })).vents).toEqual([]);
  });

  test('at once: their new name and their new picture, and both stay under their comment when they leave', async () => {
    const person = await makeUser(app);
    await app.call(changeUsername, { as: person, body: { newUsername: 'comes_first' } });
    const { id } = await makeVent(app, ann);
    await makeComment(app, person, id);
    const shown = async () => (await feed(cat)).vents[0]?.comments[0]?.userId;
    const first = await shown();
    expect(first?.username).toBe('comes_first');
    await app.call(changeUsername, { as: person, body: { newUsername: 'leaves_soon' } });
    expect((await shown())?.username).toBe('leaves_soon');
    await app.call(drawAvatar, { as: person });
    expect((await shown())?.profilePic).not.toBe(first?.profilePic);
    const last = await shown();
    await leave(person);
    expect(await shown()).toEqual(last);
  });

  test('after 20 reactions at once, every reader of the next page has the full count', async () => {
    const { id } = await makeVent(app, ann);
    const people = await Promise.all(Array.from({ length: 10 }, () => makeUser(app)));
    await Promise.all(
      people.map(async (person) => {
        await feed(person);
        const { body } = await give(person, id, 'hug', true);
        const seen = (await feed(person)).vents[0];
        expect(seen?.myReactions).toEqual(['hug']);
        expect(seen?.reactions.hug).toBeGreaterThanOrEqual(body.reactions.hug);
      }),
    );
    expect((await feed(ann)).vents[0]?.reactions.hug).toBe(10);
  });

  test('on whichever process answers: written on one, read on the other as soon as the word has got there', async () => {
    const second = await startBeside(app);
    onTestFinished(second.close);
    const read = async () => (await second.call(listVents, { as: ben })).body.vents;
    const soon = (check: () => Promise<unknown>) => expect.poll(check, { interval: 5, timeout: 1000 });
    const { id } = await makeVent(app, ann, { title: 'shared' });
    // The second keeps this page: the clock stands still, so it would keep it for ever.
    expect(titles(await read())).toEqual(['shared']);
    await give(ben, id, 'listen', true);
    await soon(async () => (await read())[0]?.reactions.listen).toBe(1);
    expect((await read())[0]?.myReactions).toEqual(['listen']);
    await makeComment(app, ben, id, { text: 'from the first' });
    await soon(async () => (await read())[0]?.comments.map(({ text }) => text)).toEqual(['from the first']);
    await setVent(ann, id, false);
    await soon(async () => (await read())[0]?.userId.allowComments).toBe(false);
    expect(verdict(await second.call(commentOnVent, { as: ben, body: { ventId: id, text: 'x' } }))).toEqual([
      403,
      'COMMENTS_DISABLED',
    ]);
    await makeVent(app, ben, { title: 'newer' });
    await soon(async () => titles(await read())).toEqual(['newer', 'shared']);
    await app.call(deleteVent, { as: ann, params: { id } });
    await soon(async () => titles(await read())).toEqual(['newer']);
  });
});

test('a suspended person cannot write, and what they wrote stays', async () => {
  const person = await makeUser(app);
  const { id } = await makeVent(app, person, { title: 'stays' });
  await suspend(app, person);
  for (const answer of [
    await create(person, words),
    await give(person, id, 'hug'),
    await say(person, id, 'x'),
  ]) {
    expect(verdict(answer)).toEqual([403, 'ACCOUNT_SUSPENDED']);
  }
  expect((await app.call(getSelf, { as: person })).body.user.suspended).toBe(true);
  expect((await look(ben, id)).title).toBe('stays');
});

test('an alias opens no profile and no vent, and holds for every reader (SC-14)', async () => {
  const { id } = await makeVent(app, ann);
  const [one, two] = [await look(ben, id), await look(cat, id)];
  expect(one.userId._id).toBe(two.userId._id);
  for (const as of [ann, ben]) {
    const answer = await app.call(getUser, { as, params: { id: one.userId._id } });
    expect(verdict(answer)).toEqual([404, 'NOT_FOUND']);
    expect(verdict(await app.call(getVent, { as, params: { id: one.userId._id } }))).toEqual([
      404,
      'VENT_NOT_FOUND',
    ]);
  }
});

describe('limits of a person (R52)', () => {
  function expectRateLimited(answer: Answer<unknown>): void {
    expect(verdict(answer), answer.text).toEqual([429, 'RATE_LIMITED']);
    expect(answer.headers['retry-after']).toMatch(/^[1-9][0-9]*$/u);
    expect(`${JSON.stringify(answer.headers)}${answer.text}`).not.toMatch(
      /bucket|budget|ratelimit|remaining|vents|searches/iu,
    );
  }

  const cases: [
    string,
    number,
    number,
    (strict: TestApp, me: Person, ventId: string, n: number) => Promise<Answer<unknown>>,
  ][] = [
    [
      '10 vents in 10 minutes',
      10,
      60_000,
      (strict, as, _id, n) => strict.call(createVent, { as, body: { ...words, title: `t ${n}` } }),
    ],
    [
      '20 comments in 10 minutes',
      20,
      30_000,
      (strict, as, ventId) => strict.call(commentOnVent, { as, body: { ventId, text: 'x' } }),
    ],
    [
      '120 reactions in 5 minutes',
      120,
      2500,
      (strict, as, ventId) => strict.call(react, { as, body: { ventId, reactionType: 'hug' } }),
    ],
    [
      '10 reports in an hour',
      10,
      360_000,
      (strict, as, ventId) => strict.call(reportVent, { as, body: { ventId, reason: 'Spam' } }),
    ],
    [
      '30 deletions in 30 minutes',
      30,
      60_000,
      (strict, as) => strict.call(deleteVent, { as, params: { id: 'x' } }),
    ],
    [
      '30 searches in a minute',
      30,
      2000,
      // As many vents as the search page asks for: those are counted as well.
      (strict, as) => strict.call(searchVents, { as, query: { query: 'x', limit: '20' } }),
    ],
  ];

  test('are those of the table, each on its own, and depend on the caller alone', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const author = await makeUser(strict);
    const { id } = await makeVent(strict, author);
    for (const [name, limit, refillMs, call] of cases) {
      const [me, other] = [await makeUser(strict), await makeUser(strict)];
      // No newcomers any more: for those a day has less.
      strict.clock.advance(49 * hour);
      for (let n = 0; n < limit; n += 1) {
        const { status, text } = await call(strict, me, id, n);
        expect(status, `${name}, number ${n}: ${text}`).not.toBe(429);
      }
      expectRateLimited(await call(strict, me, id, limit));
      // Whatever the id, and whoever's: the answer is about the caller.
      expectRateLimited(await call(strict, me, 'x', limit));
      expect((await call(strict, other, id, 0)).status, name).not.toBe(429);
      for (const [another, , , elsewhere] of cases) {
        if (another !== name) expect((await elsewhere(strict, me, id, 500)).status, another).not.toBe(429);
      }
      // Buckets know ten seconds and nothing finer.
      const flowsBackIn = Math.max(1, 10_000 / refillMs);
      strict.clock.advance(flowsBackIn * refillMs);
      for (let n = 1; n <= flowsBackIn; n += 1) {
        expect((await call(strict, me, id, limit + n)).status, name).not.toBe(429);
      }
      expectRateLimited(await call(strict, me, id, limit + flowsBackIn + 1));
    }
  });

  test('on the first day 15 vents, 40 comments, 300 reactions and 5 reports are enough', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const { id } = await makeVent(strict, await makeUser(strict));
    for (const [name, most] of [
      ['vents', 15],
      ['comments', 40],
      ['reactions', 300],
      ['reports', 5],
    ] as const) {
      const [, , refillMs, call] = cases.find(([title]) => title.includes(name)) ?? [];
      if (!call || !refillMs) throw new Error(name);
      const me = await makeUser(strict);
      let taken = 0;
      for (let n = 0; n < most + 5; n += 1) {
        if ((await call(strict, me, id, n)).status !== 429) taken += 1;
        strict.clock.advance(Math.min(refillMs, 60_000));
      }
      // And what has flowed in meanwhile.
      expect(taken, name).toBeGreaterThanOrEqual(most);
      expect(taken, name).toBeLessThanOrEqual(most + 3);
    }
  });

  test('30 vents a day', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const me = await makeUser(strict);
    strict.clock.advance(49 * hour);
    let taken = 0;
    for (let minutes = 0; minutes < 60; minutes += 1) {
      const { status } = await strict.call(createVent, { as: me, body: { ...words, title: `t ${minutes}` } });
      if (status === 201) taken += 1;
      strict.clock.advance(60_000);
    }
    // A bucket: the day's thirty, and what has flowed in meanwhile.
    expect(taken).toBeGreaterThanOrEqual(30);
    expect(taken).toBeLessThanOrEqual(32);
  });
});
