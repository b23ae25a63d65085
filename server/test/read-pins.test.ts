import {
  createVent,
  getSelf,
  getVent,
  listComments,
  listVents,
  logout,
  requestOtp,
  searchVents,
} from '@unsaid/contract';
import { expect, onTestFinished, test } from 'vitest';
import { newActor, startBeside, useTestApp, type Answer } from './app.ts';
import { makePhone, makeVent, signIn } from './factories.ts';

/** The pin that a browser keeps where CONTENT_READ_URL is set. What a standby then serves: standby.test.ts. */

const app = useTestApp();

/** With a read URL that leads to the primary: reads fall back, and pins are as with a standby. */
async function startPinned() {
  const pinned = await startBeside(app, { contentReadUrl: app.config.databaseUrl });
  onTestFinished(pinned.close);
  return pinned;
}

const pinOf = ({ headers }: Pick<Answer<object>, 'headers'>) =>
  [headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith('pin=')) ?? null;
/** What an observer of the connection sees of the headers. */
const shapeOf = ({ headers }: Pick<Answer<object>, 'headers'>) =>
  Object.entries(headers)
    .filter(([name]) => !['date', 'content-length'].includes(name))
    .map(([name, value]) => `${name} ${[value ?? ''].flat().join('').length}`);

test('without the setting no response has a pin', async () => {
  const person = await signIn(app);
  await makeVent(app, person);
  await app.call(listVents, { as: person });
  expect([...(person.cookies?.keys() ?? [])]).not.toContain('pin');
});

test('every call that may write sets a pin, a read only where the caller has none, and all have one length', async () => {
  const server = await startPinned();
  const person = await signIn(server);
  const { id } = await makeVent(server, person);
  const body = { title: 'Said', text: 'Words', emotion: 'Sad' } as const;
  const writes: Answer<object>[] = [
    await server.call(createVent, { as: person, body }),
    // Refused, unauthenticated and public ones look the same.
    await server.call(createVent, { as: person, body: { ...body, title: '' } }),
    await server.call(createVent, { as: newActor(), body }),
    await server.call(requestOtp, { body: { phone: makePhone() } }),
  ];
  expect(writes.map(({ status }) => status)).toEqual([201, 422, 401, 200]);
  const reads: (() => Promise<Answer<object>>)[] = [
    () => server.call(listVents, { as: person }),
    () => server.call(getVent, { as: person, params: { id } }),
    () => server.call(searchVents, { as: person, query: { query: 'words' } }),
    () => server.call(listComments, { as: person, params: { id }, query: {} }),
    () => server.call(getSelf, { as: person }),
  ];
  for (const read of reads) {
    const [held, free] = [await read(), (server.clock.advance(60_000), await read())];
    expect([held, free].map(pinOf)).toEqual([null, null]);
    // Pinned or not, the response looks the same.
    expect(shapeOf(free)).toEqual(shapeOf(held));
    person.cookies?.delete('pin');
    writes.push(await read());
    for (const broken of ['', 'A', 'A'.repeat(43), 'A'.repeat(44)]) {
      person.cookies?.set('pin', broken);
      writes.push(await read());
    }
  }
  const pins = writes.map(pinOf);
  expect(new Set(pins).size).toBe(writes.length);
  for (const pin of pins)
    expect(pin).toMatch(/^pin=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict$/u);
  const unknown = await server.call(listVents, { as: { token: 'uns_unknown' } });
  expect([unknown.status, pinOf(unknown)]).toEqual([401, null]);
  expect(pinOf(await server.call(logout, { as: person }))).not.toBeNull();
});

test('another process opens the pin; it holds no person', async () => {
  const [one, two] = [await startPinned(), await startPinned()];
  const [ann, ben] = [await signIn(one), await signIn(one)];
  await makeVent(one, ann);
  const isRefreshed = async (server: typeof one, as: typeof ann) =>
    pinOf(await server.call(listVents, { as })) !== null;
  expect(await isRefreshed(two, ann)).toBe(false);
  ben.cookies?.set('pin', ann.cookies?.get('pin') ?? '');
  expect(await isRefreshed(two, ben)).toBe(false);
});

test('a read URL that leads to a primary or to nothing is never used, and calls go on', async () => {
  for (const contentReadUrl of [app.config.databaseUrl, 'postgres://nobody@127.0.0.1:1/none']) {
    const server = await startBeside(app, { contentReadUrl });
    onTestFinished(server.close);
    const person = await signIn(server);
    const { id } = await makeVent(server, person);
    server.clock.advance(60_000);
    const before = await server.deps.metrics.contentReads.get();
    expect((await server.call(getVent, { as: person, params: { id } })).status).toBe(200);
    const counted = (of: typeof before, to: string) =>
      of.values.find(({ labels }) => labels.to === to)?.value ?? 0;
    const after = await server.deps.metrics.contentReads.get();
    expect(counted(after, 'standby')).toBe(0);
    expect(counted(after, 'fallback')).toBe(counted(before, 'fallback') + 1);
    expect(server.deps.standby?.watch.isFresh()).toBe(false);
  }
});
