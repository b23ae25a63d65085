import {
  closeAllVents,
  createVent,
  deleteAccount,
  dropHeldVent,
  exportData,
  getVent,
  limits,
  listHeldVents,
  listVents,
  releaseHeldVent,
  searchVents,
  typedFields,
  updateDetails,
  type RequestOf,
} from '@unsaid/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { usePool, useTestApp } from './app.ts';
import {
  makeComment,
  makeUser,
  makeVent,
  makeWeekOfVents,
  markConfirmed,
  releaseHeldVents,
  runJob,
  sanction,
  type Person,
} from './factories.ts';
import { seeded } from './statistics.ts';

const app = useTestApp({ limitsScale: 10_000 });
const rows = usePool(app, 2);
const minute = 60_000;

// What is held goes out within the hour.
beforeAll(() => makeWeekOfVents(app, rows, 50));

const hold = (as: Person, text = 'Not now', title = 'Later', idempotencyKey?: string) =>
  app.call(createVent, {
    as,
    body: { title, text, emotion: 'Sad', later: true },
    ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }),
  });
const held = async (as: Person) => (await app.call(listHeldVents, { as })).body.held;
const feed = async (as: Person) => (await app.call(listVents, { as, query: { limit: '50' } })).body.vents;
const titles = async (as: Person) => (await feed(as)).map(({ title }) => title);
const release = 'release-held-vents';
const metricOf = async (name: string) =>
  (await app.deps.metrics.registry.getSingleMetric(name)?.get())?.values.find(
    ({ labels }) => labels['queue'] === release,
  )?.value;
const work = (minutes: number) => releaseHeldVents(app, minutes);
/** No worker runs. */
function standStill(minutes: number): void {
  app.features.jobs.find(({ name }) => name === release)?.stop?.();
  app.clock.advance(minutes * minute);
}
/** The minutes that pass until the feed has a vent with this title. */
async function minutesUntil(reader: Person, title: string): Promise<number> {
  for (let passed = 1; passed <= 61; passed += 1) {
    await work(1);
    if ((await titles(reader)).includes(title)) return passed;
  }
  return Number.NaN;
}
const ventNamed = async (as: Person, title: string) => (await feed(as)).find((one) => one.title === title);
const countHeld = async () => (await rows.query('select from content.held_vents')).rowCount;

