import {
  createVent,
  commentOnVent,
  createReport,
  deleteVent,
  getVent,
  listComments,
  listInbox,
  listen,
  react,
  thankForComment,
  ventWeather,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { createSubjects } from '../src/kernel/subjects.ts';
import type { Actor } from './app.ts';
import { makeComment, makeUser, makeVent, releaseHeldVents, runJob } from './factories.ts';
import {
  ann,
  app,
  ben,
  cat,
  countRows,
  fetchVent,
  hour,
  listFeed,
  reactTo,
  rows,
  searchTitles,
  titlesOf,
  useVentApp,
} from './vent-app.ts';

useVentApp();

const day = 24 * hour;
const minute = 60_000;
/** What the worker does each minute. */
const runWorker = () => runJob(app, 'remove-deleted-vents');
/** At the beginning of a minute, so that a time in whole minutes is exact. */
const toNextMinute = () => app.clock.advance(minute - (app.clock.now() % minute));

const statusOf = async (call: Promise<{ status: number }>) => (await call).status;
/** How everything that leads to a vent answers: 404, or that nothing is there. */
async function whatIsLeft(as: Actor, id: string, commentId = '') {
  const about = { kind: 'vent' as const, id };
  const body = { ventId: id, text: 'still here?' };
  return {
    get: await statusOf(app.call(getVent, { as, params: { id } })),
    comments: await statusOf(app.call(listComments, { as, params: { id }, query: {} })),
    comment: await statusOf(app.call(commentOnVent, { as, body })),
    react: await statusOf(app.call(react, { as, body: { ventId: id, reactionType: 'hug', active: true } })),
    report:
      commentId === ''
        ? 404
        : await statusOf(app.call(createReport, { as, body: { about, reason: 'spam' } })),
    feed: titlesOf((await listFeed(as)).vents),
    trending: titlesOf((await listFeed(as, { sort: 'trending' })).vents),
    mine: titlesOf((await listFeed(as, { mine: 'true' })).vents),
    found: await searchTitles(as, 'canary'),
    foundOfMine: titlesOf((await listFeed(as, { mine: 'true', query: 'canary' })).vents),
    offered: (await app.call(listen, { as, query: {} })).body.vents.length,
  };
}
const nothing = {
  get: 404,
  comments: 404,
  comment: 404,
  react: 404,
  report: 404,
  feed: [],
  trending: [],
  mine: [],
  found: [],
  foundOfMine: [],
  offered: 0,
};
const inboxOf = async (as: Actor) =>
  (await app.call(listInbox, { as, query: {} })).body.lines.filter(
    ({ kind }) => kind === 'comments' || kind === 'replies',
  );
/** Vents, and every table with a column for one: read from the catalogue, because a new one must go with the vent too. */
async function rowsLeft(): Promise<Record<string, number>> {
  const { rows: found } = await rows.query<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'content' and column_name = 'vent_id'`,
  );
  const names = ['vents', ...found.map(({ name }) => name)];
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await countRows(`content.${name}`)] as const)),
  );
}

describe('a vent whose author chose how long it stays', () => {
  test('takes its comments, reactions, search words and lines in inboxes with it', async () => {
    const { id } = await makeVent(app, ann, { title: 'canary', keepDays: 1 });
    const stays = await makeVent(app, ann, { title: 'stays' });
    await makeComment(app, ben, id, { anonymous: true });
    await makeComment(app, cat, id);
    await makeComment(app, ann, id);
    await makeComment(app, ben, stays.id);
    await reactTo(ben, id, 'heart', true);
    await runJob(app, 'rewrite-trending');
    const lines = async () =>
      [await inboxOf(ann), await inboxOf(ben), await inboxOf(cat)].map((one) => one.length);
    expect(await lines()).toEqual([2, 1, 1]);
    app.clock.advance(day + 2 * minute);
    await runWorker();
    expect(await lines()).toEqual([1, 0, 0]);
    expect(await rowsLeft()).toMatchObject({
      vents: 1,
      vent_search: 1,
      comments: 1,
      reactions: 0,
      vent_stats: 1,
    });
    expect((await app.call(ventWeather, { as: ann })).body.days).toMatchObject([{ count: 1 }]);
  });

  test('counts from the minute in which it went out, if it was held back', async () => {
    const body = { title: 'canary', text: 'later', emotion: 'Sad' as const, keepDays: 1 as const };
    const written = app.clock.now();
    expect((await app.call(createVent, { as: ann, body: { ...body, later: true } })).status).toBe(201);
    await releaseHeldVents(app, 61);
    const wentOut = Date.parse((await listFeed(ben)).vents[0]?.createdAt ?? '');
    expect(wentOut - written).toBeGreaterThanOrEqual(4 * minute);
    app.clock.advance(wentOut + day - minute - app.clock.now());
    await runWorker();
    expect(titlesOf((await listFeed(ben)).vents)).toEqual(['canary']);
    app.clock.advance(minute);
    await runWorker();
    expect(await countRows('content.vents')).toBe(0);
  });

  test('goes with all others that are due in one run, also hidden and removed ones', async () => {
    await rows.query(`
      with made as (
        insert into content.vents (speaker, slot_key, emotion, title, body, created_at, keep_days, state)
        select decode(md5('s' || n), 'hex'), decode(md5('k' || n), 'hex'), 'Sad', n::text, 'text',
               to_timestamp(${Math.floor(app.clock.now() / minute) * 60}) - n * interval '10 minutes',
               case n % 4 when 0 then null when 1 then 7 else 1 end,
               (array['visible', 'hidden', 'removed'])[1 + n % 3]
          from generate_series(1, 1200) as n returning id)
      insert into content.vent_stats (vent_id) select id from made`);
    await runWorker();
    const { rows: left } = await rows.query<{ keep: number | null; count: number; most: string }>(
      `select keep_days as keep, count(*)::int as count, max(title::int) as most from content.vents group by 1 order by 1`,
    );
    // A day has 144 steps of ten minutes, and a week 1,008.
    expect(left).toEqual([
      { keep: 1, count: 72, most: 143 },
      { keep: 7, count: 252, most: 1005 },
      { keep: null, count: 300, most: 1200 },
    ]);
  });
});

describe('a report an hour before the time of a vent', () => {
  /** As a report of severity 4 opens it, at the hour before its end. */
  async function reported(reason: 'minor_safety' | 'spam') {
    const vent = await makeVent(app, ann, { title: 'canary', keepDays: 1 });
    const params = { ventId: vent.id, commentId: await makeComment(app, cat, vent.id) };
    await app.call(thankForComment, { as: ann, params });
    await reactTo(cat, vent.id, 'hug', true);
    app.clock.advance(23 * hour);
    const about = { kind: 'vent' as const, id: vent.id };
    expect((await app.call(createReport, { as: ben, body: { about, reason } })).status).toBe(201);
    return vent;
  }
  const caseOf = (ventId: bigint) =>
    rows
      .query<{ state: string; severity: number }>(
        'select state, severity from moderation.cases where subject_key = $1',
        [createSubjects(app.deps.keys).keyOf({ kind: 'vent', ventId })],
      )
      .then(({ rows: [found] }) => found);

  test('keeps the bare row of a severe case, and nothing that anybody could see', async () => {
    const { id, number } = await reported('minor_safety');
    expect((await caseOf(number))?.severity).toBeGreaterThanOrEqual(3);
    app.clock.advance(hour + 2 * minute);
    await runWorker();
    await runJob(app, 'moderation-round');
    for (const as of [ann, ben, cat]) {
      expect(await whatIsLeft(as, id, 'reported')).toEqual(nothing);
      expect(await inboxOf(as)).toEqual([]);
    }
    expect(await rowsLeft()).toEqual({
      vents: 1,
      vent_stats: 1,
      vent_search: 0,
      reactions: 0,
      comments: 0,
      trending: 0,
      shut_outs: 0,
      thanks: 0,
    });
    // The case goes on.
    expect((await caseOf(number))?.state).not.toBe('closed');
    app.clock.advance(day);
    await runWorker();
    expect(await countRows('content.vents')).toBe(1);
    await rows.query(
      `update moderation.cases set state = 'closed', outcome = 'moot', decided_at = opened_at, purge_at = opened_at`,
    );
    await runWorker();
    expect(await countRows('content.vents')).toBe(0);
  });

  test('keeps nothing if the case is mild', async () => {
    const { number } = await reported('spam');
    expect((await caseOf(number))?.severity).toBeLessThan(3);
    app.clock.advance(hour + 2 * minute);
    await runWorker();
    expect(await countRows('content.vents')).toBe(0);
  });

  test('keeps nothing of a vent that its author deletes', async () => {
    const { id } = await reported('minor_safety');
    expect((await app.call(deleteVent, { as: ann, params: { id } })).status).toBe(200);
    await runWorker();
    expect(await countRows('content.vents')).toBe(0);
  });

  test('does not keep others from being deleted, however many wait', async () => {
    const { number } = await reported('minor_safety');
    const subjects = createSubjects(app.deps.keys);
    await rows.query(`insert into content.vents (speaker, slot_key, emotion, title, body, created_at, keep_days)
      select decode(md5('s' || n), 'hex'), decode(md5('k' || n), 'hex'), 'Sad', n::text, 'text',
             to_timestamp(${Math.floor(app.clock.now() / minute) * 60}) - interval '2 days', 1
        from generate_series(1, 150) as n`);
    await rows.query(
      'insert into content.vent_stats (vent_id) select id from content.vents on conflict do nothing',
    );
    const { rows: made } = await rows.query<{ id: string }>(
      'select id from content.vents where id <> $1 order by id',
      [String(number)],
    );
    for (const { id } of made.slice(0, 120))
      await rows.query(
        `insert into moderation.cases (subject_key, subject_kind, source, policy, severity, language, opened_at, due_at)
         values ($1, 'vent', 'report', 'threat', 4, 'en', now(), now())`,
        [subjects.keyOf({ kind: 'vent', ventId: BigInt(id) })],
      );
    await runWorker();
    // More than a batch is held. The last thirty are gone.
    expect(await countRows('content.vents')).toBe(121);
  });
});

test.each([1, 7] as const)(
  'a vent of %i days is there until its minute, and then gone for everybody, its author included, before any job',
  async (keepDays) => {
    toNextMinute();
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    const { id, view } = await makeVent(app, author, { title: 'canary', keepDays });
    expect(view.keepDays).toBe(keepDays);
    app.clock.advance(keepDays * day - 1000);
    await runWorker();
    expect((await fetchVent(reader, id)).keepDays).toBe(keepDays);
    expect(titlesOf((await listFeed(reader)).vents)).toEqual(['canary']);
    app.clock.advance(1000);
    for (const as of [author, reader]) expect(await whatIsLeft(as, id)).toEqual(nothing);
    app.clock.advance(minute);
    await runWorker();
    for (const as of [author, reader]) expect(await whatIsLeft(as, id)).toEqual(nothing);
    expect(await countRows('content.vents')).toBe(0);
  },
);
