import {
  changeUsername,
  closeAllVents,
  commentOnVent,
  createVent,
  deleteAccount,
  deleteComment,
  getSelf,
  getVent,
  listComments,
  listVents,
  matchSuggestions,
  react,
  updateDetails,
} from '@unsaid/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import type { Person as PersonKeys } from '../src/platform/persons.ts';
import type { Voice } from '../src/platform/speakers.ts';
import { makeComment, makeUser, makeVent, runJob, type Person } from './make.ts';

let app: TestApp;
let rows: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ limitsScale: 10_000 });
  rows = new pg.Pool({ connectionString: app.config.databaseUrl, max: 2 });
});
afterAll(async () => {
  await rows.end();
  await app.close();
});

const hour = 3_600_000;

async function leave(person: Person): Promise<PersonKeys> {
  const viewer = await app.features.sessions.authenticate(person.token, { skipCache: true });
  if (!viewer) throw new Error('nobody');
  await app.features.sessions.markReauthenticated(viewer);
  expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
  return viewer.person;
}

/** With the master key, which we have: rows of content that open to this person. */
async function rowsOf({ speakerId }: PersonKeys): Promise<string[]> {
  const { rows: all } = await rows.query<{ voice: Voice; speaker: Buffer; of: string }>(
    `select 'vent' as voice, speaker, 'vent ' || id as of from content.vents
     union all select voice, speaker, 'comment ' || vent_id || '/' || no from content.comments`,
  );
  return all
    .filter(({ voice, speaker }) => app.deps.speakers.numberOf(voice, speaker, speakerId) !== null)
    .map(({ of }) => of);
}

const isThere = async (as: Person, id: string) =>
  (await app.call(getVent, { as, params: { id } })).status === 200;
const still = async (as: Person, ids: readonly string[]) => {
  const seen = await Promise.all(ids.map((id) => isThere(as, id)));
  return ids.filter((_, n) => seen[n]);
};
const count = async (query: string, values: unknown[] = []) =>
  (await rows.query<{ count: number }>(`select count(*)::int as count from ${query}`, values)).rows[0]
    ?.count ?? -1;

