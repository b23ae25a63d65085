import {
  changeUsername,
  commentOnVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  emotions,
  regenerateAvatar,
  getVent,
  listVents,
  react,
} from '@unsaid/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownTestApp, startBeside, type Actor } from './app.ts';
import { openPool, withClient } from './db.ts';
import { makeComment, makeUser, makeVent, markConfirmed, runJob, type Person } from './factories.ts';
import { holdCommitsOf, prepareHeldCommits, whileCommitting } from './locks.ts';
import {
  allowComments,
  ann,
  app,
  ben,
  cat,
  commentOn,
  fetchVent,
  hour,
  listFeed,
  outcomeOf,
  reactTo,
  searchTitles,
  setState,
  titlesOf,
  useVentApp,
} from './vent-app.ts';

useVentApp();

async function deleteAccountOf(person: Person): Promise<void> {
  await markConfirmed(app, person);
  expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
}

describe('the feed', () => {
  test('is newest first, also within one minute and one instant (S2.18, S7.9, S7.26, S9.13)', async () => {
    const said: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const title = `number ${count}`;
      said.unshift(title);
      await makeVent(app, [ann, ben, cat][count % 3] ?? ann, { title });
      if (count % 4 === 3) app.clock.advance(7);
    }
    const { vents } = await listFeed(ann, { limit: '100' });
    expect(titlesOf(vents)).toEqual(said);
    expect(new Set(vents.map(({ createdAt }) => createdAt)).size).toBe(1);
    for (const { createdAt } of vents) expect(createdAt).toMatch(/:00\.000Z$/u);
    expect(titlesOf((await listFeed(ben)).vents)).toEqual(said.slice(0, 5));
    expect(titlesOf((await listFeed(ben, { page: '3', sort: 'recent' })).vents)).toEqual(said.slice(10));
    expect(titlesOf((await listFeed(ben, { page: '2', limit: '7' })).vents)).toEqual(said.slice(7));
  });

  test('returns how many pages of its pager have vents, and no more than that (S7.26)', async () => {
    expect(await listFeed(ann)).toEqual({ success: true, vents: [], pageCount: 0, hasOlder: false });
    const seen: [number, number, boolean][] = [];
    for (let count = 1; count <= 57; count += 1) {
      await makeVent(app, ann);
      if (![1, 5, 6, 50, 51, 57].includes(count)) continue;
      const { pageCount, hasOlder } = await listFeed(ben);
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
    expect((await listFeed(ben, { page: '11' })).vents).toHaveLength(5);
    expect(await listFeed(ben, { page: '13' })).toMatchObject({ vents: [], pageCount: 10 });
    expect((await listFeed(ben, { page: '1000', limit: '100' })).vents).toEqual([]);
    expect(Object.keys(await listFeed(ben)).toSorted()).toEqual([
      'hasOlder',
      'pageCount',
      'success',
      'vents',
    ]);
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
    { emotion: '' },
    { emotion: 'sad' },
    { emotion: 'Sad,' },
    { emotion: 'Sad, Angry' },
    { emotion: 'Sad,Bored' },
    { emotion: ['Sad', 'Angry'] },
  ])('rejects a query with %j', async (query) => {
    const answer = await app.call(listVents, { as: ann, query: query as never });
    expect(outcomeOf(answer)).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.body.message).toBe('Failed to fetch vents');
  });

  test('returns every vent exactly once to a cursor, while new ones arrive and the vent of the cursor is deleted', async () => {
    const made: string[] = [];
    for (let count = 0; count < 61; count += 1)
      made.unshift((await makeVent(app, [ann, ben][count % 2] ?? ann)).id);
    const seen: string[] = [];
    let before: string | undefined;
    for (let pages = 0; pages < 30; pages += 1) {
      const { vents, hasOlder } = await listFeed(cat, { limit: '7', ...(before ? { before } : {}) });
      seen.push(...vents.map(({ _id }) => _id));
      if (pages > 0 && !hasOlder) break;
      before = vents.at(-1)?._id;
      await makeVent(app, cat);
      if (pages === 3) {
        const owner = (await fetchVent(ann, before ?? '')).isOwner ? ann : ben;
        await app.call(deleteVent, { as: owner, params: { id: before ?? '' } });
      }
    }
    expect(seen).toEqual(made);
    expect((await listFeed(cat, { before: made.at(-1) ?? '' })).vents).toEqual([]);
    expect((await listFeed(cat, { before: 'A'.repeat(22) })).vents).toEqual([]);
  });

  test('with mine=true lists only the caller’s vents, in order, searched and paged by the server (S2.42, S7.24 to S7.26)', async () => {
    for (let count = 0; count < 12; count += 1) {
      await makeVent(app, ann, {
        title: `mine ${count}`,
        text: count % 2 ? 'odd पानी' : 'even',
        hashtags: ['river'],
      });
      await makeVent(app, ben, { title: `theirs ${count}`, text: 'odd पानी', hashtags: ['river'] });
    }
    const mine = await listFeed(ann, { mine: 'true', limit: '5', page: '2' });
    expect(titlesOf(mine.vents)).toEqual([6, 5, 4, 3, 2].map((n) => `mine ${n}`));
    expect([mine.pageCount, mine.hasOlder]).toEqual([3, false]);
    for (const { isOwner, userId } of mine.vents) expect([isOwner, userId._id]).toEqual([true, ann.user._id]);
    expect(titlesOf((await listFeed(ann, { mine: 'true', query: 'ODD', limit: '50' })).vents)).toEqual(
      [11, 9, 7, 5, 3, 1].map((n) => `mine ${n}`),
    );
    expect(
      titlesOf((await listFeed(ann, { mine: 'true', query: '#riv', limit: '3', page: '2' })).vents),
    ).toEqual(['mine 8', 'mine 7', 'mine 6']);
    expect((await listFeed(ann, { mine: 'true', query: 'theirs' })).vents).toEqual([]);
    expect((await listFeed(ann, { mine: 'true', query: '  ' })).vents).toHaveLength(5);
    expect((await listFeed(ann, { mine: 'true', query: '!!!' })).vents).toEqual([]);
    expect(await listFeed(cat, { mine: 'true' })).toMatchObject({ vents: [], pageCount: 0, hasOlder: false });
    const last = (await listFeed(ann, { mine: 'true', limit: '5' })).vents.at(-1)?._id ?? '';
    const older = await listFeed(ann, { mine: 'true', limit: '5', before: last });
    expect([titlesOf(older.vents), older.hasOlder]).toEqual([[6, 5, 4, 3, 2].map((n) => `mine ${n}`), true]);
  });

  test('of some emotions has only their vents, paged, by cursor, trending, own and searched', async () => {
    for (let count = 0; count < 36; count += 1) {
      const emotion = emotions[count % 6] ?? 'Sad';
      await makeVent(app, count % 2 ? ben : ann, {
        title: `${emotion} ${count}`,
        text: count % 3 ? 'rain' : 'sun',
        emotion,
      });
      app.clock.advance(1000);
    }
    const all = (await listFeed(cat, { limit: '100' })).vents;
    for (const emotion of ['Sad', 'Neutral', 'Sad,Angry', 'Burnout,Sad,Happy', 'Sad,Sad']) {
      const chosen = new Set(emotion.split(','));
      const wanted = all.filter((vent) => chosen.has(vent.emotion));
      const expected = titlesOf(wanted);
      // Twice: the first page of one emotion is cached.
      for (let time = 0; time < 2; time += 1) {
        const first = await listFeed(cat, { emotion });
        expect(titlesOf(first.vents)).toEqual(expected.slice(0, 5));
        expect(first).toMatchObject({ pageCount: Math.ceil(expected.length / 5), hasOlder: false });
      }
      expect(titlesOf((await listFeed(cat, { emotion, page: '2' })).vents)).toEqual(expected.slice(5, 10));
      const older = await listFeed(cat, { emotion, limit: '4', before: wanted[1]?._id ?? '' });
      expect(titlesOf(older.vents)).toEqual(expected.slice(2, 6));
      expect(older.hasOlder).toBe(expected.length > 6);
      expect((await listFeed(cat, { emotion, before: 'A'.repeat(22) })).vents).toEqual([]);
      expect(titlesOf((await listFeed(cat, { emotion, sort: 'trending', limit: '100' })).vents)).toEqual(
        expected,
      );
      const mine = wanted.filter(({ title }) => Number(title.split(' ')[1]) % 2 === 0);
      expect(titlesOf((await listFeed(ann, { emotion, mine: 'true', limit: '50' })).vents)).toEqual(
        titlesOf(mine),
      );
      const [rain, ownRain] = [wanted, mine].map((vents) =>
        titlesOf(vents.filter(({ text }) => text === 'rain')),
      );
      expect(
        titlesOf((await listFeed(ann, { emotion, mine: 'true', query: 'rain', limit: '50' })).vents),
      ).toEqual(ownRain);
      expect(await searchTitles(cat, 'rain', { emotion })).toEqual(rain);
      expect(await searchTitles(cat, 'rain ra', { emotion })).toEqual(rain);
    }
    // The cached page is not that of another filter, and a new vent is in it at once.
    await makeVent(app, ann, { title: 'new', emotion: 'Angry' });
    expect(titlesOf((await listFeed(cat, { emotion: 'Angry' })).vents)[0]).toBe('new');
    expect(titlesOf((await listFeed(cat, { emotion: 'Sad' })).vents)[0]).toBe('Sad 31');
    // All six are no filter.
    expect(await listFeed(cat, { emotion: emotions.join() })).toEqual(await listFeed(cat));
  });

  test('shows no hidden, removed or deleted vent, and neither does any other list', async () => {
    const [kept, hidden, removed, deleted] = await Promise.all(
      ['kept', 'hidden', 'removed', 'deleted'].map((title) =>
        makeVent(app, ann, { title, hashtags: ['shown'] }),
      ),
    );
    if (!kept || !hidden || !removed || !deleted) throw new Error('no vents');
    for (const { id } of [kept, hidden, removed]) await reactTo(ben, id, 'heart', true);
    await setState(hidden.id, 'hidden');
    await setState(removed.id, 'removed');
    await app.call(deleteVent, { as: ann, params: { id: deleted.id } });
    app.clock.advance(60_000);
    for (const reader of [ann, ben]) {
      expect(titlesOf((await listFeed(reader)).vents)).toEqual(['kept']);
      expect(titlesOf((await listFeed(reader, { limit: '50' })).vents)).toEqual(['kept']);
      expect(titlesOf((await listFeed(reader, { sort: 'trending' })).vents)).toEqual(['kept']);
      expect(await searchTitles(reader, '#shown')).toEqual(['kept']);
      for (const { id } of [removed, deleted]) {
        expect(outcomeOf(await app.call(getVent, { as: reader, params: { id } }))).toEqual([
          404,
          'VENT_NOT_FOUND',
        ]);
      }
    }
    expect((await listFeed(ben)).pageCount).toBe(1);
    for (const { id } of [hidden, removed, deleted]) {
      expect(outcomeOf(await app.call(getVent, { as: ben, params: { id } }))).toEqual([
        404,
        'VENT_NOT_FOUND',
      ]);
      expect(outcomeOf(await reactTo(ben, id, 'hug'))).toEqual([404, 'VENT_NOT_FOUND']);
      expect(outcomeOf(await commentOn(ben, id, 'hello'))).toEqual([404, 'VENT_NOT_FOUND']);
    }
    // The author can still see and delete a vent that waits for review, but not a removed one.
    expect(titlesOf((await listFeed(ann, { mine: 'true' })).vents).toSorted()).toEqual(['hidden', 'kept']);
    expect((await app.call(deleteVent, { as: ann, params: { id: hidden.id } })).status).toBe(200);
  });

  test('loads concurrent readers in one batch, and each sees only what is theirs', async () => {
    const shown = await makeVent(app, ann, { title: 'seen by all' });
    const hidden = await makeVent(app, ann, { title: 'seen by its author' });
    await reactTo(ben, shown.id, 'heart', true);
    await reactTo(cat, shown.id, 'hug', true);
    await commentOn(cat, shown.id, 'as anonymous', { anonymous: true });
    await setState(hidden.id, 'hidden');
    const times = 20;
    const asked = [ann, ben, cat].flatMap((person) => Array.from({ length: times }, () => person));
    const [details, lists, own, others] = await Promise.all([
      Promise.all(asked.map((person) => fetchVent(person, shown.id))),
      Promise.all(asked.map((person) => listFeed(person, { limit: '7' }))),
      Promise.all(asked.map((person) => listFeed(person, { mine: 'true' }))),
      Promise.all(asked.map((person) => app.call(getVent, { as: person, params: { id: hidden.id } }))),
    ]);
    for (const [index, person] of asked.entries()) {
      const mine = person === ben ? ['heart'] : person === cat ? ['hug'] : [];
      for (const vent of [details[index], lists[index]?.vents[0]]) {
        expect(vent?.myReactions).toEqual(mine);
        expect(vent?.isOwner).toBe(person === ann);
        expect(vent?.comments.map(({ isMine }) => isMine)).toEqual([person === cat]);
      }
      expect(titlesOf(lists[index]?.vents ?? [])).toEqual(['seen by all']);
      expect(titlesOf(own[index]?.vents ?? [])).toEqual(
        person === ann ? ['seen by its author', 'seen by all'] : [],
      );
      expect(others[index]?.status).toBe(404);
    }
  });
});

