import {
  commentOnVent,
  createVent,
  dropHeldVent,
  endpoints,
  errorKinds,
  getSelf,
  getVent,
  listComments,
  listHeldVents,
  padRequestTo,
  ventWeather,
  type Endpoint,
} from '@unsaid/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { ownTestApp, useTestApp } from './app.ts';
import { makeComment, makeUser, makeVent, sanction, type Person } from './factories.ts';

/** What an observer of the network can read from the lengths of calls. The web's half is api-client.test.ts. */

const app = useTestApp({ limitsScale: 10_000 });
let ann: Person;
let ben: Person;
beforeAll(async () => {
  [ann, ben] = [await makeUser(app), await makeUser(app)];
});

/** As the web sends it. */
async function send(endpoint: Endpoint, body: object, as: Person | null = ann, headers: object = {}) {
  const json = JSON.stringify(body);
  const bytes = Buffer.byteLength(json);
  const answer = await app.server.inject({
    method: endpoint.method,
    url: endpoint.path.replaceAll(/:\w+/gu, 'x'.repeat(22)),
    headers: {
      'content-type': 'application/json',
      ...(as && { authorization: `Bearer ${as.token}` }),
      ...headers,
    },
    payload: json + ' '.repeat(padRequestTo(endpoint, bytes) - bytes),
  });
  const { headers: sent } = answer;
  return { status: answer.statusCode, bytes: answer.rawPayload.length, cacheControl: sent['cache-control'] };
}

const withBodies = endpoints.filter(({ body, auth }) => body && auth !== 'moderator');
test.each(withBodies)('$method $path: every answer has the length of the others', async (endpoint) => {
  expect(withBodies.length).toBeGreaterThan(20);
  const answers = [
    await send(endpoint, {}),
    await send(endpoint, {}, null),
    await send(endpoint, { text: 'x'.repeat(300), phone: 'x' }),
    await send(endpoint, Object.fromEntries([['fields', 'x'.repeat(40)]]), ben),
  ];
  const { padToBytes, maxBodyBytes = 4096 } = endpoint;
  // A ticket is longer than an error, and each of them has one length.
  if (padToBytes) expect(answers.map(({ bytes }) => bytes % padToBytes)).toEqual(answers.map(() => 0));
  else expect(new Set(answers.map(({ bytes }) => bytes))).toEqual(new Set([maxBodyBytes]));
  expect(new Set(answers.map(({ cacheControl }) => cacheControl))).toEqual(
    new Set(['no-store, no-transform']),
  );
});

// Read from the contract: a new call that reads is filled too.
const reading = endpoints.filter(({ body, auth = 'session' }) => !body && auth === 'session');
test.each(reading)('$method $path: what is answered without a body is filled', async (endpoint) => {
  expect(reading.length).toBeGreaterThan(20);
  // Some of these calls end the session.
  for (const as of [await makeUser(app), null]) {
    const { rawPayload, headers } = await app.server.inject({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/:\w+/gu, 'x'.repeat(22)),
      headers: as ? { authorization: `Bearer ${as.token}` } : {},
    });
    expect(rawPayload.length % (endpoint.padToBytes ?? 4096)).toBe(0);
    expect(headers['cache-control']).toBe('no-store, no-transform');
  }
});

describe('what only one person sees', () => {
  const lengthOf = async (endpoint: Endpoint, as: Person, params: object = {}) =>
    (await app.call(endpoint as never, { as, params } as never)).text.length;

  test('of a vent is no byte: its author, who commented, and others get one length', async () => {
    const { id } = await makeVent(app, ann);
    await makeComment(app, ben, id);
    for (const endpoint of [getVent, listComments] as const) {
      const params = { id, ventId: id };
      expect(await lengthOf(endpoint, ann, params)).toBe(await lengthOf(endpoint, ben, params));
    }
  });

  test('of an account is no byte: limited, or with vents in its weather', async () => {
    const author = await makeUser(app);
    const lengths = async () => [await lengthOf(getSelf, author), await lengthOf(ventWeather, author)];
    const before = await lengths();
    await makeVent(app, author);
    await sanction(app, author, 'limit');
    expect((await app.call(getSelf, { as: author })).body.user).toHaveProperty('limited');
    expect(await lengths()).toEqual(before);
  });
});

