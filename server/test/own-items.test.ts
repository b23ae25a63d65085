import { commentOnVent, deleteComment, deleteVent, exportData, setVentComments } from '@unsaid/contract';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { scheduleItems } from '../src/content/leaving/schedule.ts';
import type { TicketRow } from '../src/content/leaving/leaving.queries.ts';
import { createTicketCipher } from '../src/content/leaving/ticket.ts';
import type { ItemKind } from '../src/kernel/person-keys.ts';
import { findHighestUsed } from '../src/kernel/gallop.ts';
import { usePool, useTestApp } from './app.ts';
import { keysOf, makeComment, makeUser, makeVent, markConfirmed, runJob, type Person } from './factories.ts';

const app = useTestApp({ limitsScale: 10_000 });
const rows = usePool(app);
let host: Person;
beforeAll(async () => {
  host = await makeUser(app);
});

async function subjectOf(person: Person) {
  return { userId: person.userId, person: await keysOf(app, person) };
}

async function exportComments(as: Person): Promise<string[]> {
  await markConfirmed(app, as);
  const { data } = (await app.call(exportData, { as })).body as unknown as {
    data: { comments: { text: string }[] };
  };
  return data.comments.map(({ text }) => text);
}

/** The numbers of a person that were ever taken, and those that hold an item. */
async function readSlots(person: Person, upTo: number, kind: ItemKind = 'comment') {
  const keys = await keysOf(app, person);
  const numbers = Array.from({ length: upTo }, (_, n) => n + 1);
  const found = async (table: string, column: string, made: readonly Buffer[]) => {
    const numberOf = new Map(made.map((key, n) => [key.toString('hex'), n + 1]));
    const { rows: held } = await rows.query<{ key: string }>(
      `select encode(${column}, 'hex') as key from ${table}`,
    );
    return held.flatMap(({ key }) => numberOf.get(key) ?? []).toSorted((a, b) => a - b);
  };
  return {
    taken: await found('content.taken_slots', 'taken_key', keys.takenKeys(kind, numbers)),
    held: await found(`content.${kind}s`, 'slot_key', keys.slotKeys(kind, numbers)),
  };
}

