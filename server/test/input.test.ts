import {
  createVent,
  changeUsername,
  cleanText,
  deleteAccount,
  regenerateAvatar,
  endpoints,
  getSelf,
  getUser,
  listSessions,
  logout,
  matchSuggestions,
  publicUser,
  requestOtp,
  selfUser,
  sessionView,
  updateDetails,
  verifyOtp,
  type SelfUser,
  emotions,
} from '@unsaid/contract';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { bind } from '../src/kernel/viewer.ts';
import { publicView, selfView } from '../src/identity/profiles/profiles.view.ts';
import { newAccount } from '../src/identity/facts/account-facts.ts';
import { newActor, ownTestApp, productionTimeouts, useTestApp } from './app.ts';
import { withClient } from './db.ts';
import { makePhone, makeUser, type Person } from './factories.ts';
import { otherIdIn, suggestionWith } from './pairs.ts';
import { listen, rawRequest, sendRaw } from './socket.ts';

// Property tests make many calls; limits have tests of their own.
const app = useTestApp({ limitsScale: 10_000 });
let me: Person;
beforeAll(async () => {
  me = await makeUser(app);
});

/** A call with a body that the types of the contract do not allow. */
async function put(url: string, payload: unknown, who: Person = me) {
  const answer = await app.server.inject({
    method: 'PUT',
    url,
    headers: { authorization: `Bearer ${who.token}`, 'content-type': 'application/json' },
    payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  });
  return { status: answer.statusCode, text: answer.payload, body: answer.json<Record<string, unknown>>() };
}
const details = updateDetails.path;
const readProfile = async (who: Person = me) => (await app.call(getSelf, { as: who })).text;

describe('responses', () => {
  const word = fc.string({ maxLength: 8 });
  const preference = fc.constantFrom(null, 'Similar Emotions', 'Different Emotions', 'Balanced');
  const publicFields = {
    _id: word,
    username: fc.option(word),
    bio: word,
    profilePic: word,
    interests: fc.array(word),
    likes: fc.array(word),
    dislikes: fc.array(word),
  };
  const someone = fc.record({ ...publicFields, preferences: fc.record({ matchPreference: preference }) });
  const self = fc.record({
    ...publicFields,
    feelings: fc.subarray([...emotions], { maxLength: 3 }),
    feelingsStale: fc.boolean(),
    allowComments: fc.boolean(),
    preferences: fc.record({ matchPreference: preference, anonymousChat: fc.boolean() }),
    profileCompleted: fc.boolean(),
  });
  const session = fc.record({
    _id: word,
    label: word,
    createdOn: word,
    lastSeenOn: word,
    isCurrent: fc.boolean(),
  });
  /** Columns that a careless select would add, and any others. */
  const extra = fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'id',
        'userId',
        'phone',
        'idx',
        'tokenKey',
        'token',
        'authorSeed',
        'seal',
        'authorKey',
        'createdOn1',
        'role',
        'ip',
      ),
      fc.string({ minLength: 1 }),
    ),
    fc.oneof(fc.constant('leak'), fc.integer(), fc.object()),
    { minKeys: 1, maxKeys: 6, noNullPrototype: true },
  );

  test('have the fields of their view and no others, whatever else a row has (R39, SC-15)', () => {
    const views = [
      [selfUser, self],
      [publicUser, someone],
      [sessionView, session],
    ] as const;
    for (const [schema, view] of views) {
      fc.assert(
        fc.property(view as fc.Arbitrary<Record<string, unknown>>, extra, extra, (value, more, nested) => {
          const preferences = value['preferences'];
          const loaded = {
            ...more,
            ...value,
            ...(preferences ? { preferences: { ...nested, ...preferences } } : {}),
          };
          expect(schema.parse(loaded)).toEqual(value);
        }),
      );
    }
  });

  test('are built from rows by views that copy named fields only', () => {
    const row = {
      id: 7n,
      username: 'x',
      bio: '',
      interests: [],
      likes: [],
      dislikes: [],
      feelings: 2,
      matchPreference: null,
      profileCompleted: true,
      avatarSeed: 'AAAAAAAAAAAA',
      authorSeed: Buffer.alloc(32),
      speakerId: Buffer.alloc(8),
      seal: Buffer.alloc(32),
      facts: Buffer.alloc(32),
    };
    const day = '2026-11-15';
    const state = { standing: 'good', today: day, facts: newAccount(day), wait: null } as const;
    fc.assert(
      fc.property(extra, (more) => {
        const wide = { ...more, suspended: true, ...row };
        expect(publicView(wide, 'shown')).toEqual(publicView(row, 'shown'));
        expect(selfView(wide, state, app.deps.publicIds)).toEqual(selfView(row, state, app.deps.publicIds));
      }),
    );
    expect(Object.keys(publicView(row, 'shown')).toSorted()).toEqual([
      '_id',
      'bio',
      'dislikes',
      'interests',
      'likes',
      'preferences',
      'profilePic',
      'username',
    ]);
  });

  test('drop fields that a handler adds by mistake', async () => {
    const leak = 'leak-4711';
    const careless = <T extends object>(value: T) => ({ ...value, secret: leak, user_id: leak, phone: leak });
    const view = careless({ ...me.user, preferences: careless(me.user.preferences) }) as SelfUser;
    const { server } = await buildApp(app.deps, {
      ...app.features,
      bindings: [
        bind(getSelf, async () => careless({ user: view })),
        bind(getUser, async () => careless({ user: view })),
        bind(regenerateAvatar, async () => careless({ user: view })),
        bind(listSessions, async () =>
          careless({
            sessions: [careless({ _id: 'a', label: 'b', createdOn: 'c', lastSeenOn: 'd', isCurrent: true })],
          }),
        ),
        bind(logout, (async () => careless({})) as never),
      ],
    });
    onTestFinished(() => server.close());
    for (const { method, path } of [getSelf, getUser, regenerateAvatar, listSessions, logout]) {
      const answer = await server.inject({
        method,
        url: path.replace(':id', 'x'),
        headers: { authorization: `Bearer ${me.token}` },
      });
      expect(answer.statusCode, path).toBe(200);
      expect(answer.payload).not.toContain(leak);
    }
  });

  test('do not change by a byte when a table gets another column (R39)', async () => {
    const grown = await ownTestApp();
    const [one, two] = [await makeUser(grown), await makeUser(grown)];
    const id = otherIdIn(one, await suggestionWith(grown, one, two));
    const read = async () => [
      (await grown.call(getSelf, { as: one })).text,
      (await grown.call(getUser, { as: one, params: { id } })).text,
      (await grown.call(matchSuggestions, { as: one })).text,
      (await grown.call(listSessions, { as: one })).text,
    ];
    const before = await read();
    await withClient(grown.config.databaseUrl, async (client) => {
      for (const table of ['identity.users', 'identity.sessions', 'moderation.notices', 'matching.pairs']) {
        await client.query(`alter table ${table} add column secret text not null default 'leak'`);
      }
    });
    expect(before.every((text) => text.startsWith('{"success":true'))).toBe(true);
    expect(await read()).toEqual(before);
  });
});

