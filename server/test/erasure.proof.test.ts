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
  type LeavingSpan,
} from '@unsaid/contract';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { usePool, useTestApp } from './app.ts';
import { scheduleItems, type DueItem } from '../src/content/leaving/schedule.ts';
import type { TicketRow } from '../src/content/leaving/leaving.queries.ts';
import { createTicketCipher } from '../src/content/leaving/ticket.ts';
import type { Person as PersonKeys } from '../src/kernel/person-keys.ts';
import { finishLeaving, keysOf, makeComment, makeUser, makeVent, runJob, type Person } from './factories.ts';
import { fullTier } from './runs.ts';
import { listSpoken } from './speakers.ts';

const app = useTestApp({ limitsScale: 10_000 });
const rows = usePool(app);

const hour = 3_600_000;

async function deleteAccountOf(person: Person, removeWords?: LeavingSpan): Promise<PersonKeys> {
  const viewer = await app.features.sessions.authenticate(person.token, { skipCache: true });
  if (!viewer) throw new Error('no session');
  await app.features.sessions.markReauthenticated(viewer);
  const query = removeWords ? { removeWords } : {};
  expect((await app.call(deleteAccount, { as: person, query })).status).toBe(200);
  return viewer.person;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

/** The scheduled deletions, decrypted with the master key. */
async function readSchedule(): Promise<DueItem[]> {
  const box = createTicketCipher(app.deps.keys);
  const { rows: tickets } = await rows.query<TicketRow>(
    'select ticket_key as "ticketKey", ticket from content.leavings',
  );
  return tickets.flatMap(({ ticketKey, ticket }) => {
    const opened = box.open(ticket, ticketKey);
    if (!opened) throw new Error('a ticket does not open');
    return scheduleItems(opened);
  });
}

/** Rows of content that belong to this person, decrypted with the master key. */
async function rowsOf({ speakerId }: PersonKeys): Promise<string[]> {
  const own = app.deps.speakers.ownAmong(await listSpoken(rows), speakerId);
  return Array.from(own, ({ voice, ventId, no }) =>
    voice === 'vent' ? `vent ${ventId}` : `comment ${ventId}/${no}`,
  );
}

const ventExists = async (as: Person, id: string) =>
  (await app.call(getVent, { as, params: { id } })).status === 200;
const filterExisting = async (as: Person, ids: readonly string[]) => {
  const seen = await Promise.all(ids.map((id) => ventExists(as, id)));
  return ids.filter((_, n) => seen[n]);
};
const count = async (query: string, values: unknown[] = []) =>
  (await rows.query<{ count: number }>(`select count(*)::int as count from ${query}`, values)).rows[0]
    ?.count ?? -1;

describe('when a person leaves:', () => {
  test(
    'sign-in and the link to their items end at once, and the items are deleted one by one over the chosen days (R35, SC-18)',
    fullTier(
      'The days over which items go are checked by leaving.test.ts, and that none is left by privacy.test.ts.',
    ),
    async () => {
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
      const readSite = () =>
        Promise.all(
          [...vents, ...hosts.map(({ id }) => id)].map(
            async (id) => (await app.call(getVent, { as: reader, params: { id } })).text,
          ),
        );
      const before = await readSite();

      const keys = await deleteAccountOf(leaver, '3days');
      expect([seedBefore, await count('identity.users where id = $1', [String(leaver.userId)])]).toEqual([
        1, 0,
      ]);
      expect((await app.call(getSelf, { as: leaver })).status).toBe(401);
      // A reader who polls sees no change: all items exist, with names and pictures, and comments are closed as before.
      expect(await readSite()).toEqual(before);
      const hostComments = async () =>
        (
          await Promise.all(
            hosts.map(({ id }) => app.call(listComments, { as: reader, params: { id }, query: {} })),
          )
        ).flatMap(({ body }) => body.comments);
      const named = (await hostComments()).filter(({ text }) => text === 'named');
      expect(named.map(({ userId }) => userId.username)).toEqual(hosts.map(() => 'the_leaver'));
      const picture = await app.server.inject({ url: named[0]?.userId.profilePic ?? '' });
      expect(picture.statusCode).toBe(200);
      // No one can take a name that is still shown.
      const taken = await app.call(changeUsername, { as: reader, body: { newUsername: 'The_Leaver' } });
      expect(taken.body.code).toBe('USERNAME_TAKEN');

      const gone: { at: number; vents: number; comments: number }[] = [];
      const order: string[] = [];
      let left = vents;
      let comments = 12;
      let ventsThere = await count('content.vents');
      let commentsThere = await count('content.comments');
      // From the time of leaving to the end of the period, which begins on the next day.
      for (let at = 1; at <= 4 * 24; at += 1) {
        for (let rounds = 0; rounds < 24; rounds += 1) {
          app.clock.advance(hour / 24);
          await runJob(app, 'remove-due-content');
          const [ventsNow, commentsNow] = [await count('content.vents'), await count('content.comments')];
          // Deleting a vent deletes its comments too; these vents have at most two.
          expect(ventsThere - ventsNow).toBeLessThanOrEqual(1);
          expect(commentsThere - commentsNow).toBeLessThanOrEqual(ventsThere === ventsNow ? 1 : 2);
          [ventsThere, commentsThere] = [ventsNow, commentsNow];
        }
        const now = await filterExisting(reader, left);
        const shown = await hostComments();
        // A name disappears with its comment, and not before.
        for (const { text, userId } of shown)
          if (text === 'named') expect(userId.username).toBe('the_leaver');
        order.push(...left.filter((id) => !now.includes(id)));
        gone.push({ at, vents: left.length - now.length, comments: comments - shown.length });
        [left, comments] = [now, shown.length];
        if (at % 8 === 0) {
          // Comments on the remaining vents are still closed, for every reader.
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
      expect(Math.max(...gone.map((step) => step.vents + step.comments))).toBeLessThanOrEqual(8);
      expect(gone.filter((step) => step.vents > 0).length).toBeGreaterThan(10);
      // Not in the order of writing.
      const apart = order.reduce((sum, id, place) => sum + (place - vents.indexOf(id)) ** 2, 0);
      expect(Math.abs(1 - (6 * apart) / (24 * (24 ** 2 - 1)))).toBeLessThan(0.82);

      expect(await rowsOf(keys)).toEqual([]);
      expect(await count('content.leavings')).toBe(0);
      expect(
        (await app.call(getVent, { as: reader, params: { id: hosts[0]?.id ?? '' } })).body.vent.reactions.hug,
      ).toBe(1);
      app.clock.advance(2 * 24 * hour);
      await runJob(app, 'release-held-usernames');
      expect(await count('identity.departed')).toBe(0);
    },
  );

  test('items of several people are deleted in mixed order: neighbours in time are of different people (SC-18)', async () => {
    const leavers = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const owner = new Map<string, number>();
    for (const [n, person] of leavers.entries()) {
      for (let vents = 0; vents < 15; vents += 1) await makeVent(app, person);
      for (const key of (await keysOf(app, person)).slotKeys('vent', numbers(15)))
        owner.set(key.toString('hex'), n);
    }
    for (const person of leavers) await deleteAccountOf(person);
    const due = (await readSchedule()).filter(({ slotKey }) => owner.has(slotKey.toString('hex')));
    expect(due).toHaveLength(45);
    const times = due.map(({ dueAt }) => dueAt);
    const owners = due
      .toSorted((a, b) => a.dueAt - b.dueAt)
      .map(({ slotKey }) => owner.get(slotKey.toString('hex')));
    const changes = owners.filter((one, place) => place > 0 && one !== owners[place - 1]).length;
    // Of 44 neighbours, 30 belong to different people on average; in blocks it would be 2.
    expect(changes).toBeGreaterThan(12);
    expect(new Set(times).size).toBe(45);
    const begins = app.clock.now() - (app.clock.now() % (24 * hour)) + 24 * hour;
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(begins);
      expect(time).toBeLessThan(begins + 30 * 24 * hour);
    }
    await finishLeaving(app);
  });

  /** Every row with its physical position and transaction ids: everything that a copy of the files reveals. */
  type PhysicalRow = { place: string; born: string; touched: string; row: Record<string, unknown> };
  const readPhysicalRows = async (from: Pick<pg.Pool, 'query'>, table: string) =>
    (
      await from.query<PhysicalRow>(
        `select ctid::text as place, xmin::text as born, xmax::text as touched, to_jsonb(t) as row
           from ${table} t order by ctid`,
      )
    ).rows;
  const copyOf = async (from: Pick<pg.Pool, 'query'>) => ({
    comments: await readPhysicalRows(from, 'content.comments'),
    taken: await readPhysicalRows(from, 'content.taken_slots'),
  });
  type Copy = Awaited<ReturnType<typeof copyOf>>;

  /**
   * Assumes that the nth taken slot belongs to the nth comment: the comments whose slot is no longer stored as taken.
   */
  function byTakenSlots(before: Copy, after: Copy): string[] {
    expect(before.comments).toHaveLength(before.taken.length);
    const kept = new Set(after.taken.map(({ row }) => row['taken_key']));
    return before.comments
      .filter((_, n) => !kept.has(before.taken[n]?.row['taken_key']))
      .map(({ row }) => String(row['body']));
  }

  test('two copies of the database reveal which comments were deleted, and not which of them because their writer left (SC-18)', async () => {
    const [leaver, host] = [await makeUser(app), await makeUser(app)];
    const others = [await makeUser(app), await makeUser(app), await makeUser(app)];
    const hosts = [await makeVent(app, host), await makeVent(app, host), await makeVent(app, host)];
    await rows.query('truncate content.comments, content.taken_slots, content.leavings');
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
    const keys = await deleteAccountOf(leaver);
    // Leaving itself changes no comment. It adds three marks: that the person left, and the next number of each kind.
    const left = await copyOf(rows);
    expect(left.comments).toEqual(before.comments);
    expect(left.taken.slice(0, before.taken.length)).toEqual(before.taken);
    expect(left.taken).toHaveLength(before.taken.length + 3);

    // Others delete comments during the removal period.
    const deleted = said.filter(({ as }, n) => as !== leaver && n % 3 === 0);
    for (const [n, { as, ventId, commentId }] of deleted.entries()) {
      app.clock.advance(hour);
      await runJob(app, 'remove-due-content');
      const by = n % 2 === 0 ? as : host;
      expect((await app.call(deleteComment, { as: by, params: { ventId, commentId } })).status).toBe(200);
    }
    await finishLeaving(app);
    const after = await copyOf(rows);

    const gone = new Set([...said.filter(({ as }) => as === leaver), ...deleted].map(({ text }) => text));
    expect(after.comments).toEqual(before.comments.filter(({ row }) => !gone.has(String(row['body']))));
    expect(await rowsOf(keys)).toEqual([]);
    // Taken slots stay in place, both of people who left and of people who deleted, so they look the same.
    expect(after.taken).toEqual(left.taken);
    expect(byTakenSlots(before, after)).toEqual([]);

    // Control: the attack finds slots that are deleted with their owner, whenever that happens.
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

  test('erasing again after a partial failure moves nothing and loses nothing', async () => {
    const person = await makeUser(app);
    for (let n = 0; n < 5; n += 1) await makeVent(app, person);
    const subject = await app.features.sessions.authenticate(person.token, { skipCache: true });
    if (!subject) throw new Error('no session');
    const erase = async (span: LeavingSpan) => {
      for (const part of app.features.privacyParts)
        if (part.feature === 'slots' || part.feature === 'leaving')
          await part.erase(subject, { removeWords: span, isNameShown: async () => false });
    };
    const listTickets = async () =>
      (await rows.query('select * from content.leavings order by ticket_key')).rows;
    const taken = () => count('content.taken_slots');
    await erase('30days');
    const first = [await listTickets(), await taken()];
    expect(first[0]).toHaveLength(1);
    app.clock.advance(25 * hour);
    await erase('30days');
    expect([await listTickets(), await taken()]).toEqual(first);
    // The second choice counts: no item stays that its owner wants deleted, and none is deleted that its owner wants to
    // keep.
    await erase('never');
    expect(await listTickets()).toEqual([]);
    await erase('3days');
    const [ticket] = await listTickets();
    expect(ticket).not.toEqual((first[0] as unknown[])[0]);
    await deleteAccountOf(person, '3days');
    expect([await listTickets(), await taken()]).toEqual([[ticket], first[1]]);
    await finishLeaving(app);
  });

  test('items of others stay, under their own vents and in the feed', async () => {
    const [leaver, other] = [await makeUser(app), await makeUser(app)];
    const mine = await makeVent(app, leaver);
    const theirs = await makeVent(app, other, { title: 'stays' });
    await makeComment(app, other, mine.id);
    await makeComment(app, other, theirs.id, { text: 'stays too', anonymous: true });
    await deleteAccountOf(leaver, '3days');
    await finishLeaving(app, 3);
    const { vents } = (await app.call(listVents, { as: other, query: { mine: 'true' } })).body;
    expect(vents.map(({ title, comments }) => [title, comments.map(({ text }) => text)])).toEqual([
      ['stays', ['stays too']],
    ]);
    expect(await ventExists(other, mine.id)).toBe(false);
  });

  test('a write at the moment of leaving is rejected or deleted with the rest (R35)', async () => {
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
      const [keys, ...answers] = await Promise.all([
        deleteAccountOf(leaver),
        write(0),
        write(3),
        write(8),
        write(15),
      ]);
      for (const { status } of answers.flat()) expect([200, 201, 401, 503]).toContain(status);
      gone.push({ keys, userId: leaver.userId });
    }
    await finishLeaving(app);
    for (const { keys, userId } of gone) {
      expect(await rowsOf(keys)).toEqual([]);
      const key = app.pairKeys.encode(userId);
      expect(await count('matching.pairs where $1 in (a_key, b_key)', [key])).toBe(0);
    }
    expect(app.log.lines.filter((line) => line.includes('"internal_error"'))).toEqual([]);
  });
});
