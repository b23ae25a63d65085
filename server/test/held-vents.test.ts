import {
  deleteAccount,
  dropHeldVent,
  exportData,
  getVent,
  holdVent,
  listHeldVents,
  listVents,
  releaseHeldVent,
  searchVents,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { usePool, useTestApp } from './app.ts';
import { makeUser, makeVent, markConfirmed, runJob, type Person } from './factories.ts';

const app = useTestApp({ limitsScale: 10_000 });
const rows = usePool(app, 2);
const minute = 60_000;

const hold = (as: Person, text = 'Not now', title = 'Later', idempotencyKey?: string) =>
  app.call(holdVent, {
    as,
    body: { title, text, emotion: 'Sad' },
    ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }),
  });
const held = async (as: Person) => (await app.call(listHeldVents, { as })).body.held;
const feed = async (as: Person) => (await app.call(listVents, { as, query: { limit: '50' } })).body.vents;
const titles = async (as: Person) => (await feed(as)).map(({ title }) => title);
/** The minutes that pass until the feed has a vent with this title. */
async function minutesUntil(reader: Person, title: string): Promise<number> {
  for (let passed = 1; passed <= 61; passed += 1) {
    app.clock.advance(minute);
    await runJob(app, 'release-held-vents');
    if ((await titles(reader)).includes(title)) return passed;
  }
  return Number.NaN;
}

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
    for (let n = 0; n < 12; n += 1) {
      const title = `Goes out ${n}`;
      await hold(author, `text ${n}`, title);
      waits.push(await minutesUntil(reader, title));
      const vent = (await feed(reader)).find((one) => one.title === title);
      expect(Date.parse(vent?.createdAt ?? '')).toBe(Math.floor(app.clock.now() / minute) * minute);
      const next = await makeVent(app, reader);
      // Nothing was drawn when it was written: its id is the one before that of the next vent.
      expect(next.number - (app.deps.publicIds.vent.decode(vent?._id ?? '') ?? 0n)).toBe(1n);
      expect(vent?.isOwner).toBe(false);
      expect((await feed(author)).find((one) => one.title === title)?.isOwner).toBe(true);
      expect(await held(author)).toEqual([]);
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...waits)).toBeLessThanOrEqual(60);
    expect(new Set(waits).size).toBeGreaterThan(4);
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
    app.clock.advance(61 * minute);
    await runJob(app, 'release-held-vents');
    const { rows: found } = await rows.query(
      `select 1 from content.vents where slot_key = any($1)
       union all select 1 from content.taken_slots where taken_key = any($1)`,
      [stored.map((row) => row.slot_key)],
    );
    expect(found).toEqual([]);
  });
});
