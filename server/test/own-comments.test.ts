import { commentOnVent, deleteComment, deleteVent, exportData, updateDetails } from '@unsaid/contract';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findLastTaken } from '../src/comments/slot-search.ts';
import { startTestApp, type TestApp } from './app.ts';
import { makeComment, makeUser, makeVent, markConfirmed, runJob, type Person } from './make.ts';

let app: TestApp;
let rows: pg.Pool;
let host: Person;
beforeAll(async () => {
  app = await startTestApp({ limitsScale: 10_000 });
  rows = new pg.Pool({ connectionString: app.config.databaseUrl, max: 2 });
  host = await makeUser(app);
});
afterAll(async () => {
  await rows.end();
  await app.close();
});

const numberOf = (commentId: string) => app.deps.seals.comment.open(commentId) ?? 0n;

async function subjectOf(person: Person) {
  const viewer = await app.features.sessions.authenticate(person.token, { skipCache: true });
  if (!viewer) throw new Error('nobody');
  return viewer;
}

async function exported(as: Person): Promise<string[]> {
  await markConfirmed(app, as);
  const { data } = (await app.call(exportData, { as })).body as unknown as {
    data: { comments: { text: string }[] };
  };
  return data.comments.map(({ text }) => text);
}

/** As the release before wrote them. */
async function commentWithoutSlot(person: Person, ventId: bigint, text: string): Promise<void> {
  await rows.query(
    `insert into content.comments (vent_id, writer_key, is_author, body, created_at) values ($1, $2, false, $3, $4)`,
    [String(ventId), app.deps.seals.commentKey(person.userId, ventId), text, new Date(app.clock.now())],
  );
  await rows.query('update content.vent_stats set comments = comments + 1 where vent_id = $1', [
    String(ventId),
  ]);
}

/** Which of somebody's slots were ever taken, and which hold a comment. */
async function slotsOf(person: Person, upTo: number): Promise<{ taken: number[]; held: number[] }> {
  const { authorKey } = await subjectOf(person);
  const places = Array.from({ length: upTo }, (_, n) => n + 1);
  const found = async (table: string, column: string, keyOf: (key: Buffer, place: number) => Buffer) => {
    const keys = new Map(places.map((place) => [keyOf(authorKey, place).toString('hex'), place]));
    const { rows: held } = await rows.query<{ key: string }>(
      `select encode(${column}, 'hex') as key from ${table} where ${column} is not null`,
    );
    return held.flatMap(({ key }) => keys.get(key) ?? []).toSorted((a, b) => a - b);
  };
  return {
    taken: await found('content.taken_slots', 'taken_key', app.deps.seals.takenKey),
    held: await found('content.comments', 'slot_key', app.deps.seals.slotKey),
  };
}

describe('the last slot that was taken', () => {
  const search = async (last: number) => {
    let questions = 0;
    const found = await findLastTaken(async (places) => {
      questions += 1;
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places.length).toBeLessThanOrEqual(43);
      return places.filter((place) => place <= last).length;
    });
    return { found, questions };
  };

  test('is found whatever it is, by few questions', async () => {
    for (let last = 0; last <= 300; last += 1) expect((await search(last)).found).toBe(last);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async (last) => {
        const { found, questions } = await search(last);
        expect(found).toBe(last);
        expect(questions).toBeLessThanOrEqual(8);
      }),
    );
    for (const [last, questions] of [
      [0, 1],
      [15, 1],
      [40, 2],
      [1000, 3],
      [30_000, 4],
    ] as const)
      expect(await search(last)).toEqual({ found: last, questions });
  });

  test('is one that was there, also when more are taken meanwhile', async () => {
    let last = 20;
    const found = await findLastTaken(async (places) => {
      last += 3;
      return places.filter((place) => place <= last).length;
    });
    expect(found).toBeGreaterThanOrEqual(23);
    expect(found).toBeLessThanOrEqual(last);
  });
});

