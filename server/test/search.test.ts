import { listVents, searchVents, type VentView } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { parseSearchTerms } from '../src/content/search/search-terms.ts';
import { makeComment, makeVent } from './factories.ts';
import { expectLockWaiters } from './locks.ts';
import {
  ann,
  app,
  ben,
  cat,
  countRows,
  fetchVent,
  outcomeOf,
  rows,
  searchTitles,
  useVentApp,
  ventBody,
} from './vent-app.ts';

useVentApp();

test('search finds word prefixes in title, text and hashtags, newest first, for every reader (S7.12)', async () => {
  await makeVent(app, ann, { title: 'Lonesome road', text: 'nothing' });
  await makeVent(app, ben, { title: 'Other', text: 'so LONELY tonight' });
  await makeVent(app, ann, { title: 'Tagged', text: 'nothing', hashtags: ['loneliness'] });
  await makeVent(app, ben, { title: 'Not', text: 'a balloon is alone' });
  for (const reader of [ann, ben, cat])
    expect(await searchTitles(reader, 'lone')).toEqual(['Tagged', 'Other', 'Lonesome road']);
  expect(await searchTitles(cat, 'lone', { limit: '1', page: '2' })).toEqual(['Other']);
  expect(await searchTitles(cat, 'lone', { page: '2' })).toEqual([]);
  expect(await searchTitles(cat, 'so lon ton')).toEqual(['Other']);
  expect(await searchTitles(cat, 'nothing balloon')).toEqual([]);
});