test('a vent is answered at one moment, whether it goes out at once or later', async () => {
  const slow = await ownTestApp({ ventAnswerMs: 400 });
  const author = await makeUser(slow);
  for (const later of [false, true]) {
    const begun = performance.now();
    const body = { title: 'When', text: `at ${String(later)}`, emotion: 'Sad', later } as const;
    expect((await slow.call(createVent, { as: author, body })).status).toBe(201);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(399);
  }
});

describe('a vent', () => {
  const post = (text: string, later: boolean) =>
    send(createVent, { title: 'Long', text, emotion: 'Sad', hashtags: ['night'], isSure: false, later });

  test('has one length whether it goes out at once or later, at every step', async () => {
    const lengths = new Set<number>();
    // In bytes: three for each of these letters. Around each step, where the words fit and their answer might not.
    for (const letters of [1, 900, 1050, 1090, 1120, 1150, 1180, 1190, 1200, 1210, 1300, 1900]) {
      const text = 'क'.repeat(letters);
      const [now, later] = [await post(text, false), await post(text, true)];
      expect([now.status, later.status], String(letters)).toEqual([201, 201]);
      expect(now.bytes, String(letters)).toBe(later.bytes);
      lengths.add(now.bytes);
    }
    expect([...lengths].toSorted((a, b) => a - b)).toEqual([4096, 8192]);
  });

  test('is refused at the same length', async () => {
    const refused = await send(createVent, { title: 'Call', text: 'Call me on 98765 43210', emotion: 'Sad' });
    expect(refused).toMatchObject({ status: errorKinds.IDENTIFYING_DETAILS.status, bytes: 4096 });
  });
});

test('a comment is answered at one length, also where it is refused', async () => {
  const { id: ventId } = await makeVent(app, ben);
  const answers = [
    await send(commentOnVent, { ventId, text: 'I hear you' }),
    await send(commentOnVent, { ventId, text: 'Rain '.repeat(60) }),
    await send(commentOnVent, { ventId, text: 'Go and kill yourself' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 422]);
  expect(new Set(answers.map(({ bytes }) => bytes))).toEqual(new Set([4096]));
});

test('the list of held vents has one length, with and without any', async () => {
  const cat = await makeUser(app);
  const read = async () => (await app.call(listHeldVents, { as: cat })).text.length;
  const empty = await read();
  await app.call(createVent, {
    as: cat,
    body: { title: 'Later', text: 'x'.repeat(1500), emotion: 'Sad', later: true },
  });
  const { held } = (await app.call(listHeldVents, { as: cat })).body;
  expect(held).toHaveLength(1);
  expect([empty, await read()]).toEqual([16_384, 16_384]);
  await app.call(dropHeldVent, { as: cat, params: { id: held[0]?._id ?? '' } });
});

describe('one key for both:', () => {
  const create = (as: Person, later: boolean, key: string) =>
    app.call(createVent, {
      as,
      body: { title: 'Once', text: 'whatever the switch says', emotion: 'Sad', later },
      headers: { 'idempotency-key': key },
    });

  test.each([true, false])(
    'what arrived first stands, and the answer says which (later: %s)',
    async (first) => {
      const author = await makeUser(app);
      const key = crypto.randomUUID();
      const answers = [await create(author, first, key), await create(author, !first, key)];
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers[1]?.body.vent).toEqual(answers[0]?.body.vent);
      expect(answers[0]?.body.vent === null).toBe(first);
      const { held } = (await app.call(listHeldVents, { as: author })).body;
      expect(held).toHaveLength(first ? 1 : 0);
    },
  );

  test('sent at the same time, one vent is made', async () => {
    const author = await makeUser(app);
    const key = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => create(author, n % 2 === 0, key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.vent?._id ?? null)).size).toBe(1);
  });
});