describe('the last slot that was taken', () => {
  const search = async (last: number) => {
    let questions = 0;
    const found = await findHighestUsed(async (places) => {
      questions += 1;
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places.length).toBeLessThanOrEqual(43);
      return places.filter((place) => place <= last).length;
    });
    return { found, questions };
  };

  test('is found with few queries, whatever it is', async () => {
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

  test('is an existing one, even if more are taken during the search', async () => {
    let last = 20;
    const found = await findHighestUsed(async (places) => {
      last += 3;
      return places.filter((place) => place <= last).length;
    });
    expect(found).toBeGreaterThanOrEqual(23);
    expect(found).toBeLessThanOrEqual(last);
  });
});

describe('the items of a person', () => {
  test('are found by export and erasure in every voice, also if some were deleted in between (R35)', async () => {
    const [me, stranger] = [await makeUser(app), await makeUser(app)];
    const vents = [];
    for (let n = 0; n < 5; n += 1) vents.push(await makeVent(app, host));
    const doomed = await makeVent(app, host);
    const ids = new Map<string, { ventId: string; commentId: string }>();
    const kept: string[] = [];
    for (let n = 0; n < 24; n += 1) {
      const vent = vents[n % 5] ?? doomed;
      const text = `mine ${n}`;
      const commentId = await makeComment(app, me, vent.id, { text, anonymous: n % 3 > 0 });
      ids.set(text, { ventId: vent.id, commentId });
      kept.push(text);
      await makeComment(app, stranger, vent.id, { text: 'a stranger', anonymous: n % 2 === 0 });
      if (n === 10) await makeComment(app, me, doomed.id, { text: 'doomed', anonymous: true });
    }
    // Deleted by their writer, by the vent's owner, and with the vent: the first, the last, and some between.
    const gone = ['mine 0', 'mine 1', 'mine 2', 'mine 10', 'mine 22', 'mine 23'];
    for (const [n, text] of gone.entries()) {
      const params = ids.get(text) ?? { ventId: '', commentId: '' };
      expect((await app.call(deleteComment, { as: n % 2 === 0 ? me : host, params })).status).toBe(200);
    }
    await app.call(deleteVent, { as: host, params: { id: doomed.id } });
    await runJob(app, 'remove-deleted-vents');
    await makeComment(app, me, vents[0]?.id ?? '', { text: 'after that', anonymous: true });
    await makeComment(app, me, vents[0]?.id ?? '', { text: 'under my name' });
    const mine = await makeVent(app, me);
    await makeComment(app, me, mine.id, { text: 'under my own vent' });
    await runJob(app, 'rewrite-todays-content');

    const expected = [
      ...kept.filter((text) => !gone.includes(text)),
      'after that',
      'under my name',
      'under my own vent',
    ];
    expect(await exportComments(me)).toEqual(expected);
    // No number is assigned twice, and none is released.
    const { taken, held } = await readSlots(me, 40);
    expect(taken).toEqual(Array.from({ length: 28 }, (_, n) => n + 1));
    expect(held).toHaveLength(28 - gone.length - 1);

    const part = app.features.privacyParts.find(({ feature }) => feature === 'leaving');
    await part?.erase(await subjectOf(me), { removeWords: '30days', isNameShown: async () => false });
    const { rows: tickets } = await rows.query<TicketRow>(
      'select ticket_key as "ticketKey", ticket from content.leavings',
    );
    const due = tickets.flatMap(({ ticketKey, ticket }) => {
      const opened = createTicketCipher(app.deps.keys).open(ticket, ticketKey);
      return opened ? scheduleItems(opened).filter(({ kind }) => kind === 'comment') : [];
    });
    const { rows: texts } = await rows.query<{ body: string }>(
      'select body from content.comments where slot_key = any($1)',
      [due.map(({ slotKey }) => slotKey)],
    );
    expect(texts.map(({ body }) => body).toSorted()).toEqual(expected.toSorted());
    await rows.query('delete from content.leavings');
  });

  test('are found when fifty are written at once, with distinct and consecutive numbers (R35)', async () => {
    const me = await makeUser(app);
    const vents: { id: string }[] = [];
    for (let n = 0; n < 3; n += 1) vents.push(await makeVent(app, host));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        app.call(commentOnVent, {
          as: me,
          body: { ventId: vents[n % 3]?.id ?? '', text: `at once ${n}`, anonymous: n % 2 === 0 },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201));
    const all = Array.from({ length: 50 }, (_, n) => n + 1);
    expect(await readSlots(me, 80)).toEqual({ taken: all, held: all });
    expect((await exportComments(me)).toSorted()).toEqual(all.map((n) => `at once ${n - 1}`).toSorted());
  });

  test('take a number only when they are stored, and one number for any count of retries', async () => {
    const me = await makeUser(app);
    const [open, shut] = [await makeVent(app, host), await makeVent(app, host)];
    await app.call(setVentComments, { as: host, params: { id: shut.id }, body: { allowComments: false } });
    const write = (ventId: string, key: string) =>
      app.call(commentOnVent, {
        as: me,
        body: { ventId, text: 'once', anonymous: true },
        headers: { 'idempotency-key': key },
      });
    expect((await write(shut.id, 'refused-for-all')).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 6 }, () => write(open.id, 'six-times-the-same')));
    for (const { status } of answers) expect(status).toBe(201);
    expect(await readSlots(me, 10)).toEqual({ taken: [1], held: [1] });
  });

  test('are read with the same number of statements, however much other people wrote', async () => {
    const strangers = 30_000;
    const me = await makeUser(app);
    const vent = await makeVent(app, host);
    for (let n = 0; n < 20; n += 1) await makeComment(app, me, vent.id, { text: `${n}`, anonymous: true });
    const subject = await subjectOf(me);
    const part = app.features.privacyParts.find(({ feature }) => feature === 'comments');
    const cost = async () => {
      await rows.query('analyze content.comments; analyze content.taken_slots');
      const before = app.statements.length;
      expect(await part?.export(subject)).toHaveLength(20);
      return app.statements.length - before;
    };
    const alone = await cost();
    expect(alone).toBe(3);
    const random = `decode(md5(random()::text), 'hex')`;
    await rows.query(
      `insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on)
       select $1, 1000 + n, 'anonymous', ${random}, ${random}, 'one of many', now() from generate_series(1, $2::int) as n`,
      [String(vent.number), strangers],
    );
    await rows.query(`insert into content.taken_slots select ${random} from generate_series(1, $1::int)`, [
      strangers,
    ]);
    expect(await cost()).toBe(alone);
  });

  test('are in slots derived from the author seed, so that no one finds them once it is deleted', async () => {
    const [me, other] = [await makeUser(app), await makeUser(app)];
    const vent = await makeVent(app, me);
    await makeComment(app, me, vent.id);
    const { rows: held } = await rows.query<{ of: string; key: string }>(
      `select 'vent' as of, encode(slot_key, 'hex') as key from content.vents where id = $1
       union all select 'comment', encode(slot_key, 'hex') from content.comments where vent_id = $1`,
      [String(vent.number)],
    );
    const hex = (keys: readonly Buffer[]) => keys.map((key) => key.toString('hex'));
    const [mine, theirs] = [await keysOf(app, me), await keysOf(app, other)];
    for (const kind of ['vent', 'comment'] as const) {
      const key = held.find((row) => row.of === kind)?.key;
      expect(hex(mine.slotKeys(kind, [1]))).toEqual([key]);
      const others = [
        ...mine.slotKeys(kind, [2]),
        ...theirs.slotKeys(kind, [1]),
        ...mine.takenKeys(kind, [1]),
        ...mine.slotKeys(kind === 'vent' ? 'comment' : 'vent', [1]),
      ];
      expect(hex(others)).not.toContain(key);
    }
  });
});