test('search returns the page count or whether there is more, and its cursor visits each vent exactly once', async () => {
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
  // With a page number, up to ten pages are counted. Without one, hasOlder says whether there is more.
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

test('a search takes its first eight different words, however they are joined, and costs as many', async () => {
  const many = [...'abcdefghijklmnopqrstuvwxyz'].slice(0, 25);
  for (const typed of [
    many.join(' '),
    many.map((one) => `#${one}`).join(' '),
    many.join('-'),
    many.join('.'),
  ]) {
    const terms = parseSearchTerms(typed);
    const words = terms.flatMap(({ words: one }) => one.match(/[a-z](?=\W)/gu) ?? []);
    expect(words, typed).toEqual(many.slice(0, 8));
    expect(searchVents.cost.searches({ query: typed })).toBe(8);
  }
  expect(parseSearchTerms('Rain rain RÁIN rain')).toHaveLength(1);
  expect(parseSearchTerms('rain #rain')).toHaveLength(2);
  const costs = ['rain', 'rain rain', 'two words', '', '-', 'नींद नहीं'].map((query) =>
    searchVents.cost.searches({ query }),
  );
  expect(costs).toEqual([2, 2, 2, 2, 2, 2]);
  expect(searchVents.cost.searches({ query: 'rain and wind' })).toBe(3);
  await makeVent(app, ann, { title: 'one two three four five six seven eight', text: 'x' });
  expect(await searchTitles(ann, 'one two three four five six seven eight unheard')).toHaveLength(1);
});

test('many searches at once keep nobody waiting who reads the feed, and too many are refused', async () => {
  await makeVent(app, ann, { title: 'rain', text: 'x' });
  const holder = await rows.connect();
  try {
    await holder.query('begin; lock table content.vent_search in access exclusive mode');
    const searching = Array.from({ length: 60 }, () =>
      app.call(searchVents, { as: ben, query: { query: 'rain' } }),
    );
    await expectLockWaiters(rows, 3);
    // No connection waits for the lock but those.
    expect((await app.call(listVents, { as: ann, query: { limit: '7' } })).status).toBe(200);
    expect((await Promise.race(searching)).status).toBe(503);
    await holder.query('rollback');
    const statuses = (await Promise.all(searching)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(7);
    expect(statuses).toContain(200);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

test('a #tag matches only hashtags', async () => {
  await makeVent(app, ann, { title: 'rain in the title', text: 'rain' });
  await makeVent(app, ann, { title: 'tagged', text: 'x', hashtags: ['Rainy days'] });
  expect(await searchTitles(ben, '#rain')).toEqual(['tagged']);
  expect(await searchTitles(ben, '#days')).toEqual(['tagged']);
  expect(await searchTitles(ben, '##RAINY')).toEqual(['tagged']);
  expect(await searchTitles(ben, 'rain')).toEqual(['tagged', 'rain in the title']);
  expect(await searchTitles(ben, '#title')).toEqual([]);
});

test('search matches words of Hindi and other scripts as a whole', async () => {
  await makeVent(app, ann, { title: 'अकेलापन', text: 'मुझे नींद नहीं आती', hashtags: ['दुख'] });
  await makeVent(app, ann, { title: 'தனிமை', text: 'எனக்கு பயமாக இருக்கிறது' });
  await makeVent(app, ann, { title: 'Усталость', text: 'не могу больше' });
  expect(await searchTitles(ben, 'अकेलापन')).toEqual(['अकेलापन']);
  expect(await searchTitles(ben, 'अकेला')).toEqual(['अकेलापन']);
  expect(await searchTitles(ben, 'नींद नहीं')).toEqual(['अकेलापन']);
  expect(await searchTitles(ben, '#दुख')).toEqual(['अकेलापन']);
  expect(await searchTitles(ben, 'न')).toEqual(['अकेलापन']);
  expect(await searchTitles(ben, 'ींद')).toEqual([]);
  expect(await searchTitles(ben, 'பயமாக')).toEqual(['தனிமை']);
  expect(await searchTitles(ben, 'УСТАЛ')).toEqual(['Усталость']);
});

test('search ignores case and accents', async () => {
  for (const [title, asked] of [
    ['Café crème', ['cafe', 'CAFÉ', 'cafe\u0301', 'Creme']],
    ['Søren Łódź straße', ['søren', 'soren', 'SØREN', 'łódź', 'lodz', 'straße', 'STRASSE']],
    ['it’s over', ['it’s', "it's", 'over']],
  ] as const) {
    await makeVent(app, ann, { title, text: 'x' });
    for (const query of asked) expect([query, await searchTitles(ben, query)]).toEqual([query, [title]]);
  }
});

test('no quote, operator or wildcard changes the meaning of a query (R47)', async () => {
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
    expect([query, await searchTitles(ben, query)]).toEqual([query, ['both']]);
  for (const query of [
    '!alpha beta gamma',
    'alpha:*B | gamma',
    "x' | 'alpha",
    '%lpha',
    '_lpha',
    'alpha\\ gamma',
    'alp*ha',
  ])
    expect([query, await searchTitles(ben, query)]).toEqual([query, []]);
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
  // Every character that the database folds into a quote or a backslash.
  const { rows: signs } = await rows.query<{ sign: string }>(
    `select chr(n) as sign from generate_series(33, 65533) n
      where n not between 55296 and 57343 and content.folded(chr(n)) ~ '[''\\\\]'`,
  );
  expect(signs.length).toBeGreaterThan(10);
  for (const { sign } of signs) {
    const found = await searchTitles(ben, `alpha${sign}${sign}${sign}`);
    // ŉ is a letter with an apostrophe, and so a word.
    expect([sign, found]).toEqual([sign, sign === 'ŉ' ? [] : ['both', 'alpha']]);
  }
  expect(await countRows('content.vents')).toBe(2);
});

test('search refuses a blank, too long or unreadable query with the message of the specification (S5.12)', async () => {
  for (const query of ['', '   ', '\u200B', 'x'.repeat(101), 'a\u0000b', '\u0001']) {
    const answer = await app.call(searchVents, { as: ann, query: { query } });
    expect([query, ...outcomeOf(answer)]).toEqual([query, 422, 'VALIDATION_FAILED']);
    expect(answer.body.message).toBe('Please enter a search query.');
  }
  expect((await app.call(searchVents, { as: ann, query: {} as never })).body.message).toBe(
    'Please enter a search query.',
  );
  expect((await app.call(searchVents, { as: ann, query: { query: '😢'.repeat(100) } })).status).toBe(200);
  const mine = await app.call(listVents, { as: ann, query: { mine: 'true', query: 'a\u0000b' } });
  expect(mine.status).toBe(422);
});

test('search finds no person: neither name, id, alias nor key is an indexed word (SC-21)', async () => {
  const { id, number, view } = await makeVent(app, ann, ventBody);
  await makeComment(app, ben, id, { text: 'a word in a comment' });
  const seen = await fetchVent(cat, id);
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
    expect([query, await searchTitles(cat, query)]).toEqual([query, []]);
  }
});