describe('a held vent', () => {
  test('is seen by nobody but its author until it goes out', async () => {
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    expect((await hold(author, 'secretword', 'Unseen')).status).toBe(201);
    const [own] = await held(author);
    expect(own).toMatchObject({ title: 'Unseen', text: 'secretword', emotion: 'Sad', hashtags: [] });
    expect(await held(reader)).toEqual([]);
    for (const as of [author, reader]) {
      expect(await titles(as)).not.toContain('Unseen');
      expect((await app.call(searchVents, { as, query: { query: 'secretword' } })).body.vents).toEqual([]);
      expect((await app.call(getVent, { as, params: { id: own?._id ?? '' } })).status).toBe(404);
    }
    expect((await app.call(listVents, { as: author, query: { mine: 'true' } })).body.vents).toEqual([]);
  });

  test('goes out 5 to 60 minutes later, with the time and the id of that minute', async () => {
    const [author, reader] = [await makeUser(app), await makeUser(app)];
    const waits: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const title = `Goes out ${n}`;
      await hold(author, `text ${n}`, title);
      waits.push(await minutesUntil(reader, title));
      const vent = (await feed(reader)).find((one) => one.title === title);
      expect(Date.parse(vent?.createdAt ?? '')).toBe(
        Math.floor((app.clock.ran.at(-1) ?? 0) / minute) * minute,
      );
      const next = await makeVent(app, reader);
      // Nothing was drawn when it was written: its id is the one before that of the next vent.
      expect(next.number - (app.deps.publicIds.vent.decode(vent?._id ?? '') ?? 0n)).toBe(1n);
      expect(vent?.isOwner).toBe(false);
      expect((await feed(author)).find((one) => one.title === title)?.isOwner).toBe(true);
      expect(await held(author)).toEqual([]);
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...waits)).toBeLessThanOrEqual(60);
    expect(new Set(waits).size).toBeGreaterThan(2);
  });

  test('usually goes out within the hours that everybody is told', async () => {
    const people = [await makeUser(app), await makeUser(app)];
    await hold(people[0] as Person, 'one', 'One');
    for (const as of people) expect((await app.call(listHeldVents, { as })).body.usuallyWithinHours).toBe(1);
  });

  test('goes out at once, or is deleted, by its author alone', async () => {
    const [author, other] = [await makeUser(app), await makeUser(app)];
    await hold(author, 'one', 'To release');
    await hold(author, 'two', 'To drop');
    await hold(other, 'three', 'Of another');
    const [drop, release] = await held(author);
    const [id, doomed] = [release?._id ?? '', drop?._id ?? ''];
    const stranger = await makeUser(app);
    for (const call of [releaseHeldVent, dropHeldVent])
      expect((await app.call(call, { as: stranger, params: { id } })).status).toBe(404);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => app.call(releaseHeldVent, { as: author, params: { id } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404, 404, 404]);
    expect((await titles(other)).filter((title) => title === 'To release')).toHaveLength(1);
    expect((await app.call(dropHeldVent, { as: author, params: { id: doomed } })).status).toBe(200);
    expect((await app.call(dropHeldVent, { as: author, params: { id: doomed } })).status).toBe(404);
    expect(await held(author)).toEqual([]);
    expect(await held(other)).toHaveLength(1);
    // The ids are numbers of one's own: another's id is one of mine, or none.
    expect((await held(other))[0]?.title).toBe('Of another');
  });

  test('is written once by a repeated request, and the same text not five times', async () => {
    const author = await makeUser(app);
    const key = crypto.randomUUID();
    for (let n = 0; n < 3; n += 1) expect((await hold(author, 'same', 'Once', key)).status).toBe(201);
    expect(await held(author)).toHaveLength(1);
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await hold(author, 'same', 'Once')).status);
    expect(statuses).toEqual([201, 201, 201, 409, 409]);
    expect(
      (await app.call(createVent, { as: author, body: { title: 'Once', text: 'same', emotion: 'Sad' } }))
        .status,
    ).toBe(409);
  });

  test('goes with the account, and is in the export', async () => {
    const author = await makeUser(app);
    await hold(author, 'mine alone', 'Mine');
    await markConfirmed(app, author);
    const exported = JSON.stringify((await app.call(exportData, { as: author })).body);
    expect(exported).toContain('mine alone');
    await app.call(deleteAccount, { as: author, query: { removeWords: 'never' } });
    const reader = await makeUser(app);
    expect(await minutesUntil(reader, 'Mine')).toBeNaN();
  });

  test('is opaque in a copy, of one size, and shares no value with the vent that it becomes', async () => {
    const author = await makeUser(app);
    await rows.query('delete from content.held_vents');
    await hold(author, 'short', 'A');
    await hold(author, 'a longer text of several words', 'A longer title');
    const { rows: stored } = await rows.query<{ slot_key: Buffer; sealed: Buffer }>(
      'select slot_key, sealed from content.held_vents',
    );
    expect(new Set(stored.map(({ sealed }) => sealed.length)).size).toBe(1);
    for (const { sealed } of stored) expect(sealed.includes('short')).toBe(false);
    await work(61);
    const { rows: found } = await rows.query(
      `select 1 from content.vents where slot_key = any($1)
       union all select 1 from content.taken_slots where taken_key = any($1)`,
      [stored.map((row) => row.slot_key)],
    );
    expect(found).toEqual([]);
  });
});

