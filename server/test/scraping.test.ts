import { getVent, listComments, listVents, searchVents } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { ownTestApp, startBehindProxy, type TestApp } from './app.ts';
import { makeUser, makeVent } from './factories.ts';

/** A hundred vents by ten people, the largest page. Reading the same vents again counts like reading others. */
async function makeVents(app: TestApp): Promise<string[]> {
  const ids: string[] = [];
  for (let people = 0; people < 10; people += 1) {
    const person = await makeUser(app);
    for (let n = 0; n < 10; n += 1)
      ids.push((await makeVent(app, person, { text: `rain ${people} ${n}` })).id);
  }
  return ids;
}

test('one account reads at most 2,000 vents in a row, whichever call it uses (R52)', async () => {
  const app = await ownTestApp({ limitsScale: 1 });
  const ids = await makeVents(app);
  const ways = {
    'the feed': (as: { token: string }) => app.call(listVents, { as, query: { limit: '100' } }),
    'the feed of one emotion': (as: { token: string }) =>
      app.call(listVents, { as, query: { limit: '100', emotion: 'Sad' } }),
    'a search': (as: { token: string }) =>
      app.call(searchVents, { as, query: { query: 'rain', limit: '100' } }),
    'a search that names no limit': (as: { token: string }) =>
      app.call(searchVents, { as, query: { query: 'rain' } }),
  };
  for (const [name, request] of Object.entries(ways)) {
    const me = await makeUser(app);
    let read = 0;
    let refused = null;
    for (let calls = 0; calls < 300 && !refused; calls += 1) {
      const answer = await request(me);
      if (answer.status === 200) read += answer.body.vents.length;
      else refused = answer;
      // Searches also have a limit per minute.
      if (name.startsWith('a search')) app.clock.advance(2000);
    }
    console.log(`${name}: ${read} vents, then ${refused?.status ?? 'no refusal'}`);
    expect(read).toBeGreaterThanOrEqual(2000);
    // With the refill of the bucket: one vent in 1.8 s.
    expect(read).toBeLessThanOrEqual(name.startsWith('a search') ? 2100 : 2000);
    expect(refused?.status).toBe(429);
    expect(refused?.body).toMatchObject({ success: false, code: 'RATE_LIMITED' });
    expect(refused?.headers['retry-after']).toMatch(/^[1-9][0-9]*$/u);
    // Single vents and comments are limited, too. The account's own vents stay readable.
    for (let n = 0; n < 100; n += 1) await app.call(getVent, { as: me, params: { id: ids[n] ?? '' } });
    expect((await app.call(getVent, { as: me, params: { id: ids[0] ?? '' } })).status).toBe(429);
    expect((await app.call(listComments, { as: me, params: { id: ids[0] ?? '' } })).status).toBe(429);
    expect((await app.call(listVents, { as: me, query: { mine: 'true', limit: '50' } })).status).toBe(200);
  }
});

test('a person who turns a page of the feed every five seconds for an hour is not limited (R52)', async () => {
  const app = await ownTestApp({ limitsScale: 1 });
  await makeVents(app);
  const me = await makeUser(app);
  for (let page = 0; page < 720; page += 1) {
    const query = { page: String((page % 10) + 1), limit: '5' };
    expect((await app.call(listVents, { as: me, query })).status).toBe(200);
    app.clock.advance(5000);
  }
});

test('a request with an invalid limit costs one vent', async () => {
  const app = await ownTestApp({ limitsScale: 1 });
  const me = await makeUser(app);
  for (const limit of ['0', '101', '1e2', ' 5', '']) {
    expect((await app.call(listVents, { as: me, query: { limit } })).status).toBe(422);
    expect(listVents.cost.ventsRead({ limit })).toBe(1);
  }
  expect(listVents.cost.ventsRead({ limit: ['5', '100'] })).toBe(1);
  expect(listVents.cost.ventsRead({ mine: ['true'], limit: '100' })).toBe(100);
});

test('each process allows half of the budget without Redis', async () => {
  const app = await ownTestApp({ limitsScale: 1 });
  const { second, redis } = await startBehindProxy(app);
  const me = await makeUser(second);
  await redis.refuse();
  const statuses: number[] = [];
  for (let calls = 0; calls < 11; calls += 1) {
    statuses.push((await second.call(listVents, { as: me, query: { limit: '100' } })).status);
  }
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
});