describe('the trending list', () => {
  test('weighs hearts, hugs, listens and comments against age, and ignores those of the author (S9.13)', async () => {
    const made: Record<string, string> = {};
    for (const title of ['own praise', 'one heart', 'one hug', 'one comment', 'two listens', 'nothing']) {
      made[title] = (await makeVent(app, ann, { title })).id;
    }
    const id = (title: string) => made[title] ?? '';
    for (const kind of ['heart', 'hug', 'listen'] as const) await reactTo(ann, id('own praise'), kind);
    for (let count = 0; count < 5; count += 1) await commentOn(ann, id('own praise'), `${count}`);
    await reactTo(ben, id('one heart'), 'heart');
    await reactTo(ben, id('one hug'), 'hug');
    await commentOn(ben, id('one comment'), 'hello');
    await reactTo(ben, id('two listens'), 'listen');
    await reactTo(cat, id('two listens'), 'listen');
    app.clock.advance(11_000);
    const order = ['two listens', 'one comment', 'one hug', 'one heart', 'nothing', 'own praise'];
    for (const reader of [ann, ben, cat]) {
      expect(titlesOf((await listFeed(reader, { sort: 'trending', limit: '50' })).vents)).toEqual(order);
    }
    const paged = await listFeed(cat, { sort: 'trending', page: '2' });
    expect([titlesOf(paged.vents), paged.pageCount, paged.hasOlder]).toEqual([['own praise'], 2, false]);
    // A day later, four points weigh less than one new heart.
    app.clock.advance(24 * hour);
    const fresh = await makeVent(app, ben, { title: 'fresh' });
    await reactTo(cat, fresh.id, 'heart');
    await runJob(app, 'rewrite-trending');
    expect(titlesOf((await listFeed(ann, { sort: 'trending' })).vents)[0]).toBe('fresh');
  });

  test('is written by the worker, while readers get the old list and write nothing', async () => {
    const first = await makeVent(app, ann, { title: 'first' });
    await runJob(app, 'rewrite-trending');
    const fetchTrending = async () =>
      titlesOf((await listFeed(cat, { sort: 'trending', limit: '50' })).vents);
    expect(await fetchTrending()).toEqual(['first']);
    await makeVent(app, ann, { title: 'second' });
    await reactTo(ben, first.id, 'heart');
    app.clock.advance(11_000);
    await withClient(app.config.databaseUrl, async (client) => {
      // Reads go on, writes have to wait.
      await client.query('begin; lock table content.trending in exclusive mode');
      for (let asked = 0; asked < 5; asked += 1) expect(await fetchTrending()).toEqual(['first']);
      await client.query('rollback');
    });
    // Two workers at once: one of them writes.
    await Promise.all([runJob(app, 'rewrite-trending'), runJob(app, 'rewrite-trending')]);
    expect(await fetchTrending()).toEqual(['first', 'second']);
  });

  test('is ranked by readers, at most every ten seconds, where no worker has written it for a minute', async () => {
    await makeVent(app, ann, { title: 'first' });
    await runJob(app, 'rewrite-trending');
    await makeVent(app, ann, { title: 'second' });
    const fetchTrending = async () =>
      titlesOf((await listFeed(cat, { sort: 'trending', limit: '50' })).vents);
    app.clock.advance(60_000);
    expect(await fetchTrending()).toEqual(['first']);
    app.clock.advance(1);
    const before = app.statements.length;
    for (let asked = 0; asked < 5; asked += 1) expect(await fetchTrending()).toEqual(['second', 'first']);
    expect(app.statements.slice(before).filter(({ text }) => text.includes('with scored as'))).toHaveLength(
      1,
    );
    await makeVent(app, ann, { title: 'third' });
    app.clock.advance(10_001);
    expect(await fetchTrending()).toHaveLength(3);
    await runJob(app, 'rewrite-trending');
    expect(await fetchTrending()).toHaveLength(3);
  });

  test('of one emotion has its best vents, also when those of all are others', async () => {
    const sad = await makeVent(app, ann, { title: 'sad', emotion: 'Sad' });
    await makeVent(app, ann, { title: 'sadder', emotion: 'Sad' });
    await reactTo(ben, sad.id, 'heart');
    for (let count = 0; count < 51; count += 1) {
      const { id } = await makeVent(app, ann, { title: `happy ${count}`, emotion: 'Happy' });
      await reactTo(ben, id, 'hug');
    }
    const shown = async (query: Record<string, string>) =>
      titlesOf((await listFeed(ben, { sort: 'trending', limit: '100', ...query })).vents);
    expect((await shown({})).every((title) => title.startsWith('happy'))).toBe(true);
    expect(await shown({ emotion: 'Sad' })).toEqual(['sad', 'sadder']);
    expect(await shown({ emotion: 'Sad,Angry' })).toEqual(['sad', 'sadder']);
    expect(await shown({ emotion: 'Angry' })).toEqual([]);
    expect(await shown({ emotion: 'Sad,Happy' })).toHaveLength(50);
  });

  test('has at most fifty vents', async () => {
    for (let count = 0; count < 53; count += 1) await makeVent(app, ann);
    expect((await listFeed(ben, { sort: 'trending', limit: '100' })).vents).toHaveLength(50);
    expect(await listFeed(ben, { sort: 'trending', page: '11' })).toMatchObject({
      vents: [],
      pageCount: 10,
      hasOlder: false,
    });
  });
});