describe('when somebody leaves (R35, SC-18)', () => {
  test('the way in and the link to their words are gone at once, and the words go one by one over 72 hours', async () => {
    const [leaver, host, reader] = [await makeUser(app), await makeUser(app), await makeUser(app)];
    await app.call(changeUsername, { as: leaver, body: { newUsername: 'the_leaver' } });
    const vents: string[] = [];
    for (let n = 0; n < 24; n += 1) vents.push((await makeVent(app, leaver)).id);
    const hosts = await Promise.all(Array.from({ length: 4 }, () => makeVent(app, host)));
    for (const { id } of hosts) {
      await makeComment(app, leaver, id, { text: 'named' });
      await makeComment(app, leaver, id, { text: 'masked', anonymous: true });
      await makeComment(app, host, id, { text: 'host' });
      await app.call(react, { as: leaver, body: { ventId: id, reactionType: 'hug' } });
    }
    for (const id of vents.slice(0, 6)) await makeComment(app, leaver, id, { text: 'own' });
    await makeComment(app, reader, vents[0] ?? '', { text: 'a reader' });
    await app.call(closeAllVents, { as: leaver });
    const seedBefore = await count('identity.users where id = $1', [String(leaver.userId)]);
    const before = await Promise.all(
      vents.map(async (id) => (await app.call(getVent, { as: reader, params: { id } })).text),
    );

    const keys = await leave(leaver);
    expect([seedBefore, await count('identity.users where id = $1', [String(leaver.userId)])]).toEqual([
      1, 0,
    ]);
    expect((await app.call(getSelf, { as: leaver })).status).toBe(401);
    // Who polls sees nothing happen: all of it is there, unchanged, and closed as it was.
    const after = await Promise.all(
      vents.map(async (id) => (await app.call(getVent, { as: reader, params: { id } })).text),
    );
    expect(after).toEqual(before);
    const hostComments = async () =>
      (
        await Promise.all(
          hosts.map(({ id }) => app.call(listComments, { as: reader, params: { id }, query: {} })),
        )
      ).flatMap(({ body }) => body.comments);
    expect(await hostComments()).toHaveLength(12);
    expect((await hostComments()).filter(({ text }) => text === 'named').map(({ userId }) => userId)).toEqual(
      hosts.map(() => ({ username: null, profilePic: null })),
    );

    const gone: { at: number; vents: number; comments: number }[] = [];
    const order: string[] = [];
    let left = vents;
    let comments = 12;
    for (let at = 1; at <= 72; at += 1) {
      app.clock.advance(hour);
      await runJob(app, 'remove-due-content');
      const now = await still(reader, left);
      const commentsNow = (await hostComments()).length;
      order.push(...left.filter((id) => !now.includes(id)));
      gone.push({ at, vents: left.length - now.length, comments: comments - commentsNow });
      [left, comments] = [now, commentsNow];
      if (at % 8 === 0) {
        // What is left is as closed as it was, whoever asks.
        for (const id of left) {
          const answer = await app.call(commentOnVent, { as: reader, body: { ventId: id, text: 'x' } });
          expect([answer.status, answer.body.code]).toEqual([403, 'COMMENTS_DISABLED']);
        }
        for (const { id } of hosts) {
          const { vent } = (await app.call(getVent, { as: reader, params: { id } })).body;
          expect(vent.commentCount).toBe(vent.comments.length);
        }
      }
    }
    expect([left, comments]).toEqual([[], 4]);
    expect((await hostComments()).every(({ text }) => text === 'host')).toBe(true);
    // Never many together: 32 items over 72 hours, the busiest hour has a few.
    expect(Math.max(...gone.map((step) => step.vents + step.comments))).toBeLessThanOrEqual(6);
    expect(gone.filter((step) => step.vents > 0).length).toBeGreaterThan(10);
    const byHalfTime = gone
      .filter(({ at }) => at <= 36)
      .reduce((sum, step) => sum + step.vents + step.comments, 0);
    expect(byHalfTime).toBeGreaterThan(5);
    expect(byHalfTime).toBeLessThan(27);
    // Nor in the order in which they were written.
    const apart = order.reduce((sum, id, place) => sum + (place - vents.indexOf(id)) ** 2, 0);
    expect(Math.abs(1 - (6 * apart) / (24 * (24 ** 2 - 1)))).toBeLessThan(0.75);

    app.clock.advance(2 * hour);
    await runJob(app, 'remove-due-content');
    expect(await rowsOf(keys)).toEqual([]);
    expect(await count('content.removals')).toBe(0);
    expect(
      (await app.call(getVent, { as: reader, params: { id: hosts[0]?.id ?? '' } })).body.vent.reactions.hug,
    ).toBe(1);
  });

  test('what several people leave behind goes through one queue, mixed: neighbours in time are strangers', async () => {
    const leavers = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const owner = new Map<string, number>();
    for (const [n, person] of leavers.entries()) {
      for (let vents = 0; vents < 15; vents += 1) owner.set(String((await makeVent(app, person)).number), n);
    }
    for (const person of leavers) await leave(person);
    const { rows: queue } = await rows.query<{ key: Buffer; due: Date }>(
      'select item_key as key, due_at as due from content.removals order by due_at',
    );
    expect(queue).toHaveLength(45);
    const owners = queue.map(({ key }) => owner.get(String(app.deps.seals.removal.open(key)?.ventId)));
    const changes = owners.filter((one, place) => place > 0 && one !== owners[place - 1]).length;
    // Of 44 neighbours 30 belong to different people on average; in blocks it would be 2.
    expect(changes).toBeGreaterThan(18);
    const times = queue.map(({ due }) => due.getTime());
    expect(new Set(times).size).toBe(45);
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(app.clock.now());
      expect(time).toBeLessThan(app.clock.now() + 72 * hour);
    }
  });

  /** Every row with where it lies and which transactions touched it: all that a copy of the files tells. */
  type Lying = { place: string; born: string; touched: string; row: Record<string, unknown> };
  const lying = async (from: Pick<pg.Pool, 'query'>, table: string) =>
    (
      await from.query<Lying>(
        `select ctid::text as place, xmin::text as born, xmax::text as touched, to_jsonb(t) as row
           from ${table} t order by ctid`,
      )
    ).rows;
  const copyOf = async (from: Pick<pg.Pool, 'query'>) => ({
    comments: await lying(from, 'content.comments'),
    taken: await lying(from, 'content.taken_slots'),
  });
  type Copy = Awaited<ReturnType<typeof copyOf>>;

  /** The nth slot that was taken is the nth comment: comments whose slot is no longer known as taken. */
  function byTakenSlots(before: Copy, after: Copy): string[] {
    expect(before.comments).toHaveLength(before.taken.length);
    const kept = new Set(after.taken.map(({ row }) => row['taken_key']));
    return before.comments
      .filter((_, n) => !kept.has(before.taken[n]?.row['taken_key']))
      .map(({ row }) => String(row['body']));
  }

  test('two copies of the database tell which comments went, and not which of them went with their writer', async () => {
    const [leaver, host] = [await makeUser(app), await makeUser(app)];
    const others = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const hosts = [await makeVent(app, host), await makeVent(app, host), await makeVent(app, host)];
    await rows.query('truncate content.comments, content.taken_slots, content.removals');
    const said: { as: Person; text: string; ventId: string; commentId: string }[] = [];
    for (let n = 0; n < 32; n += 1) {
      const as = [leaver, ...others][n % 4] ?? leaver;
      const ventId = hosts[n % 3]?.id ?? '';
      const text = `${as === leaver ? 'leaver' : 'other'} ${n}`;
      said.push({
        as,
        text,
        ventId,
        commentId: await makeComment(app, as, ventId, { text, anonymous: true }),
      });
    }
    const before = await copyOf(rows);
    const keys = await leave(leaver);
    // The moment of leaving touches none of it. It adds three marks: that somebody left, and the next number of each kind.
    const left = await copyOf(rows);
    expect(left.comments).toEqual(before.comments);
    expect(left.taken.slice(0, before.taken.length)).toEqual(before.taken);
    expect(left.taken).toHaveLength(before.taken.length + 3);

    // Others go on deleting while it fades.
    const deleted = said.filter(({ as }, n) => as !== leaver && n % 3 === 0);
    for (const [n, { as, ventId, commentId }] of deleted.entries()) {
      app.clock.advance(hour);
      await runJob(app, 'remove-due-content');
      const by = n % 2 === 0 ? as : host;
      expect((await app.call(deleteComment, { as: by, params: { ventId, commentId } })).status).toBe(200);
    }
    app.clock.advance(73 * hour);
    await runJob(app, 'remove-due-content');
    const after = await copyOf(rows);

    const gone = new Set([...said.filter(({ as }) => as === leaver), ...deleted].map(({ text }) => text));
    expect(after.comments).toEqual(before.comments.filter(({ row }) => !gone.has(String(row['body']))));
    expect(await rowsOf(keys)).toEqual([]);
    // Taken slots stay as they lie, of whoever left as of whoever deleted: to them both are the same.
    expect(after.taken).toEqual(left.taken);
    expect(byTakenSlots(before, after)).toEqual([]);

    // And it would be seen if they went with their owner, at whatever moments.
    const client = await rows.connect();
    try {
      await client.query('begin');
      await client.query('delete from content.taken_slots where taken_key = any($1)', [
        keys.takenKeys('comment', [1, 2, 3, 4, 5, 6, 7, 8]),
      ]);
      const planted = byTakenSlots(before, await copyOf(client));
      expect(planted).toEqual(said.filter(({ as }) => as === leaver).map(({ text }) => text));
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test('erasing again after a failure half-way moves nothing and forgets nothing', async () => {
    const person = await makeUser(app);
    for (let n = 0; n < 5; n += 1) await makeVent(app, person);
    const viewer = await app.features.sessions.authenticate(person.token, { skipCache: true });
    if (!viewer) throw new Error('nobody');
    const vents = app.features.privacyParts.find(({ feature }) => feature === 'vents');
    await vents?.erase(viewer);
    const due = async () => (await rows.query('select * from content.removals order by item_key')).rows;
    const first = await due();
    app.clock.advance(hour);
    await vents?.erase(viewer);
    expect(await due()).toEqual(first);
    await leave(person);
    expect(await due()).toEqual(first);
  });

  test("others' words stay: under their own vents, and in the feed", async () => {
    const [leaver, other] = [await makeUser(app), await makeUser(app)];
    const mine = await makeVent(app, leaver);
    const theirs = await makeVent(app, other, { title: 'stays' });
    await makeComment(app, other, mine.id);
    await makeComment(app, other, theirs.id, { text: 'stays too', anonymous: true });
    await leave(leaver);
    app.clock.advance(74 * hour);
    await runJob(app, 'remove-due-content');
    const { vents } = (await app.call(listVents, { as: other, query: { mine: 'true' } })).body;
    expect(vents.map(({ title, comments }) => [title, comments.map(({ text }) => text)])).toEqual([
      ['stays', ['stays too']],
    ]);
    expect(await isThere(other, mine.id)).toBe(false);
  });

  test('what is written in the very instant of leaving is refused or goes with the rest', async () => {
    const host = await makeUser(app);
    const { id: hostVent } = await makeVent(app, host);
    const gone: { keys: PersonKeys; userId: bigint }[] = [];
    for (let round = 0; round < 12; round += 1) {
      const leaver = await makeUser(app);
      if (round % 2 === 0) await makeVent(app, leaver);
      const write = (delay: number) =>
        new Promise((resolve) => setTimeout(resolve, delay)).then(() =>
          Promise.all([
            app.call(createVent, {
              as: leaver,
              body: { title: 'last', text: `words ${round} ${delay}`, emotion: 'Sad' },
            }),
            app.call(commentOnVent, { as: leaver, body: { ventId: hostVent, text: 'bye' } }),
            app.call(commentOnVent, {
              as: leaver,
              body: { ventId: hostVent, text: 'masked', anonymous: true },
            }),
            app.call(updateDetails, { as: leaver, body: { allowComments: false } }),
            app.call(matchSuggestions, { as: leaver }),
            app.call(matchSuggestions, { as: host }),
          ]),
        );
      const [keys, ...answers] = await Promise.all([leave(leaver), write(0), write(3), write(8), write(15)]);
      for (const { status } of answers.flat()) expect([200, 201, 401, 503]).toContain(status);
      gone.push({ keys, userId: leaver.userId });
    }
    app.clock.advance(31 * 24 * hour);
    await runJob(app, 'remove-due-content');
    for (const { keys, userId } of gone) {
      expect(await rowsOf(keys)).toEqual([]);
      const key = app.deps.seals.pairKey(userId);
      expect(await count('matching.pairs where $1 in (a_key, b_key)', [key])).toBe(0);
    }
    expect(app.log.lines.filter((line) => line.includes('"fault"'))).toEqual([]);
  });
});