describe('a request body', () => {
  test('may have unknown keys: they are dropped and change nothing (R40)', async () => {
    await put(details, { bio: 'before' });
    const before = await readProfile();
    const hostile = {
      ...{
        role: 'admin',
        _id: 'x',
        id: 1,
        phone: '+919800000000',
        username: 'taken',
        profilePic: 'https://evil.example/x.png',
      },
      ...{
        profileCompleted: false,
        suspended: false,
        avatarSeed: 'x',
        authorSeed: 'x',
        userId: 1,
        createdOn: '2000-01-01',
      },
    };
    const answer = await put(details, hostile);
    expect(answer.status).toBe(200);
    expect(await readProfile()).toBe(before);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ minLength: 9 }), fc.jsonValue()), async (more) => {
        expect((await put(details, { ...more })).status).toBe(200);
        expect(await readProfile()).toBe(before);
      }),
      { numRuns: 30 },
    );
  });

  test('cannot change any prototype', async () => {
    const answer = await put(
      details,
      '{"__proto__":{"isAdmin":true,"bio":"polluted"},"constructor":{"prototype":{"isAdmin":true}},"bio":"mine"}',
    );
    expect(answer.status).toBe(200);
    expect(answer.body['user']).toMatchObject({ bio: 'mine' });
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    const inherited = await put(details, '{"__proto__":{"bio":"polluted"}}');
    expect(inherited.body['user']).toMatchObject({ bio: 'mine' });
  });

  test('is never coerced: null is not "", a list is not its item, "true" is not true (R40)', async () => {
    const before = await readProfile();
    for (const wrong of [
      { bio: null },
      { bio: ['a'] },
      { bio: 5 },
      { bio: true },
      { bio: {} },
      { bio: { toString: 'a' } },
      { interests: null },
      { interests: 'a' },
      { interests: [1] },
      { interests: [null] },
      { interests: [['a']] },
      { interests: { 0: 'a', length: 1 } },
      { allowComments: null },
      { allowComments: 'true' },
      { allowComments: 'false' },
      { allowComments: 1 },
      { allowComments: [] },
      { preferences: null },
      { preferences: [] },
      { preferences: 'balanced' },
      { preferences: { matchPreference: 1 } },
      { preferences: { anonymousChat: 'false' } },
      { preferences: { anonymousChat: null } },
      { preferences: { matchPreference: ['Balanced'] } },
    ]) {
      const answer = await put(details, wrong);
      expect(answer.status, JSON.stringify(wrong)).toBe(422);
      expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', message: 'Profile update failed' });
    }
    for (const wrong of [null, 5, true, ['abc'], {}]) {
      expect((await put(changeUsername.path, { newUsername: wrong })).status, JSON.stringify(wrong)).toBe(
        422,
      );
    }
    for (const wrong of ['[]', '"bio"', '5', 'true', '[{"bio":"x"}]'])
      expect((await put(details, wrong)).status, wrong).toBe(422);
    expect(await readProfile()).toBe(before);
    const phone = makePhone();
    for (const body of [
      { phone: Number(phone) },
      { phone: [phone] },
      { phone: null },
      { phone, purpose: null },
      { phone, purpose: 'SIGNIN' },
    ]) {
      expect((await app.call(requestOtp, { as: newActor(), body: body as never })).status).toBe(422);
    }
    for (const otp of [
      123456,
      ['123456'],
      null,
      '12345',
      '1234567',
      ' 123456',
      '１２３４５６',
      '१२३४५६',
      '12345\n',
    ]) {
      const answer = await app.call(verifyOtp, { as: newActor(), body: { phone, otp: otp as never } });
      expect(answer.status, String(otp)).toBe(422);
      expect(answer.body.message).toBe('Invalid OTP');
    }
  });

  test('with any JSON in any field is accepted or rejected, and never causes a 5xx (R40)', async () => {
    const keys = [
      'bio',
      'interests',
      'likes',
      'dislikes',
      'allowComments',
      'preferences',
      'newUsername',
      'phone',
      'otp',
      'purpose',
    ];
    const bodies = fc.oneof(
      fc.dictionary(fc.constantFrom(...keys), fc.jsonValue(), { noNullPrototype: true }),
      fc.dictionary(fc.constantFrom(...keys), fc.array(fc.string({ unit: 'binary' })), {
        noNullPrototype: true,
      }),
      fc.jsonValue(),
    );
    const writing = endpoints.filter(({ method, body }) => method !== 'GET' && body);
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom(...writing), async (body, { method, path }) => {
        const answer = await app.server.inject({
          method,
          url: path,
          headers: { authorization: `Bearer ${me.token}`, 'content-type': 'application/json' },
          payload: JSON.stringify(body),
        });
        expect(answer.statusCode, answer.payload).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
  });

  test('may be empty where nothing is needed', async () => {
    const authorization = `Bearer ${me.token}`;
    for (const headers of [
      { authorization },
      { authorization, 'content-type': 'application/json' },
      { authorization, 'content-type': 'application/json', 'content-length': '0' },
    ]) {
      const answer = await app.server.inject({ method: 'PUT', url: regenerateAvatar.path, headers });
      expect(answer.statusCode, answer.payload).toBe(200);
    }
    for (const payload of ['{}', 'null', '']) {
      const answer = await app.server.inject({
        method: 'PUT',
        url: regenerateAvatar.path,
        headers: { authorization, 'content-type': 'application/json' },
        payload,
      });
      expect(answer.statusCode, answer.payload).toBe(200);
      const removal = await app.server.inject({
        method: 'DELETE',
        url: deleteAccount.path,
        headers: { authorization, 'content-type': 'application/json' },
        payload,
      });
      expect(removal.json<{ code: string }>().code).toBe('REAUTH_REQUIRED');
    }
    // A chunked body without data.
    const port = await listen(app);
    const chunked = await sendRaw(
      port,
      rawRequest(
        `PUT ${regenerateAvatar.path}`,
        [`Authorization: ${authorization}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
        '0\r\n\r\n',
      ),
    );
    expect(chunked.status, chunked.text).toBe(200);
  });
});

describe('the content type of a body', () => {
  const phone = makePhone();
  const post = (type: string | undefined, payload = JSON.stringify({ phone })) =>
    app.server.inject({
      method: 'POST',
      url: requestOtp.path,
      remoteAddress: newActor().address ?? '',
      headers: type === undefined ? {} : { 'content-type': type },
      payload,
    });

  test('is JSON in UTF-8, in upper or lower case (R41)', async () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
    ]) {
      const answer = await app.server.inject({
        method: 'POST',
        url: requestOtp.path,
        headers: { 'content-type': type },
        payload: JSON.stringify({ phone: makePhone() }),
      });
      expect(answer.statusCode, type).toBe(200);
    }
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['plain text', 'text/plain'],
    ['plain text that mentions JSON', 'text/plain; application/json'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['a multipart form', 'multipart/form-data; boundary=x'],
    ['JSON after a tab', '\tapplication/json'],
    ['JSON after a space', ' application/json'],
    ['JSON and then a tab', 'application/json\t'],
    ['JSON, a tab and something', 'application/json\ta'],
    ['JSON, a space and something', 'application/json a'],
    ['JSON and a bare semicolon', 'application/json;'],
    ['JSON and another parameter', 'application/json; boundary=x'],
    ['JSON in another encoding', 'application/json; charset=utf-16'],
    ['JSON with two parameters', 'application/json; charset=utf-8; charset=utf-7'],
    ['a list with JSON in it', 'application/json, text/plain'],
    ['something like JSON', 'application/jsonp'],
    ['something on top of JSON', 'application/vnd.api+json'],
    ['JSON as text', 'text/json'],
  ])('is rejected when it is %s, before any effect (R41)', async (_, type) => {
    const answer = await post(type);
    expect(answer.statusCode, answer.payload).toBe(415);
    expect(answer.json<{ code: string }>().code).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(app.deps.outbox.recent().filter(({ to }) => to === phone)).toEqual([]);
  });

  test('is rejected when it is sent twice, in either order (R41)', async () => {
    const port = await listen(app);
    const payload = JSON.stringify({ phone });
    const types = ['Content-Type: application/json', 'Content-Type: text/plain'];
    for (const order of [types, types.toReversed(), [types[0] ?? '', types[0] ?? '']]) {
      const answer = await sendRaw(
        port,
        rawRequest(`POST ${requestOtp.path}`, [...order, `Content-Length: ${payload.length}`], payload),
      );
      expect(answer.status, order.join()).toBe(415);
    }
    expect(app.deps.outbox.recent().filter(({ to }) => to === phone)).toEqual([]);
  });
});

describe('text', () => {
  test('with NUL, half a surrogate pair, a non-character or a control character is rejected with 422 in any field (R43)', async () => {
    const before = await readProfile();
    const bad = [
      '\\u0000',
      'a\\u0000b',
      '\\ud800',
      '\\udfffa',
      '\\ufffe',
      '\\uffff',
      '\\ufdd0',
      '\\ud83f\\udffe',
      '\\u0001',
      '\\u001b[31m',
      '\\u007f',
      '\\u0085',
      '\\u009b',
    ];
    for (const text of bad) {
      for (const body of [
        `{"bio":"${text}"}`,
        `{"interests":["ok","${text}"]}`,
        `{"likes":["${text}"]}`,
        `{"dislikes":["${text}"]}`,
      ]) {
        const answer = await put(details, body);
        expect(answer.status, body).toBe(422);
        expect(answer.body).toMatchObject({
          code: 'VALIDATION_FAILED',
          fields: [{ rule: 'unacceptable_characters' }],
        });
      }
      expect((await put(changeUsername.path, `{"newUsername":"${text}"}`)).status, text).toBe(422);
      expect((await put(details, `{"preferences":"${text}"}`)).status, text).toBe(422);
      const code = await app.server.inject({
        method: 'POST',
        url: requestOtp.path,
        headers: { 'content-type': 'application/json' },
        payload: `{"phone":"+91${text}"}`,
      });
      expect(code.statusCode, text).toBe(422);
    }
    expect(await readProfile()).toBe(before);
  });

  test('is stored as it was sent, after cleaning and without escaping (R45)', async () => {
    const xss = `<img src=x onerror=alert(1)> "'&amp; </script> '; drop table identity.users; -- \${7*7} %s \\`;
    const answer = await put(details, { bio: xss, interests: [xss.slice(0, 40)] });
    expect(answer.status, answer.text).toBe(200);
    expect(JSON.parse(await readProfile())).toMatchObject({
      user: { bio: xss, interests: [xss.slice(0, 40).trim()] },
    });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
        const written = await put(details, { bio: text });
        expect([200, 422]).toContain(written.status);
        if (written.status !== 200) return;
        const { user } = JSON.parse(await readProfile()) as { user: { bio: string } };
        expect([cleanText(text), '']).toContain(user.bio);
      }),
      { numRuns: 150 },
    );
  });

  test('in bytes that are not UTF-8 causes no 5xx', async () => {
    const broken = Buffer.concat([
      Buffer.from('{"bio":"'),
      Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]);
    expect([200, 422]).toContain((await put(details, broken)).status);
  });

  test('in a path gets a 400 or 404, never a 5xx', async () => {
    for (const id of [
      '%00',
      '%ED%A0%80',
      '%FF',
      "';--",
      '%27%20or%201=1--',
      '-1',
      '1e9',
      '%F0%9F%98%80',
      'null',
      '__proto__',
      '%2e%2e%2f',
    ]) {
      const answer = await app.server.inject({
        url: `/api/auth/user/${id}`,
        headers: { authorization: `Bearer ${me.token}` },
      });
      expect([400, 404], id).toContain(answer.statusCode);
    }
  });
});