describe('a reader', () => {
  test('sees their own write at once in the feed, in trending and in the vent, with a warm cache', async () => {
    const { id } = await makeVent(app, ann, { title: 'first' });
    const fetchShown = async (as: Actor) => (await listFeed(as)).vents.find(({ _id }) => _id === id);
    for (const person of [ann, ben]) {
      await listFeed(person);
      await listFeed(person, { sort: 'trending' });
    }
    await reactTo(ben, id, 'heart', true);
    expect((await fetchShown(ben))?.reactions.heart).toBe(1);
    expect((await listFeed(ben, { sort: 'trending' })).vents[0]?.reactions.heart).toBe(1);
    const comment = await makeComment(app, ben, id);
    expect((await fetchShown(ben))?.commentCount).toBe(1);
    await app.call(deleteComment, { as: ben, params: { ventId: id, commentId: comment } });
    expect((await fetchShown(ben))?.comments).toEqual([]);
    await makeVent(app, ben, { title: 'second' });
    expect(titlesOf((await listFeed(ben)).vents)).toEqual(['second', 'first']);
    await app.call(deleteVent, { as: ann, params: { id } });
    expect(titlesOf((await listFeed(ann)).vents)).toEqual(['second']);
    expect((await listFeed(ann, { sort: 'trending' })).vents).toEqual([]);
  });

  test('sees their new name and picture at once, and both stay under their comment when they leave', async () => {
    const person = await makeUser(app);
    await app.call(changeUsername, { as: person, body: { newUsername: 'comes_first' } });
    const { id } = await makeVent(app, ann);
    await makeComment(app, person, id);
    const fetchShown = async () => (await listFeed(cat)).vents[0]?.comments[0]?.userId;
    const first = await fetchShown();
    expect(first?.username).toBe('comes_first');
    await app.call(changeUsername, { as: person, body: { newUsername: 'leaves_soon' } });
    expect((await fetchShown())?.username).toBe('leaves_soon');
    await app.call(regenerateAvatar, { as: person });
    expect((await fetchShown())?.profilePic).not.toBe(first?.profilePic);
    const last = await fetchShown();
    await deleteAccountOf(person);
    expect(await fetchShown()).toEqual(last);
  });

  test('sees at least their own count after 10 concurrent reactions', async () => {
    const { id } = await makeVent(app, ann);
    const people = await Promise.all(Array.from({ length: 10 }, () => makeUser(app)));
    await Promise.all(
      people.map(async (person) => {
        await listFeed(person);
        const { body } = await reactTo(person, id, 'hug', true);
        const seen = (await listFeed(person)).vents[0];
        expect(seen?.myReactions).toEqual(['hug']);
        expect(seen?.reactions.hug).toBeGreaterThanOrEqual(body.reactions.hug);
      }),
    );
    expect((await listFeed(ann)).vents[0]?.reactions.hug).toBe(10);
  });

  test('of one process sees a write of another as soon as the invalidation arrives', async () => {
    const second = await startBeside(app);
    onTestFinished(second.close);
    const read = async () => (await second.call(listVents, { as: ben })).body.vents;
    const pollSoon = (check: () => Promise<unknown>) => expect.poll(check, { interval: 5 });
    const { id } = await makeVent(app, ann, { title: 'shared' });
    // The second process caches this page. The clock does not run, so the cache would never expire.
    expect(titlesOf(await read())).toEqual(['shared']);
    await reactTo(ben, id, 'listen', true);
    await pollSoon(async () => (await read())[0]?.reactions.listen).toBe(1);
    expect((await read())[0]?.myReactions).toEqual(['listen']);
    await makeComment(app, ben, id, { text: 'from the first' });
    await pollSoon(async () => (await read())[0]?.comments.map(({ text }) => text)).toEqual([
      'from the first',
    ]);
    await allowComments(ann, id, false);
    await pollSoon(async () => (await read())[0]?.userId.allowComments).toBe(false);
    expect(outcomeOf(await second.call(commentOnVent, { as: ben, body: { ventId: id, text: 'x' } }))).toEqual(
      [403, 'COMMENTS_DISABLED'],
    );
    await makeVent(app, ben, { title: 'newer' });
    await pollSoon(async () => titlesOf(await read())).toEqual(['newer', 'shared']);
    await app.call(deleteVent, { as: ann, params: { id } });
    await pollSoon(async () => titlesOf(await read())).toEqual(['newer']);
  });
});

for (const kind of ['reaction', 'comment'] as const) {
  test(`the feed cache serves no page that was loaded before the commit of a ${kind}`, async () => {
    const own = await ownTestApp({ limitsScale: 1_000_000 });
    const [author, other, reader] = [await makeUser(own), await makeUser(own), await makeUser(own)];
    const { id, number } = await makeVent(own, author);
    const pool = openPool(own.config.databaseUrl);
    onTestFinished(() => pool.end());
    const read = async () => {
      const [vent] = (await own.call(listVents, { as: reader })).body.vents;
      return kind === 'reaction' ? vent?.reactions.hug : vent?.commentCount;
    };
    const write = (): Promise<unknown> =>
      kind === 'reaction'
        ? own.call(react, { as: other, body: { ventId: id, reactionType: 'hug' } })
        : own.call(commentOnVent, { as: other, body: { ventId: id, text: 'x' } });
    await prepareHeldCommits(pool);
    await holdCommitsOf(pool, number);
    await whileCommitting(pool, write, async () => {
      // Caches the page as it was before the commit.
      expect(await read()).toBe(0);
    });
    expect(await read()).toBe(1);
  });
}
