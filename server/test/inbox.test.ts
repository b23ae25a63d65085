import { randomBytes } from 'node:crypto';
import {
  changeUsername,
  commentOnVent,
  deleteComment,
  deleteVent,
  limits,
  listComments,
  listInbox,
  listVents,
  markInboxSeen,
  pollLiveCounts,
  ventWeather,
  ventsSince,
  type InboxKind,
  type InboxLine,
} from '@unsaid/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { dayMs } from '../src/platform/clock.ts';
import { createCursorCodec } from '../src/person/inbox/inbox-cursor.ts';
import { startReadOnly, type Actor, type TestApp } from './app.ts';
import { makeComment, makeUser, makeVent, suspend, type Person } from './factories.ts';
import {
  accept,
  changePair,
  makeNamed,
  pairIdOf,
  readPairs,
  reject,
  suggestionsOf,
  withdraw,
} from './pairs.ts';
import {
  allowComments,
  ann,
  app,
  ben,
  cat,
  commentOn,
  reactTo,
  rows,
  setState,
  useVentApp,
} from './vent-app.ts';
import { listTables } from './tables.ts';

useVentApp();
afterEach(async () => {
  await rows.query('delete from matching.pairs');
  // Sessions end after two idle weeks.
  app.clock.reset();
});

type LineOf<K extends InboxKind> = Extract<InboxLine, { kind: K }>;

async function readInbox(as: Actor, cursor?: string) {
  const answer = await app.call(listInbox, { as, query: cursor === undefined ? {} : { cursor } });
  expect(answer.status, answer.text).toBe(200);
  // The live connection counts the same, each kind by a way of its own.
  const live = await app.call(pollLiveCounts, { as, body: cursor === undefined ? {} : { cursor } });
  expect(live.status).toBe(/^[\w-]*$/u.test(cursor ?? '') ? 200 : 422);
  if (live.status === 200) expect(live.body.counts).toMatchObject(answer.body.counts);
  const { lines } = answer.body;
  return {
    ...answer.body,
    text: answer.text,
    of: <K extends InboxKind>(kind: K) => lines.filter((line): line is LineOf<K> => line.kind === kind),
  };
}

