import {
  closeAllVents,
  commentOnVent,
  createVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  react,
  reactionTypes,
  type ReactionType,
} from '@unsaid/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../src/platform/db.ts';
import type { ItemKind } from '../src/kernel/person-keys.ts';
import { freshTables, freshUntil } from '../src/content/slots/slots.queries.ts';
import { listKeys, rewriteBatch } from '../src/platform/rewrite-rows.ts';
import { startBeside, usePool, useTestApp, type TestApp } from './app.ts';
import {
  finishLeaving,
  keysOf,
  makeComment,
  makeUser,
  makeVent,
  markConfirmed,
  runJob,
  type Person,
} from './factories.ts';
import { expectLockWaiters } from './locks.ts';
import { listSpoken } from './speakers.ts';

/** Race conditions on the numbered slots of people's items, with two processes. */

const app = useTestApp({ limitsScale: 1_000_000 });
const rows = usePool(app);
let beside: TestApp;
beforeAll(async () => {
  beside = await startBeside(app);
});
afterAll(async () => {
  await beside.close();
});

const serverFor = (n: number) => (n % 2 === 0 ? app : beside);
const count = (length: number) => Array.from({ length }, (_, n) => n);

/** Retries a 503, which an overloaded server sends. It is then unknown whether the first attempt was stored. */
async function retryWhileBusy<A extends { status: number }>(
  call: () => Promise<A>,
): Promise<A & { wasRepeated: boolean }> {
  const answer = await call();
  return answer.status === 503
    ? { ...(await retryWhileBusy(call)), wasRepeated: true }
    : { ...answer, wasRepeated: false };
}

/**
 * An idempotency key from the text, so that a retry after an unknown outcome is stored once. Each text is used
 * once.
 */
const idempotencyKey = (text: string) => ({
  'idempotency-key': Buffer.from(text).toString('hex').slice(-64),
});
const sendVent = (on: TestApp, as: Person, text: string) =>
  on.call(createVent, {
    as,
    headers: idempotencyKey(text),
    body: { title: 'At once', text, emotion: 'Sad' },
  });
const sendComment = (on: TestApp, as: Person, ventId: string, text: string, anonymous = false) =>
  on.call(commentOnVent, { as, headers: idempotencyKey(text), body: { ventId, text, anonymous } });

/** PostgreSQL finds a deadlock after a second, and then its counter is due: it has it when the response comes. */
async function expectNoDeadlocks(): Promise<void> {
  const { rows: counted } = await rows.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(counted).toEqual([{ deadlocks: '0' }]);
}

/**
 * The slot numbers of a person's items in ascending order: decrypted from the speaker, and checked against the
 * slot key.
 */
async function numbersOf(person: Person, kind: ItemKind): Promise<number[]> {
  const keys = await keysOf(app, person);
  const items = (await listSpoken(rows)).filter(({ voice }) => (voice === 'vent') === (kind === 'vent'));
  return items
    .flatMap((item) => {
      const number = app.deps.speakers.numberOf(item, keys.speakerId);
      if (number === null) return [];
      expect(keys.slotKeys(kind, [number])[0]).toEqual(item.slotKey);
      return [number];
    })
    .toSorted((a, b) => a - b);
}