describe('a vent that is held', () => {
  type Body = RequestOf<typeof createVent>['body'];
  const said: Body = { title: 'A title', text: 'Some words', emotion: 'Sad' };
  /** Each of its own, or the later ones would be refused as repeated. */
  let asked = 0;
  async function answers(as: Person, body: Body): Promise<(number | string | undefined)[][]> {
    asked += 1;
    const own = body.title ? { ...body, title: `${body.title} ${asked}` } : body;
    const [created, kept] = [
      await app.call(createVent, { as, body: own }),
      await app.call(createVent, { as, body: { ...own, later: true } }),
    ];
    return [created, kept].map(({ status, body: { code } }) => [status, code]);
  }

  test('is refused where one that goes out at once is', async () => {
    const author = await makeUser(app);
    const longest = 'x'.repeat(limits.ventText + 1);
    const bodies: unknown[] = [
      ...Object.keys(said).map((field) => ({ ...said, [field]: undefined })),
      { ...said, title: '' },
      { ...said, text: ' ' },
      { ...said, text: longest },
      { ...said, title: longest },
      { ...said, hashtags: [longest] },
      { ...said, emotion: 'Furious' },
      { ...said, need: 'money' },
      { ...said, keepDays: 8 },
      { ...said, text: 'call me: 98765 43210' },
      { ...said, text: String.fromCodePoint(0xd800) },
      { ...said, text: 'a\u0000b' },
      {},
    ];
    for (const body of bodies) {
      const [created, kept] = await answers(author, body as Body);
      expect(kept, JSON.stringify(body).slice(0, 80)).toEqual(created);
    }
  });

  test('is taken whatever the length of its words, in each script, and goes out', async () => {
    await rows.query('delete from content.held_vents');
    const author = await makeUser(app);
    const scripts = { Latin: 'a', Cyrillic: 'ж', Devanagari: 'क', emoji: '\u{1F600}', marked: 'a\u0301' };
    for (const [script, letter] of Object.entries(scripts)) {
      for (let bytes = 2000; bytes <= 2100; bytes += 1) {
        const size = Buffer.byteLength(letter);
        const word = letter.repeat(Math.floor(bytes / size)) + 'a'.repeat(bytes % size);
        for (const field of typedFields) {
          // Most lengths are tried where they fit.
          if (field !== 'text' && bytes % 25 !== 0) continue;
          const [created, kept] = await answers(author, {
            ...said,
            [field]: field === 'hashtags' ? [word] : word,
          });
          expect(created?.[0], `${script}, ${bytes} bytes, ${field}`).toBeLessThan(500);
          expect(kept, `${script}, ${bytes} bytes, ${field}`).toEqual(created);
        }
      }
    }
    expect(await countHeld()).toBeGreaterThan(300);
    await work(62);
    expect(await countHeld()).toBe(0);
    expect((await rows.query('select from content.failed_rows')).rowCount).toBe(0);
  });
});

describe('the moment of a held vent', () => {
  /** The largest distance of two distributions of seconds within a minute (Kolmogorov-Smirnov). */
  function distance(one: readonly number[], other: readonly number[]): number {
    const share = (all: readonly number[], below: number) =>
      all.filter((second) => second <= below).length / all.length;
    return Math.max(
      ...[...one, ...other].map((second) => Math.abs(share(one, second) - share(other, second))),
    );
  }

  test('is its own: its second is drawn like that of any other, and no two go out together', async () => {
    await rows.query('delete from content.held_vents');
    const random = seeded(11);
    app.setRandom(random.next);
    const author = await makeUser(app);
    for (let n = 0; n < 200; n += 1) expect((await hold(author, `word ${n}`, `Drawn ${n}`)).status).toBe(201);
    const first = app.clock.ran.length;
    await work(20);
    // A worker that was away, one that was replaced at once, and one that comes back late.
    for (const minutes of [3, 0, 0.2]) {
      const before = app.clock.ran.length;
      standStill(minutes);
      await runJob(app, release);
      expect(app.clock.ran.length - before, 'none goes out because a worker starts').toBe(0);
      await work(5);
    }
    await work(62);
    expect(await countHeld()).toBe(0);
    expect((await rows.query("select from content.vents where title like 'Drawn %'")).rowCount).toBe(200);
    const moments = app.clock.ran.slice(first);
    expect(moments).toHaveLength(200);
    expect(new Set(moments).size).toBeGreaterThan(195);
    const immediate = Array.from({ length: 200 }, () => random.next() * minute);
    const apart = distance(
      moments.map((moment) => moment % minute),
      immediate,
    );
    console.log(`seconds of 200 held vents and of 200 others: Kolmogorov-Smirnov D ${apart.toFixed(3)}`);
    expect(apart).toBeLessThanOrEqual(0.17);
  });
});