async function markSeen(as: Actor, cursor: string, shown: readonly { key: string }[]): Promise<string> {
  const answer = await app.call(markInboxSeen, {
    as,
    body: { cursor, shown: shown.map(({ key }) => key) },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.cursor;
}

const nothing = { answers: 0, gifts: 0, matches: 0 };

describe('comments on an own vent', () => {
  test('are one unread line that links to the first of them, until the line was shown', async () => {
    const { id, view } = await makeVent(app, ann);
    const start = await readInbox(ann);
    expect([start.lines, start.counts]).toEqual([[], nothing]);
    const ids = [await makeComment(app, ben, id), await makeComment(app, cat, id, { anonymous: true })];
    const news = await readInbox(ann, start.cursor);
    expect(news.lines).toEqual([
      {
        kind: 'comments',
        key: expect.any(String) as string,
        isUnread: true,
        vent: { _id: id, title: view.title },
        count: 2,
        commentId: ids[0],
        day: '2026-11-15',
      },
    ]);
    expect(news.counts).toEqual({ ...nothing, answers: 2 });
    // The link leads to the comment.
    const page = await app.call(listComments, { as: ann, params: { id }, query: { from: ids[0] ?? '' } });
    expect(page.body.comments.map(({ _id }) => _id)).toEqual(ids);
    // Looking marks nothing as seen, with the old cursor or the new one.
    for (const cursor of [start.cursor, news.cursor])
      expect((await readInbox(ann, cursor)).counts.answers).toBe(2);
    const seen = await markSeen(ann, news.cursor, news.lines);
    const after = await readInbox(ann, seen);
    expect(after.counts).toEqual(nothing);
    expect(after.lines).toMatchObject([{ kind: 'comments', isUnread: false, count: 0, commentId: ids[1] }]);
    // What came after the list was computed stays unread, although the line was marked.
    const third = await makeComment(app, ben, id);
    expect((await readInbox(ann, seen)).lines).toMatchObject([{ count: 1, commentId: third }]);
  });

  test('do not include the author’s own, and vanish when they or the vent are deleted or hidden', async () => {
    const [vent, other] = [await makeVent(app, ann), await makeVent(app, ann)];
    const { cursor } = await readInbox(ann);
    await makeComment(app, ann, vent.id);
    expect((await readInbox(ann, cursor)).lines).toEqual([]);
    const [first, second] = [await makeComment(app, ben, vent.id), await makeComment(app, ben, vent.id)];
    await makeComment(app, ben, other.id);
    await app.call(deleteComment, { as: ben, params: { ventId: vent.id, commentId: first } });
    const line = () => readInbox(ann, cursor).then(({ of }) => of('comments'));
    expect(await line()).toMatchObject([
      { vent: { _id: other.id } },
      { vent: { _id: vent.id }, count: 1, commentId: second },
    ]);
    await setState(vent.id, 'hidden');
    await app.call(deleteVent, { as: ann, params: { id: other.id } });
    expect(await line()).toEqual([]);
    // A look while it was hidden has not used up its comments.
    const during = await readInbox(ann, cursor);
    await setState(vent.id, 'visible');
    expect((await readInbox(ann, during.cursor)).of('comments')).toMatchObject([{ count: 1 }]);
    await allowComments(ann, vent.id, false);
    expect(await line()).toMatchObject([{ vent: { _id: vent.id }, count: 1 }]);
  });

  test('are counted up to 99 on a vent with 5,000, and the line links to the first of these', async () => {
    const { id, number } = await makeVent(app, ann);
    const start = await readInbox(ann);
    await rows.query(
      `insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on)
       select $1, no, 'anonymous', decode(md5('speaker' || no), 'hex'), decode(md5('slot' || no), 'hex'), 'x', '2026-11-15'
         from generate_series(1, 5000) as no`,
      [String(number)],
    );
    await rows.query('update content.vent_stats set comments = 5000, last_no = 5000 where vent_id = $1', [
      String(number),
    ]);
    const { lines, counts, cursor } = await readInbox(ann, start.cursor);
    const idOf = (no: number) => app.deps.publicIds.comment.encode({ ventId: number, no });
    expect(lines).toMatchObject([{ count: limits.inboxCount, commentId: idOf(5000 - 98) }]);
    expect(counts.answers).toBe(limits.inboxCount);
    const seen = await markSeen(ann, cursor, lines);
    expect((await readInbox(ann, seen)).counts).toEqual(nothing);
    await commentOn(ben, id, 'one more');
    expect((await readInbox(ann, seen)).lines).toMatchObject([{ count: 1, commentId: idOf(5001) }]);
  });
});

describe('replies', () => {
  test('are comments of others after the reader’s own last one, whatever the voices', async () => {
    const { id, view } = await makeVent(app, ann);
    await makeComment(app, ann, id, { text: 'before' });
    await makeComment(app, ben, id);
    await makeComment(app, ben, id, { anonymous: true });
    const start = await readInbox(ben);
    expect(start.lines).toEqual([]);
    const answers = [await makeComment(app, ann, id), await makeComment(app, cat, id)];
    const news = await readInbox(ben, start.cursor);
    expect(news.lines).toMatchObject([
      {
        kind: 'replies',
        isUnread: true,
        count: 2,
        commentId: answers[0],
        vent: { _id: id, title: view.title },
        isByAuthor: true,
      },
    ]);
    // The line is the same for both of the reader's voices, and names nobody.
    expect(Object.keys(news.lines[0] ?? {}).toSorted()).toEqual([
      'commentId',
      'count',
      'day',
      'isByAuthor',
      'isUnread',
      'key',
      'kind',
      'vent',
    ]);
    expect(news.counts).toEqual({ ...nothing, answers: 2 });
    // Speaking again answers them.
    const own = await makeComment(app, ben, id);
    expect((await readInbox(ben, news.cursor)).lines).toEqual([]);
    const later = await makeComment(app, cat, id);
    const next = await readInbox(ben, news.cursor);
    expect(next.lines).toMatchObject([{ count: 1, commentId: later, isByAuthor: false }]);
    const seen = await markSeen(ben, next.cursor, next.lines);
    expect((await readInbox(ben, seen)).lines).toMatchObject([
      { isUnread: false, count: 0, commentId: later },
    ]);
    // After a look, deleting one's own last comment does not make what came before it new.
    await app.call(deleteComment, { as: ben, params: { ventId: id, commentId: own } });
    expect((await readInbox(ben, next.cursor)).lines).toMatchObject([{ count: 1, commentId: later }]);
  });

  test('end when the reader deletes what they said, and when the vent is hidden or deleted', async () => {
    const [{ id }, second] = [await makeVent(app, ann), await makeVent(app, ann)];
    const mine = await makeComment(app, ben, id);
    await makeComment(app, ben, second.id);
    for (const ventId of [id, second.id]) await makeComment(app, cat, ventId);
    const replies = async () => (await readInbox(ben)).of('replies').map(({ vent }) => vent._id);
    expect(await replies()).toEqual([second.id, id]);
    await app.call(deleteComment, { as: ben, params: { ventId: id, commentId: mine } });
    expect(await replies()).toEqual([second.id]);
    await setState(second.id, 'hidden');
    expect(await replies()).toEqual([]);
  });

  test('cover threads of the newest 64 comments, and a thread that is among them again brings nothing old', async () => {
    const first = await makeVent(app, ann);
    await makeComment(app, ben, first.id);
    const others = await makeVent(app, cat);
    const ids: string[] = [];
    for (let n = 0; n < limits.commentsWatched; n += 1) ids.push(await makeComment(app, ben, others.id));
    const start = await readInbox(ben);
    await makeComment(app, cat, first.id);
    expect((await readInbox(ben, start.cursor)).lines).toEqual([]);
    for (const commentId of ids.slice(0, 2))
      await app.call(deleteComment, { as: ben, params: { ventId: others.id, commentId } });
    const again = await readInbox(ben, start.cursor);
    expect(again.lines).toMatchObject([{ kind: 'replies', isUnread: false, vent: { _id: first.id } }]);
    await makeComment(app, cat, first.id);
    expect((await readInbox(ben, again.cursor)).lines).toMatchObject([{ isUnread: true, count: 1 }]);
  });
});

describe('reactions', () => {
  test('are gathered by vent: the new ones until the line was shown, then all; own ones never', async () => {
    const { id, view } = await makeVent(app, ann);
    await reactTo(ann, id, 'heart');
    await reactTo(ben, id, 'heart');
    // Without a cursor reactions count from now on.
    const start = await readInbox(ann);
    expect(start.lines).toMatchObject([
      { kind: 'reactions', isUnread: false, reactions: { heart: 1, hug: 0, listen: 0 }, day: null },
    ]);
    for (const person of [ann, ben, cat]) await reactTo(person, id, 'hug');
    const news = await readInbox(ann, start.cursor);
    expect(news.lines).toMatchObject([
      { isUnread: true, reactions: { heart: 0, hug: 2, listen: 0 }, vent: { _id: id, title: view.title } },
    ]);
    expect(news.counts).toEqual({ ...nothing, gifts: 2 });
    const seen = await markSeen(ann, news.cursor, news.lines);
    const after = await readInbox(ann, seen);
    expect(after.counts).toEqual(nothing);
    expect(after.lines).toMatchObject([{ isUnread: false, reactions: { heart: 1, hug: 2, listen: 0 } }]);
    // Withdrawn and given again: not new. Toggling must not ring a bell each time.
    await reactTo(ben, id, 'hug');
    expect((await readInbox(ann, seen)).lines).toMatchObject([{ reactions: { heart: 1, hug: 1 } }]);
    await reactTo(ben, id, 'hug');
    expect((await readInbox(ann, seen)).counts).toEqual(nothing);
  });

  test('and comments of one vent are seen apart, each when its own line was shown', async () => {
    const { id } = await makeVent(app, ann);
    const { cursor } = await readInbox(ann);
    await reactTo(ben, id, 'listen');
    await makeComment(app, ben, id);
    const news = await readInbox(ann, cursor);
    expect(news.counts).toEqual({ answers: 1, gifts: 1, matches: 0 });
    for (const [kind, left] of [
      ['comments', { ...nothing, gifts: 1 }],
      ['reactions', { ...nothing, answers: 1 }],
    ] as const) {
      // The stored cursor may be the one from before the list.
      for (const base of [cursor, news.cursor]) {
        const seen = await markSeen(ann, base, news.of(kind));
        expect((await readInbox(ann, seen)).counts, kind).toEqual(left);
      }
    }
  });
});

describe('matches', () => {
  async function makePair() {
    const [one, other] = [await makeNamed(app), await makeNamed(app)];
    await app.call(changeUsername, {
      as: other,
      body: { newUsername: `pair_${randomBytes(5).toString('hex').replaceAll(/\d/gu, 'x')}` },
    });
    await suggestionsOf(app, one);
    const id = await pairIdOf(app, one, other);
    if (!id) throw new Error('no pair');
    return { one, other, id };
  }

  test('somebody’s yes is a line until it is answered, without its day', async () => {
    const { one, other, id } = await makePair();
    const start = await readInbox(one);
    expect(start.lines).toEqual([]);
    await accept(app, other, id);
    const news = await readInbox(one, start.cursor);
    expect(news.lines).toMatchObject([{ kind: 'said_yes', isUnread: true, matchId: id, day: null }]);
    expect(news.of('said_yes')[0]?.with.username).toMatch(/^pair_/u);
    expect(news.counts).toEqual({ ...nothing, matches: 1 });
    const seen = await markSeen(one, news.cursor, news.lines);
    expect((await readInbox(one, seen)).lines).toMatchObject([{ isUnread: false }]);
    // Still unread where there is no cursor, however old.
    app.clock.advance(10 * dayMs);
    expect((await readInbox(one)).counts.matches).toBe(1);
    // Taken back, it looks like one that stands.
    await withdraw(app, other, id);
    expect((await readInbox(one, seen)).lines).toMatchObject([{ kind: 'said_yes', matchId: id }]);
    await reject(app, one, id);
    expect((await readInbox(one, seen)).lines).toEqual([]);
  });

  test('two yeses are a line for the person who said yes first, for 30 days', async () => {
    const { one, other, id } = await makePair();
    await accept(app, one, id);
    const start = await readInbox(one);
    expect(start.lines).toEqual([]);
    await accept(app, other, id);
    const news = await readInbox(one, start.cursor);
    expect(news.lines).toMatchObject([
      { kind: 'both_said_yes', isUnread: true, matchId: id, day: '2026-11-15' },
    ]);
    // The second person saw it when they answered.
    expect((await readInbox(other)).lines).toEqual([]);
    const seen = await markSeen(one, news.cursor, news.lines);
    expect((await readInbox(one, seen)).counts).toEqual(nothing);
    // Without a cursor: unread for a week, like a comment.
    app.clock.advance(8 * dayMs);
    const late = await readInbox(one);
    expect([late.counts.matches, late.lines.length]).toEqual([0, 1]);
    const pairId = app.deps.publicIds.match.decode(id) ?? 0n;
    const pair = (await readPairs(app)).find(({ row }) => row.id === pairId);
    const longAgo = { answer: 'yes', on: '2026-10-20', order: 1, seen: null } as const;
    const first = { ...longAgo, on: '2026-10-19' };
    const isA = pair && app.pairKeys.decode(pair.row.aKey) === one.userId;
    await changePair(app, pairId, isA ? { a: first, b: longAgo } : { a: longAgo, b: first });
    expect((await readInbox(one)).lines).toEqual([]);
  });

  test('a no is no line', async () => {
    const { one, other, id } = await makePair();
    await accept(app, one, id);
    await reject(app, other, id);
    expect((await readInbox(one)).lines).toEqual([]);
    expect((await readInbox(other)).lines).toEqual([]);
  });
});

describe('the list', () => {
  test('has unread lines first, then newer days, and at most 50; the counts cover all', async () => {
    const vents: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      vents.push((await makeVent(app, ann)).id);
      await makeComment(app, ben, vents[n] ?? '');
    }
    const start = await readInbox(ann);
    expect(start.lines).toHaveLength(limits.inboxLines);
    expect(start.counts.answers).toBe(60);
    expect(start.lines.map((line) => 'vent' in line && line.vent._id)).toEqual(
      vents.toReversed().slice(0, 50),
    );
    // The ten that were not on screen stay unread, and come first.
    const seen = await markSeen(ann, start.cursor, start.lines);
    const rest = await readInbox(ann, seen);
    expect(rest.counts.answers).toBe(10);
    expect(rest.lines.map(({ isUnread }) => isUnread)).toEqual([
      ...Array.from({ length: 10 }, () => true),
      ...Array.from({ length: 40 }, () => false),
    ]);
    const all = await markSeen(ann, rest.cursor, rest.lines);
    app.clock.advance(dayMs);
    await reactTo(ben, vents[0] ?? '', 'heart');
    await makeComment(app, ben, vents[30] ?? '');
    await makeComment(app, ann, vents[31] ?? '');
    const sorted = await readInbox(ann, all);
    expect(sorted.lines.slice(0, 3)).toMatchObject([
      { kind: 'comments', isUnread: true, vent: { _id: vents[30] }, day: '2026-11-16' },
      { kind: 'reactions', isUnread: true, vent: { _id: vents[0] } },
      { kind: 'comments', isUnread: false, vent: { _id: vents[59] }, day: '2026-11-15' },
    ]);
  });

  test('without a cursor has the comments and replies of seven days unread, and older ones as seen', async () => {
    const { id } = await makeVent(app, ann);
    const mine = await makeVent(app, ben);
    await makeComment(app, ben, id);
    await makeComment(app, cat, id);
    await makeComment(app, cat, mine.id);
    for (const [days, answers] of [
      [7, 2],
      [1, 0],
    ] as const) {
      app.clock.advance(days * dayMs);
      const { counts, lines } = await readInbox(ben);
      expect([counts.answers, lines.length]).toEqual([answers, 2]);
    }
  });

  test('is open to suspended people and closed to everybody without a session', async () => {
    const person = await makeUser(app);
    const { id } = await makeVent(app, person);
    await makeComment(app, ben, id);
    await suspend(app, person);
    const { cursor, lines } = await readInbox(person);
    expect(lines).toMatchObject([{ kind: 'notice' }, {}]);
    const seen = await markSeen(person, cursor, lines);
    expect((await readInbox(person, seen)).counts).toEqual(nothing);
    expect((await app.call(listInbox, { query: {} })).status).toBe(401);
    expect((await app.call(markInboxSeen, { body: { cursor, shown: [] } })).status).toBe(401);
  });
});

describe('the cursor', () => {
  test('counts as none if it is forged, cut, changed, of another account, or a line’s key', async () => {
    const { id } = await makeVent(app, ann);
    const other = await makeVent(app, ben);
    for (const ventId of [id, other.id]) await makeComment(app, cat, ventId);
    await reactTo(cat, id, 'heart');
    const [mine, theirs] = [await readInbox(ann), await readInbox(ben)];
    const seen = await markSeen(ann, mine.cursor, mine.lines);
    const middle = Math.floor(seen.length / 2);
    const flipped = `${seen.slice(0, middle)}${seen[middle] === 'A' ? 'B' : 'A'}${seen.slice(middle + 1)}`;
    const invalid = [
      '',
      'x',
      seen.slice(0, -1),
      `${seen}AAAA`,
      flipped,
      seen.toLowerCase(),
      await markSeen(ben, theirs.cursor, theirs.lines),
      mine.lines[0]?.key ?? '',
      randomBytes(2023).toString('base64url'),
      'A'.repeat(limits.inboxCursorChars),
    ];
    const known = (lines: readonly InboxLine[]) => lines.map(({ key: _key, ...line }) => line);
    for (const cursor of invalid) {
      const answer = await readInbox(ann, cursor);
      expect(known(answer.lines), cursor.slice(0, 20)).toEqual(known(mine.lines));
      // Marking on top of it works too, and begins at the same place.
      const marked = await markSeen(ann, cursor, answer.of('comments'));
      expect((await readInbox(ann, marked)).counts).toEqual(nothing);
    }
    expect((await readInbox(ann, seen)).counts).toEqual(nothing);
  });

  test('does not change by keys of another account or forged ones', async () => {
    const { id } = await makeVent(app, ann);
    const mine = await makeVent(app, ben);
    for (const ventId of [id, mine.id]) await makeComment(app, cat, ventId);
    const [anns, bens] = [await readInbox(ann), await readInbox(ben)];
    const marked = await markSeen(ann, anns.cursor, [
      ...bens.lines,
      { key: '' },
      { key: 'x' },
      { key: anns.cursor.slice(0, 128) },
      { key: randomBytes(16).toString('base64url') },
    ]);
    expect((await readInbox(ann, marked)).counts).toEqual({ ...nothing, answers: 1 });
  });

  test('has one length, and so has every key, whatever a person wrote and saw', async () => {
    const lengths = new Set<number>();
    const keys = new Set<number>();
    const newcomer = await makeUser(app);
    lengths.add((await readInbox(newcomer)).cursor.length);
    for (let n = 0; n < 70; n += 1) {
      const { id } = await makeVent(app, ann);
      await makeComment(app, ben, id);
      if (n % 10 === 0) await reactTo(cat, id, 'hug');
    }
    for (const person of [ann, ben, cat, newcomer]) {
      const { cursor, lines } = await readInbox(person);
      for (const { key } of lines) keys.add(key.length);
      lengths.add(cursor.length);
      lengths.add((await markSeen(person, cursor, lines)).length);
    }
    expect([lengths.size, keys.size]).toEqual([1, 1]);
    expect([...lengths][0]).toBeLessThan(limits.inboxCursorChars);
    expect([...keys]).toEqual([22]);
  });
});

test('the response is padded: neither a first comment on a vent nor one more changes its length', async () => {
  const { id } = await makeVent(app, ann);
  const empty = Buffer.byteLength((await readInbox(ann)).text);
  await makeComment(app, ben, id);
  const { cursor, lines } = await readInbox(ann);
  const seen = await markSeen(ann, cursor, lines);
  const before = Buffer.byteLength((await readInbox(ann, seen)).text);
  await makeComment(app, ben, id);
  await reactTo(ben, id, 'heart');
  const after = Buffer.byteLength((await readInbox(ann, seen)).text);
  expect([empty, before, after]).toEqual([16_384, 16_384, 16_384]);
});

test('a cursor that would be too long loses what is oldest, and has the length of an empty one', () => {
  const cursors = createCursorCodec(app.deps.keys);
  const ids = Array.from({ length: 64 }, () => randomBytes(8).readBigInt64BE());
  const huge = (n: number) => 2 ** 31 - 1 - n * 9973;
  const none = { isStart: false, fromDay: '2026-11-01', newestVent: 0, newestComment: 0 };
  const empty = cursors.seal(
    {
      ...none,
      vents: new Map(),
      threads: new Map(),
      matches: new Set(),
      notices: new Set(),
      account: new Set(),
      thanks: new Set(),
    },
    1n,
  );
  const seen = {
    ...none,
    vents: new Map(
      ids.map((_, n) => [huge(n), { heart: huge(n), hug: huge(n + 1), listen: huge(n), no: huge(n) }]),
    ),
    threads: new Map(ids.map((_, n) => [BigInt(huge(n)), huge(n)])),
    matches: new Set(ids),
    notices: new Set(ids.slice(0, 16)),
    account: new Set([1, 2]),
    thanks: new Set(ids.map((_, n) => n + 1)),
  };
  const cursor = cursors.seal(seen, 1n);
  expect(cursor).toHaveLength(empty.length);
  expect(cursor.length).toBeLessThanOrEqual(limits.inboxCursorChars);
  const opened = cursors.open(cursor, 1n);
  expect([...(opened?.vents ?? [])]).toEqual([...seen.vents].slice(0, opened?.vents.size));
  expect(opened?.vents.size).toBeGreaterThan(16);
  expect(opened?.notices).toEqual(seen.notices);
  expect(cursors.open(cursor, 2n)).toBeNull();
});

describe('looking', () => {
  /** A hash of every row with its place and the transactions that wrote or locked it, by table. */
  async function hashRows(): Promise<Record<string, string>> {
    const hashes: Record<string, string> = {};
    for (const name of await listTables(rows)) {
      const { rows: found } = await rows.query<{ hash: string | null }>(
        `select count(*) || md5(string_agg(concat(ctid, xmin, xmax, md5(to_jsonb(t)::text)), ',' order by ctid)) as hash
           from ${name} as t`,
      );
      hashes[name] = found[0]?.hash ?? '';
    }
    expect(Object.keys(hashes).length).toBeGreaterThan(10);
    return hashes;
  }

  async function look(on: Pick<TestApp, 'call'>, as: Person): Promise<number[]> {
    const inbox = await on.call(listInbox, { as, query: {} });
    const { cursor, lines } = inbox.body;
    const seen = await on.call(markInboxSeen, { as, body: { cursor, shown: lines.map(({ key }) => key) } });
    const rest = [
      await on.call(listInbox, { as, query: { cursor: seen.body.cursor } }),
      await on.call(ventsSince, { as, query: {} }),
      await on.call(listVents, { as, query: { mine: 'true' } }),
    ];
    return [inbox, seen, ...rest].map(({ status }) => status);
  }

  async function makeNews(): Promise<void> {
    const [{ id }, other] = [await makeVent(app, ann), await makeVent(app, ben)];
    await makeComment(app, ann, other.id);
    for (const ventId of [id, other.id]) await makeComment(app, cat, ventId);
    await reactTo(cat, id, 'hug');
    expect((await readInbox(ann)).lines).toHaveLength(3);
  }

  const ok = [200, 200, 200, 200, 200];

  test('sends only selects, works where PostgreSQL refuses every write, and writes no row', async () => {
    await makeNews();
    const before = await hashRows();
    const from = app.statements.length;
    expect(await look(app, ann)).toEqual(ok);
    const statements = app.statements.slice(from);
    expect(statements.length).toBeGreaterThan(10);
    expect(
      statements.filter(
        ({ text }) => !/^\s*select\b/u.test(text) || /\bfor\s+(?:update|(?:no )?key|share)/u.test(text),
      ),
    ).toEqual([]);
    expect(await hashRows()).toEqual(before);

    const { id: ventId } = await makeVent(app, ben);
    const second = await startReadOnly(app);
    try {
      expect(await look(second, ann)).toEqual(ok);
      // The second process cannot write.
      const written = await second.call(commentOnVent, {
        as: ann,
        body: { ventId, text: 'no' },
      });
      expect(written.status).toBeGreaterThanOrEqual(500);
    } finally {
      await second.close();
    }
  });

  test('with a planted read mark is found by the same check', async () => {
    await makeNews();
    const { bindings } = app.features;
    const { server } = await buildApp(app.deps, {
      ...app.features,
      bindings: bindings.map((binding) => ({
        ...binding,
        async handle(context: never) {
          // The mark has the value that was there before: only the row's transaction tells.
          if (binding.endpoint.path === listInbox.path)
            await app.deps.databases.content
              .updateTable('content.ventStats')
              .set((eb) => ({ isSwitched: eb.ref('isSwitched') }))
              .execute();
          return binding.handle(context);
        },
      })),
    });
    await server.ready();
    const before = await hashRows();
    const answer = await server.inject({
      method: 'GET',
      url: listInbox.path,
      headers: { authorization: `Bearer ${ann.token}` },
    });
    expect(answer.statusCode).toBe(200);
    await server.close();
    const after = await hashRows();
    expect(Object.keys(after).filter((table) => after[table] !== before[table])).toEqual([
      'content.vent_stats',
    ]);
  });

  test('leaves in Redis only what every call leaves', async () => {
    await makeNews();
    // Budgets of the token and the user, the session, the visit.
    await app.call(ventWeather, { as: ann });
    const keys = async () => (await app.redis.keys(`${app.config.redisPrefix}*`)).toSorted();
    const before = await keys();
    expect(await look(app, ann)).toEqual([200, 200, 200, 200, 200]);
    // Listing vents has a budget of its own, which counts for vents of others.
    expect((await keys()).filter((key) => !before.includes(key) && !key.includes('bucket:'))).toEqual([]);
    const between = await keys();
    await look(app, ann);
    expect(await keys()).toEqual(between);
  });
});