describe('in concurrent requests of one person', () => {
  test('20 vents and 20 comments on two processes get distinct, consecutive numbers', async () => {
    const [me, host] = [await makeUser(app), await makeUser(app)];
    const { id: ventId } = await makeVent(app, host);
    const answers = await Promise.all([
      ...count(20).map((n) => retryWhileBusy(() => sendVent(serverFor(n), me, `vent ${n}`))),
      ...count(20).map((n) =>
        retryWhileBusy(() => sendComment(serverFor(n), me, ventId, `comment ${n}`, n % 3 === 0)),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(40).fill(201));
    const upTo20 = count(20).map((n) => n + 1);
    expect(await numbersOf(me, 'vent')).toEqual(upTo20);
    expect(await numbersOf(me, 'comment')).toEqual(upTo20);
    // Comments are also numbered within their vent, without a gap.
    const { rows: within } = await rows.query<{ no: number }>(
      'select no from content.comments where vent_id = $1 order by no',
      [String(app.deps.publicIds.vent.decode(ventId))],
    );
    expect(within.map(({ no }) => no)).toEqual(upTo20);
  });
});

/** How many rows of content decrypt to this speaker id. */
const countSpokenBy = async (speakerId: Buffer) =>
  app.deps.speakers.ownAmong(await listSpoken(rows), speakerId).size;

async function expectCountersEqualRows(): Promise<void> {
  const { rows: wrong } = await rows.query(
    `select vent_id, to_jsonb(s) as counted, there.* from content.vent_stats s cross join lateral (
       select (select count(*) from content.comments c where c.vent_id = s.vent_id) as comments_there,
              (select count(*) from content.reactions r where r.vent_id = s.vent_id and kind = 'heart') as hearts_there,
              (select count(*) from content.reactions r where r.vent_id = s.vent_id and kind = 'hug') as hugs_there,
              (select count(*) from content.reactions r where r.vent_id = s.vent_id and kind = 'listen') as listens_there
     ) as there
      where (comments, heart, hug, listen) is distinct from (comments_there, hearts_there, hugs_there, listens_there)`,
  );
  expect(wrong).toEqual([]);
}

describe('an account deleted while its owner writes', () => {
  test('leaves no item that its removal misses', async () => {
    const rounds = 8;
    const host = await makeUser(app);
    const { id: hostVent } = await makeVent(app, host);
    const leavers: { speakerId: Buffer; accepted: number }[] = [];
    for (const round of count(rounds)) {
      const leaver = await makeUser(app);
      const { id: ownVent } = await makeVent(app, leaver);
      const { speakerId } = await keysOf(app, leaver);
      const viewer = await app.features.sessions.authenticate(leaver.token, { skipCache: true });
      if (!viewer) throw new Error('no session');
      await app.features.sessions.markReauthenticated(viewer);
      const write = (n: number) => {
        const text = `round ${round}, item ${n}`;
        if (n % 4 === 0) return sendVent(serverFor(n), leaver, text);
        if (n % 4 === 1) return sendComment(serverFor(n), leaver, ownVent, text);
        return sendComment(serverFor(n), leaver, hostVent, text, n % 4 === 2);
      };
      const leave = async () => {
        // At a different time in every round: before, during and after the writes.
        await new Promise((resolve) => setTimeout(resolve, round * 6));
        return retryWhileBusy(() => serverFor(round).call(deleteAccount, { as: leaver }));
      };
      const [left, ...answers] = await Promise.all([leave(), ...count(20).map(write)]);
      expect(left.status).toBe(200);
      for (const { status, text } of answers) expect([201, 401, 503], text).toContain(status);
      leavers.push({ speakerId, accepted: answers.filter(({ status }) => status === 201).length });
      // Nothing is accepted afterwards.
      expect((await sendVent(app, leaver, 'too late')).status).toBe(401);
    }
    const before = await Promise.all(leavers.map(({ speakerId }) => countSpokenBy(speakerId)));
    for (const [n, spoken] of before.entries())
      expect(spoken).toBeGreaterThanOrEqual(leavers[n]?.accepted ?? 0);

    await finishLeaving(app);
    for (const { speakerId } of leavers) expect(await countSpokenBy(speakerId)).toBe(0);
    await expectCountersEqualRows();
    await expectNoDeadlocks();
  });
});

/** Rows in physical order with their page, grouped by the transaction of the rewrite that wrote them. */
async function batchesOnDisk(table: 'comments' | 'reactions', key: string) {
  const { rows: lying } = await rows.query<{ batch: string; page: string; key: string }>(
    `select xmin::text as batch, split_part(ctid::text, ',', 1) as page, encode(${key}, 'hex') as key
       from content.${table} where not is_fresh order by ctid`,
  );
  return [...Map.groupBy(lying, ({ batch }) => batch).values()];
}

async function expectKeyOrder(): Promise<{ comments: number; reactions: number }> {
  const sizes = { comments: 0, reactions: 0 };
  for (const [table, key] of [
    ['comments', 'slot_key'],
    ['reactions', 'reactor_key'],
  ] as const) {
    for (const batch of await batchesOnDisk(table, key)) {
      // Space freed by a vacuum is filled first, so a batch may be split over several pages.
      const pieces = batch.filter(({ key: one }, n) => n > 0 && one < (batch[n - 1]?.key ?? '')).length;
      expect(pieces).toBeLessThanOrEqual(2 * new Set(batch.map(({ page }) => page)).size);
      sizes[table] = Math.max(sizes[table], batch.length);
    }
  }
  return sizes;
}

/** Advances the clock by a day, so that all rows are due, and runs the rewrite. */
async function rewrite(on: TestApp): Promise<void> {
  app.clock.advance(86_400_000);
  await runJob(on, 'rewrite-fresh-content');
}

describe('the nightly rewrite', () => {
  let communities = 0;

  /** People and vents, with comments and reactions of every person under every vent. */
  async function makeCommunity() {
    communities += 1;
    const people = await Promise.all(count(6).map(() => makeUser(app)));
    const vents = await Promise.all(people.map((person) => makeVent(app, person)));
    const comments: { id: string; ventId: string; writer: Person; text: string }[] = [];
    for (const round of count(4)) {
      for (const [v, { id: ventId }] of vents.entries()) {
        const made = await Promise.all(
          people.map(async (writer, p) => {
            const text = `community ${communities}: ${round} ${v} ${p}`;
            const id = await makeComment(app, writer, ventId, { text, anonymous: p % 2 === 0 });
            return { id, ventId, writer, text };
          }),
        );
        comments.push(...made);
      }
    }
    // Not to their own vents: those reactions are not counted.
    for (const [p, person] of people.entries())
      for (const { id: ventId } of vents.filter((_, v) => v !== p))
        for (const reactionType of reactionTypes)
          await app.call(react, { as: person, body: { ventId, reactionType, active: true } });
    return { people, vents, comments };
  }

  async function readTexts(): Promise<Set<string>> {
    const { rows: there } = await rows.query<{ body: string }>('select body from content.comments');
    return new Set(there.map(({ body }) => body));
  }

  test('puts rows in the order of their keys, changes nothing else and leaves no row fresh', async () => {
    const { comments } = await makeCommunity();
    const content = async () => {
      const { rows: all } = await rows.query<{ row: string }>(
        `select (to_jsonb(t) - 'is_fresh')::text as row from content.comments t
         union all select (to_jsonb(t) - 'is_fresh')::text from content.reactions t order by 1`,
      );
      return all;
    };
    const before = await content();
    await rewrite(app);
    expect(await content()).toEqual(before);
    const sizes = await expectKeyOrder();
    expect(sizes.comments).toBeGreaterThanOrEqual(comments.length);
    expect(sizes.reactions).toBeGreaterThanOrEqual(6 * 5 * 3);
    const { rows: fresh } = await rows.query(
      `select 1 from content.comments where is_fresh union all select 1 from content.reactions where is_fresh`,
    );
    expect(fresh).toEqual([]);
    // A second run moves nothing.
    const places = async () =>
      (await rows.query('select ctid::text as place, slot_key from content.comments order by ctid')).rows;
    const lying = await places();
    await rewrite(beside);
    expect(await places()).toEqual(lying);
  });

  test('leaves no transaction that tells vents from comments among taken slots and idempotency records (R34)', async () => {
    const { vents } = await makeCommunity();
    const [writer] = await Promise.all(count(1).map(() => makeUser(app)));
    const headers = { 'idempotency-key': 'a-key-of-this-test-0001' };
    const body = { title: 'A', text: 'rain', emotion: 'Sad' } as const;
    await app.call(createVent, { as: writer as Person, body, headers });
    /** Rows of a table that were written in the transaction of a vent. */
    const labelled = async (table: string) => {
      const { rows: found } = await rows.query<{ count: number }>(
        `select count(*)::int from content.${table} where xmin::text in (select xmin::text from content.vents)`,
      );
      return found[0]?.count;
    };
    // Before the rewrite the attack finds every vent.
    expect(await labelled('taken_slots')).toBeGreaterThanOrEqual(vents.length + 1);
    expect(await labelled('idempotency')).toBe(1);
    await rewrite(app);
    expect([await labelled('taken_slots'), await labelled('idempotency')]).toEqual([0, 0]);
    // The record still answers a retry.
    const again = await app.call(createVent, { as: writer as Person, body, headers });
    expect(again.status, again.text).toBeLessThan(300);
    const { rows: made } = await rows.query('select 1 from content.vents where title = $1', [body.title]);
    expect(made).toHaveLength(1);
  });

  test('writes the counters of vents that were closed on one day in one transaction, whoever closed them (R34)', async () => {
    const people = await Promise.all(count(2).map(() => makeUser(app)));
    const vents: string[] = [];
    for (const _ of count(3))
      for (const person of people) vents.push(String((await makeVent(app, person)).number));
    const batches = async () => {
      const { rows: written } = await rows.query<{ batch: string }>(
        'select distinct xmin::text as batch from content.vent_stats where vent_id = any($1)',
        [vents],
      );
      return written.length;
    };
    for (const as of people) expect((await app.call(closeAllVents, { as })).status).toBe(200);
    expect(await batches()).toBe(2);
    await rewrite(app);
    expect(await batches()).toBe(1);
  });

  test('continues after a batch whose vents were all deleted while it waited for their locks', async () => {
    const [person, host] = [await makeUser(app), await makeUser(app)];
    for (const text of ['one', 'two', 'three'])
      await makeComment(app, person, (await makeVent(app, host)).id, {
        text: `under a vent of its own: ${text}`,
      });
    const { rows: fresh } = await rows.query<{ vent_id: string; slot_key: Buffer }>(
      'select vent_id, slot_key from content.comments where is_fresh order by slot_key',
    );
    const [first] = fresh;
    if (!first) throw new Error('nothing is fresh');
    const deleting = await rows.connect();
    await deleting.query('begin');
    await deleting.query('delete from content.vents where id = $1', [first.vent_id]);
    const rewriting = transaction(app.deps.databases.content, (tx) =>
      rewriteBatch(tx, freshTables.comments.table, [first.slot_key]),
    );
    await expectLockWaiters(rows, 1);
    await deleting.query('commit');
    deleting.release();
    await rewriting;
    const left = await rows.query('select from content.comments where slot_key = $1', [first.slot_key]);
    expect(left.rowCount).toBe(0);
  });

  /** Rewrites all rows, and commits only when all given calls wait for its locks. */
  async function whileRewriting<T>(table: 'comments' | 'reactions', calls: readonly (() => Promise<T>)[]) {
    const { answers } = await transaction(app.deps.databases.content, async (tx) => {
      const fresh = freshTables[table];
      const options = freshUntil(fresh, null);
      await rewriteBatch(tx, fresh.table, await listKeys(tx, fresh.table, null, options), options);
      const waiting = calls.map((call) => call());
      await expectLockWaiters(rows, calls.length);
      // In an object, because a returned promise would be awaited before the commit.
      return { answers: waiting };
    });
    return Promise.all(answers);
  }

  test('blocks a deletion, a toggle and a removal until they find the row in its new place', async () => {
    const [writer, host, leaver] = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const { id: ventId, number } = await makeVent(app, host);
    const [own, hosted] = [await makeComment(app, writer, ventId), await makeComment(app, writer, ventId)];
    await makeComment(app, leaver, ventId);
    await markConfirmed(app, leaver);
    expect((await app.call(deleteAccount, { as: leaver, query: { removeWords: '3days' } })).status).toBe(200);
    // After the removal period, and so long after the last run, the item is certain to be due.
    await runJob(beside, 'remove-due-content');
    app.clock.advance(5 * 86_400_000);
    const answers = await whileRewriting<{ status: number }>('comments', [
      () => beside.call(deleteComment, { as: writer, params: { ventId, commentId: own } }),
      () => beside.call(deleteComment, { as: host, params: { ventId, commentId: hosted } }),
      () => runJob(beside, 'remove-due-content').then(() => ({ status: 200 })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { rows: left } = await rows.query('select 1 from content.comments where vent_id = $1', [
      String(number),
    ]);
    expect(left).toEqual([]);

    for (const reactionType of ['heart', 'hug'] as const)
      await app.call(react, { as: writer, body: { ventId, reactionType, active: true } });
    // On two servers: on one, the second would wait in memory for the first.
    const toggled = await whileRewriting('reactions', [
      () => app.call(react, { as: writer, body: { ventId, reactionType: 'heart' } }),
      () => beside.call(react, { as: writer, body: { ventId, reactionType: 'hug', active: false } }),
    ]);
    for (const { status } of toggled) expect(status).toBe(200);
    const { body } = await app.call(react, {
      as: writer,
      body: { ventId, reactionType: 'listen', active: true },
    });
    expect(body.reactions).toEqual({ heart: 0, hug: 0, listen: 1 });
    expect(body.myReactions).toEqual(['listen']);
    await expectCountersEqualRows();
  });

  test('loses and duplicates nothing while comments, reactions and vents are created and deleted', async () => {
    const { people, vents, comments } = await makeCommunity();
    const doomed = vents.slice(4);
    const isDoomed = (ventId: string) => doomed.some(({ id }) => id === ventId);
    const problems: string[] = [];
    /** For a vent that is being deleted, 404 is a correct response. */
    const check = (what: string, ventId: string, { status, text }: { status: number; text: string }) => {
      const isFine = status < 300 || (status === 404 && isDoomed(ventId));
      if (!isFine) problems.push(`${what}: ${status} ${text}`);
      return status < 300;
    };
    const isUnknown = ({ status }: { status: number }) => status === 503;

    const gone: string[] = [];
    const deleteComments = count(comments.length / 2).map((n) => async () => {
      const { id, ventId, writer, text } = comments[n * 2] as (typeof comments)[number];
      const call = () => serverFor(n).call(deleteComment, { as: writer, params: { ventId, commentId: id } });
      const answer = await retryWhileBusy(call);
      if (answer.wasRepeated && answer.status === 404) gone.push(text);
      else if (check('delete', ventId, answer)) gone.push(text);
    });
    const said: { text: string; ventId: string }[] = [];
    const addComments = count(60).map((n) => async () => {
      const { id: ventId } = vents[n % vents.length] as (typeof vents)[number];
      const text = `meanwhile ${n}`;
      const as = people[n % 5] as Person;
      const call = () => sendComment(serverFor(n), as, ventId, text, n % 2 === 0);
      if (check('comment', ventId, await retryWhileBusy(call))) said.push({ text, ventId });
    });
    /** Three sequential toggles of one existing reaction end with the reaction withdrawn. */
    const toggled: { ventId: string; person: Person; kind: ReactionType }[] = [];
    const toggles = people.flatMap((person, p) =>
      vents.map(({ id: ventId }, v) => async () => {
        if (v === p) return;
        const kind = reactionTypes[(p + v) % 3] as ReactionType;
        for (const n of count(3)) {
          const call = () =>
            serverFor(p + v + n).call(react, { as: person, body: { ventId, reactionType: kind } });
          const answer = await call();
          if (isUnknown(answer) || !check('toggle', ventId, answer)) return;
        }
        toggled.push({ ventId, person, kind });
      }),
    );
    const deleteVents = doomed.map(({ id }, n) => async () => {
      const as = people[4 + n] as Person;
      check(
        'delete a vent',
        id,
        await retryWhileBusy(() => serverFor(n).call(deleteVent, { as, params: { id } })),
      );
      await runJob(serverFor(n), 'remove-deleted-vents');
    });

    // Eight calls at a time in mixed order, while both processes run the rewrite repeatedly.
    const work = [...deleteComments, ...addComments, ...toggles, ...deleteVents]
      .map((run, n) => ({ run, order: (n * 7919) % 1009 }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ run }) => run);
    const progress = { isDone: false, rewrites: 0 };
    const rewriting = [app, beside].map(async (on) => {
      while (!progress.isDone) {
        // The hourly rewrite does not need the clock to advance, which would expire the sessions.
        await runJob(on, 'rewrite-todays-content');
        progress.rewrites += 1;
      }
    });
    await Promise.all(
      count(8).map(async () => {
        for (let run = work.shift(); run; run = work.shift()) await run();
      }),
    );
    progress.isDone = true;
    await Promise.all(rewriting);

    expect(problems).toEqual([]);
    expect(progress.rewrites).toBeGreaterThan(0);
    expect(toggled.length).toBeGreaterThan(0);
    await expectNoDeadlocks();
    await expectCountersEqualRows();
    const there = await readTexts();
    for (const text of gone) expect(there.has(text), `${text} was deleted`).toBe(false);
    const deleted = new Set(gone);
    for (const { text, ventId } of [...comments, ...said])
      if (!isDoomed(ventId) && !deleted.has(text)) expect(there.has(text), `${text} was accepted`).toBe(true);
    for (const { ventId, person, kind } of toggled.filter((one) => !isDoomed(one.ventId))) {
      const [key] = (await keysOf(app, person)).reactorKeys(app.deps.publicIds.vent.decode(ventId) ?? 0n, [
        kind,
      ]);
      const { rows: held } = await rows.query('select 1 from content.reactions where reactor_key = $1', [
        key,
      ]);
      expect(held).toEqual([]);
    }
    const { rows: left } = await rows.query('select 1 from content.vents where id = any($1)', [
      doomed.map(({ number }) => String(number)),
    ]);
    expect(left).toEqual([]);
    await rewrite(app);
    await expectKeyOrder();
    for (const one of [app, beside])
      expect(one.log.lines.filter((line) => line.includes('"internal_error"'))).toEqual([]);
  });
});