describe('what somebody wrote as Anonymous', () => {
  test('is found by export and erasure, with and without slots, when some of it was deleted in between', async () => {
    const [me, stranger] = [await makeUser(app), await makeUser(app)];
    const vents = [];
    for (let n = 0; n < 5; n += 1) vents.push(await makeVent(app, host));
    const doomed = await makeVent(app, host);
    const ids = new Map<string, { ventId: string; commentId: string }>();
    const kept: string[] = [];
    for (let n = 0; n < 24; n += 1) {
      const vent = vents[n % 5] ?? doomed;
      const text = `mine ${n}`;
      if (n % 6 === 3) await commentWithoutSlot(me, vent.number, text);
      else {
        const commentId = await makeComment(app, me, vent.id, { text, anonymous: true });
        ids.set(text, { ventId: vent.id, commentId });
      }
      kept.push(text);
      await makeComment(app, stranger, vent.id, { text: 'a stranger', anonymous: true });
      await commentWithoutSlot(stranger, vent.number, 'a stranger');
      if (n === 10) await makeComment(app, me, doomed.id, { text: 'doomed', anonymous: true });
    }
    // By themselves, by the vent's owner, and with the vent: the first, the last, and some between.
    const gone = ['mine 0', 'mine 1', 'mine 2', 'mine 10', 'mine 22', 'mine 23'];
    for (const [n, text] of gone.entries()) {
      const params = ids.get(text) ?? { ventId: '', commentId: '' };
      expect((await app.call(deleteComment, { as: n % 2 === 0 ? me : host, params })).status).toBe(200);
    }
    await app.call(deleteVent, { as: host, params: { id: doomed.id } });
    await runJob(app, 'remove-due-content');
    await makeComment(app, me, vents[0]?.id ?? '', { text: 'after that', anonymous: true });
    await makeComment(app, me, vents[0]?.id ?? '', { text: 'under my name' });
    const mine = await makeVent(app, me);
    await makeComment(app, me, mine.id, { text: 'under my own vent' });

    const expected = [
      ...kept.filter((text) => !gone.includes(text)),
      'after that',
      'under my name',
      'under my own vent',
    ];
    expect(await exported(me)).toEqual(expected);
    // 20 of the loop, one under the vent that is gone, one after that: none is given twice, and none was given back.
    const { taken, held } = await slotsOf(me, 40);
    expect(taken).toEqual(Array.from({ length: 22 }, (_, n) => n + 1));
    expect(held).toHaveLength(22 - gone.length - 1);

    const parts = app.features.privacyParts.find(({ feature }) => feature === 'vents');
    await parts?.erase(await subjectOf(me));
    const { rows: queue } = await rows.query<{ key: Buffer }>('select item_key as key from content.removals');
    const due = queue
      .map(({ key }) => app.deps.seals.openRemoval(key))
      .filter(({ kind }) => kind === 'comment');
    const { rows: texts } = await rows.query<{ body: string }>(
      'select body from content.comments where id = any($1::bigint[]) order by id',
      [due.map(({ itemId }) => String(itemId))],
    );
    expect(texts.map(({ body }) => body)).toEqual(expected);
    expect(due).toHaveLength(expected.length);
    await rows.query('delete from content.removals');
  });

  test('is found when fifty are written at once: each has a slot of its own, and there is no gap', async () => {
    const me = await makeUser(app);
    const vents: { id: string }[] = [];
    for (let n = 0; n < 3; n += 1) vents.push(await makeVent(app, host));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        app.call(commentOnVent, {
          as: me,
          body: { ventId: vents[n % 3]?.id ?? '', text: `at once ${n}`, anonymous: true },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201));
    const all = Array.from({ length: 50 }, (_, n) => n + 1);
    expect(await slotsOf(me, 80)).toEqual({ taken: all, held: all });
    expect((await exported(me)).toSorted()).toEqual(all.map((n) => `at once ${n - 1}`).toSorted());
  });

  test('takes a slot only where it is written, and one however often it is sent', async () => {
    const [me, closed] = [await makeUser(app), await makeUser(app)];
    const [open, shut] = [await makeVent(app, host), await makeVent(app, closed)];
    await app.call(updateDetails, { as: closed, body: { allowComments: false } });
    const write = (ventId: string, key: string) =>
      app.call(commentOnVent, {
        as: me,
        body: { ventId, text: 'once', anonymous: true },
        headers: { 'idempotency-key': key },
      });
    expect((await write(shut.id, 'refused-for-all')).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 6 }, () => write(open.id, 'six-times-the-same')));
    for (const { status } of answers) expect(status).toBe(201);
    await makeComment(app, me, open.id, { text: 'named' });
    expect(await slotsOf(me, 10)).toEqual({ taken: [1], held: [1] });
  });

  test('costs what they wrote and not what everybody wrote', async () => {
    const strangers = 30_000;
    const me = await makeUser(app);
    const vent = await makeVent(app, host);
    for (let n = 0; n < 20; n += 1) await makeComment(app, me, vent.id, { text: `${n}`, anonymous: true });
    const subject = await subjectOf(me);
    const part = app.features.privacyParts.find(({ feature }) => feature === 'comments');
    const sealed = vi.spyOn(app.deps.seals, 'commentKey');
    const cost = async (among: string) => {
      await rows.query('analyze content.comments; analyze content.taken_slots');
      sealed.mockClear();
      const [before, begunAt] = [app.statements.length, performance.now()];
      expect(await part?.export(subject)).toHaveLength(20);
      console.log(`20 of one's own among ${among}: ${(performance.now() - begunAt).toFixed(0)} ms`);
      return { statements: app.statements.length - before, seals: sealed.mock.calls.length };
    };
    // Those of the tests before, which have no slot.
    await rows.query('delete from content.comments where slot_key is null');
    const alone = await cost('hardly any');
    expect(alone).toEqual({ statements: 7, seals: 0 });
    const random = `decode(md5(random()::text), 'hex')`;
    await rows.query(
      `insert into content.comments (vent_id, writer_key, slot_key, is_author, body, created_at)
       select $1, ${random}, ${random}, false, 'one of many', now() from generate_series(1, $2::int)`,
      [String(vent.number), strangers],
    );
    await rows.query(`insert into content.taken_slots select ${random} from generate_series(1, $1::int)`, [
      strangers,
    ]);
    expect(await cost(`${strangers} of strangers`)).toEqual(alone);
    // And it would be seen: without their slots, each of them has to be sealed again.
    await rows.query(`update content.comments set slot_key = null where body = 'one of many'`);
    const without = await cost(`${strangers} of strangers without slots`);
    expect(without.seals).toBe(strangers);
    expect(without.statements).toBeGreaterThan(alone.statements);
    sealed.mockRestore();
  }, 60_000);

  test('has slots that follow from the author seed, so that nobody finds them once it is gone', async () => {
    const [me, other] = [await makeUser(app), await makeUser(app)];
    const vent = await makeVent(app, host);
    const id = numberOf(await makeComment(app, me, vent.id, { anonymous: true }));
    const { slotKey } = await app.deps.db.content
      .selectFrom('content.comments')
      .select('slotKey')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const [mine, theirs] = [await subjectOf(me), await subjectOf(other)];
    const { seals } = app.deps;
    expect(slotKey).toEqual(seals.slotKey(mine.authorKey, 1));
    const others = [
      seals.slotKey(mine.authorKey, 2),
      seals.slotKey(theirs.authorKey, 1),
      seals.takenKey(mine.authorKey, 1),
      seals.commentKey(me.userId, vent.number),
    ];
    for (const key of others) expect(slotKey).not.toEqual(key);
  });
});