describe('a held vent that cannot go out', () => {
  test('does not stop those of others, and its author sees it after a day', async () => {
    const [author, other] = [await makeUser(app), await makeUser(app)];
    await hold(author, 'poisoned', 'Poisoned');
    for (let n = 0; n < 20; n += 1) await hold(other, `word ${n}`, `Behind ${n}`);
    // The database refuses to write it.
    await rows.query(`
      create function content.refuse() returns trigger language plpgsql as $$
      begin raise exception 'refused' using errcode = '54000', detail = new.body; end $$;
      create trigger refuse before insert on content.vents for each row when (new.body = 'poisoned')
        execute function content.refuse()`);
    await work(62);
    const reader = await makeUser(app);
    const { rowCount } = await rows.query("select from content.vents where title like 'Behind %'");
    console.log(`beside a poisoned row ${rowCount} of 20 held vents went out`);
    expect(rowCount).toBe(20);
    expect(await held(author)).toMatchObject([{ title: 'Poisoned', isStuck: false }]);
    expect(await metricOf('unsaid_job_rows_failed_total')).toBeGreaterThan(1);
    expect(app.log.lines.join()).not.toContain('poisoned');
    // What a day of waits adds up to, without waiting for it.
    await rows.query('update content.failed_rows set tries = 100');
    await work(1);
    expect(await held(author)).toMatchObject([{ title: 'Poisoned', isStuck: true }]);
    expect(await metricOf('unsaid_job_rows_put_aside')).toBe(1);
    // Mended by an operator, who forgets the tries.
    await rows.query('drop trigger refuse on content.vents; delete from content.failed_rows');
    await work(62);
    expect(await titles(reader)).toContain('Poisoned');
    expect((await rows.query('select from content.failed_rows')).rowCount).toBe(0);
  });

  test('is kept where it does not open', async () => {
    await rows.query('delete from content.held_vents');
    const author = await makeUser(app);
    await hold(author, 'changed', 'Changed');
    await rows.query(String.raw`update content.held_vents set sealed = sealed || '\x00'`);
    await work(62);
    expect(await countHeld()).toBe(1);
    expect(await held(author)).toEqual([]);
    await rows.query('delete from content.held_vents');
  });
});

describe('a held vent whose author', () => {
  test('closes all, or switches comments off, goes out closed', async () => {
    const [author, stranger] = [await makeUser(app), await makeUser(app)];
    await hold(author, 'one', 'Closed by all');
    await app.call(closeAllVents, { as: author });
    await hold(author, 'two', 'Closed by switch');
    await hold(author, 'three', 'Closed by switch too');
    await app.call(updateDetails, { as: author, body: { allowComments: false } });
    await app.call(updateDetails, { as: author, body: { allowComments: true } });
    await hold(author, 'four', 'Open');
    await work(62);
    for (const title of ['Closed by all', 'Closed by switch', 'Closed by switch too']) {
      const vent = await ventNamed(stranger, title);
      await expect(makeComment(app, stranger, vent?._id ?? ''), title).rejects.toThrow('COMMENTS_DISABLED');
    }
    await makeComment(app, stranger, (await ventNamed(stranger, 'Open'))?._id ?? '');
  });

  test('may not speak waits, can be taken back, and afterwards gets a moment of its own', async () => {
    await rows.query('delete from content.held_vents');
    const [author, banned, reader] = [await makeUser(app), await makeUser(app), await makeUser(app)];
    for (const title of ['Waits 0', 'Waits 1', 'Waits 2']) await hold(author, title, title);
    await hold(banned, 'never', 'Of a banned person');
    await sanction(app, author, 'limit');
    await sanction(app, banned, 'ban');
    const stored = async () =>
      (await rows.query('select slot_key, goes_out_at, sealed from content.held_vents order by slot_key'))
        .rows;
    const before = await stored();
    const lines = app.log.lines.length;
    await work(70);
    expect(await stored()).toEqual(before);
    expect((await rows.query('select from content.failed_rows')).rowCount).toBe(0);
    expect(app.log.lines.slice(lines).filter((line) => /held|row/u.test(line))).toEqual([]);
    expect((await titles(reader)).filter((title) => /Waits|banned/u.test(title))).toEqual([]);
    // SC-37: silent in every voice, and not robbed of their words.
    const [own] = await held(banned);
    const id = own?._id ?? '';
    expect((await app.call(releaseHeldVent, { as: banned, params: { id } })).status).toBe(403);
    expect((await app.call(dropHeldVent, { as: banned, params: { id } })).status).toBe(200);
    await rows.query('delete from moderation.notices');
    const cached = await app.redis.keys(`${app.config.redisPrefix}*`);
    if (cached.length > 0) await app.redis.del(cached);
    await runJob(app, release);
    expect(await titles(reader)).not.toContain('Waits 0');
    const moments = (await stored()).map((row) => Number((row as { goes_out_at: Date }).goes_out_at));
    expect(new Set(moments).size).toBe(3);
    for (const moment of moments) expect(moment - app.clock.now()).toBeGreaterThanOrEqual(5 * minute);
    await work(62);
    expect(await titles(reader)).toEqual(expect.arrayContaining(['Waits 0', 'Waits 1', 'Waits 2']));
  });
});