describe('sizes:', () => {
  const padded = (bytes: number) => {
    const body = '{"bio":"x"}';
    return `{"bio":"x"${' '.repeat(bytes - body.length)}}`;
  };

  test('a body may have 32 KiB and not a byte more (R57)', async () => {
    expect((await put(details, padded(32 * 1024))).status).toBe(200);
    const over = await put(details, padded(32 * 1024 + 1));
    expect(over).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
  });

  test('a call with a number and a code may have 1 KiB (R57)', async () => {
    const small = endpoints.filter(
      ({ body }) => body && 'phone' in (body as unknown as { shape: object }).shape,
    );
    expect(small.map(({ path }) => path).toSorted()).toEqual([
      '/api/auth/change-number',
      '/api/auth/join',
      '/api/auth/reauth',
      '/api/auth/request-otp',
      '/api/auth/verify-otp',
    ]);
    for (const { method, path } of small) {
      const send = (bytes: number) =>
        app.server.inject({
          method,
          url: path,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${me.token}` },
          payload: padded(bytes),
        });
      expect((await send(1024)).statusCode, path).toBe(422);
      expect((await send(1025)).statusCode, path).toBe(413);
    }
  });

  test('a URL may have 8 KiB, and a parameter 64 characters', async () => {
    const get = (url: string) => app.server.inject({ url, headers: { authorization: `Bearer ${me.token}` } });
    const path = '/api/auth/user?';
    expect((await get(path + 'a'.repeat(8192 - path.length))).statusCode).toBe(200);
    expect((await get(path + 'a'.repeat(8193 - path.length))).statusCode).toBe(414);
    app.statements.length = 0;
    expect((await get(`/api/auth/user/${'a'.repeat(64)}`)).statusCode).toBe(404);
    expect(app.statements.length).toBeGreaterThan(0);
    app.statements.length = 0;
    expect((await get(`/api/auth/user/${'a'.repeat(65)}`)).statusCode).toBe(404);
    expect(app.statements).toEqual([]);
  });

  test('headers may have 16 KiB in total (R57)', async () => {
    const port = await listen(app);
    const send = (bytes: number) => sendRaw(port, rawRequest('GET /healthz', [`X: ${'a'.repeat(bytes)}`]));
    expect((await send(15 * 1024)).status).toBe(200);
    expect((await send(16 * 1024)).status).toBe(431);
  });
});

describe('the database', () => {
  test('stops a statement after 2 seconds, in every schema (R47)', async () => {
    const { identity, content, matching } = (await ownTestApp(productionTimeouts)).deps.databases;
    const began = performance.now();
    const outcomes = await Promise.allSettled(
      [identity, content, matching].map((db) => sql`select pg_sleep(60)`.execute(db as typeof identity)),
    );
    const waited = performance.now() - began;
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '57014' } });
    expect(waited).toBeGreaterThan(1900);
  });

  test('gets user input as parameters only: no statement text ever has any of it (R47)', async () => {
    const marker = 'zqxj7';
    app.statements.length = 0;
    await put(details, { bio: `${marker}'`, interests: [`${marker}"`] });
    await put(changeUsername.path, { newUsername: marker });
    await app.call(getUser, { as: me, params: { id: `${marker}'--` } });
    expect(app.statements.length).toBeGreaterThan(3);
    for (const { text } of app.statements) expect(text).not.toContain(marker);
  });
});

describe('a text that grows when it is normalized', () => {
  const post = (text: string) => app.call(createVent, { as: me, body: { title: 'x', text, emotion: 'Sad' } });

  test('counts with the length that the guards read', async () => {
    expect((await post('\uFDFA'.repeat(2000))).status).toBe(422);
    expect((await post(`a${'\u0301'.repeat(3)}`.repeat(2000))).status).toBe(201);
    // Letters with two marks, of which a language is written.
    expect((await post('\u1EC7 '.repeat(1000))).status).toBe(201);
  });
});
