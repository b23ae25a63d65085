import dns from 'node:dns';
import { readFile, rm } from 'node:fs/promises';
import {
  endpoints,
  errorBody,
  errorKinds,
  getSelf,
  getUser,
  listCountries,
  requestOtp,
} from '@unsaid/contract';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { createClientErrorHandler } from '../src/platform/http/errors.ts';
import { userPages } from '../src/platform/http/headers.ts';
import { newActor, ownTestApp, startBeside, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import { makePhone, makeUser } from './factories.ts';
import { postgresAddress, startFaultProxy } from './fault-proxy.ts';
import { makeWebRoot, startCountedApp } from './routes.ts';
import { listen, rawRequest, sendRaw } from './socket.ts';

const secureOrigin = new URL('https://unsaid.example');
let app: TestApp;
let routes: ReadonlySet<string>;
let webRoot: string;
beforeAll(async () => {
  webRoot = await makeWebRoot();
  ({ app, routes } = await startCountedApp({ webRoot }));
});
afterAll(async () => {
  await app.close();
  await rm(webRoot, { recursive: true });
});

type Headers = Record<string, unknown>;
type LookupLike = (name: string, options: object, done: (error: Error) => void) => void;

const pagePolicyFor = (liveOrigin: string) =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
  `connect-src 'self' ${liveOrigin}; ` +
  "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
  "object-src 'none'; require-trusted-types-for 'script'; trusted-types unsaid";
const pagePolicy = pagePolicyFor('ws://localhost:3000');
const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

function expectSafeHeaders(headers: Headers, isSecure = false): void {
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  });
  const isPage = String(headers['content-type']).startsWith('text/html');
  const liveOrigin = isSecure ? 'wss://unsaid.example' : 'ws://localhost:3000';
  const policy = isPage ? pagePolicyFor(liveOrigin) : dataPolicy;
  expect(headers['content-security-policy']).toBe(
    isSecure && isPage ? `${policy}; upgrade-insecure-requests` : policy,
  );
  expect(headers['strict-transport-security']).toBe(
    isSecure ? 'max-age=63072000; includeSubDomains' : undefined,
  );
  const opened = String(headers['permissions-policy'])
    .split(', ')
    .filter((entry) => !entry.endsWith('=()'));
  expect(opened).toEqual(['otp-credentials=(self)']);
  for (const feature of ['camera', 'geolocation', 'microphone', 'payment', 'usb']) {
    expect(headers['permissions-policy']).toContain(`${feature}=()`);
  }
  for (const name of [
    'server',
    'x-powered-by',
    'etag',
    'last-modified',
    'server-timing',
    'x-response-time',
    'x-request-id',
  ]) {
    expect(headers).not.toHaveProperty(name);
  }
  for (const name of Object.keys(headers)) expect(name).not.toMatch(/^(?:access-control-|x-ratelimit)/u);
}

/** The only error shape, with nothing in it that the contract does not name. */
function expectError(answer: { status: number; headers: Headers; text: string }, code: string): void {
  const kind = errorKinds[code as keyof typeof errorKinds];
  expect(answer.status, answer.text).toBe(kind.status);
  const body = errorBody.parse(JSON.parse(answer.text));
  expect(Object.keys(JSON.parse(answer.text)).toSorted()).toEqual([
    'code',
    'message',
    'requestId',
    'success',
  ]);
  expect(body.code).toBe(code);
  expect(body.message).toBe(kind.message);
  expect(body.requestId).toMatch(/^[A-Za-z0-9_-]{12}$/u);
  expect(answer.text).not.toMatch(/canary/iu);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toMatch(/^no-store(?:, no-transform)?$/u);
}

async function inject(
  options: InjectOptions,
  which: TestApp = app,
): Promise<{ status: number; headers: Headers; text: string }> {
  const { statusCode, headers, payload } = await which.server.inject({
    remoteAddress: '203.0.113.9',
    ...options,
  });
  return { status: statusCode, headers, text: payload };
}

describe('routes:', () => {
  test('every route under /api is a call of the contract, and every call of the contract is a route (S8.29)', () => {
    const served = [...routes].filter((route) => route.includes(' /api') && !route.startsWith('HEAD '));
    const agreed = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(served.toSorted()).toEqual(agreed.toSorted());
    // No route exists for HEAD only.
    const heads = [...routes].filter((route) => route.startsWith('HEAD '));
    for (const route of heads) expect(routes).toContain(route.replace('HEAD', 'GET'));
  });

  test('the nineteen calls of the specification exist under their own names (S7.2 to S7.20)', () => {
    const calls = [
      'POST /api/auth/request-otp',
      'POST /api/auth/verify-otp',
      'GET /api/auth/user',
      'GET /api/auth/user/:id',
      'PUT /api/auth/change-username',
      'PUT /api/auth/update-details',
      'POST /api/vent/create',
      'GET /api/vent/all',
      'POST /api/vent/react',
      'DELETE /api/vent/:id',
      'GET /api/vent/search',
      'POST /api/vent/report',
      'POST /api/vent/comment',
      'DELETE /api/vent/comment/:ventId/:commentId',
      'GET /api/match/suggestions',
      'GET /api/match/pending',
      'GET /api/match/history',
      'POST /api/match/accept',
      'POST /api/match/reject',
    ];
    expect(calls).toHaveLength(19);
    for (const route of calls) expect(routes).toContain(route);
  });

  test('the outbox of codes does not exist in production', async () => {
    const config = { ...app.config, isProduction: true };
    const { server } = await buildApp({ ...app.deps, config }, app.features);
    onTestFinished(() => server.close());
    expect(server.hasRoute({ method: 'GET', url: '/dev/outbox' })).toBe(false);
    expect(app.server.hasRoute({ method: 'GET', url: '/dev/outbox' })).toBe(true);
  });
});

describe('response headers', () => {
  const everyKind: [string, InjectOptions][] = [
    ['a success', { url: '/api/auth/countries' }],
    ['a success by HEAD', { method: 'HEAD', url: '/api/auth/countries' }],
    ['401', { url: '/api/auth/user' }],
    ['404 of a call', { url: '/api/nothing' }],
    ['404 of a file', { url: '/nothing.js' }],
    ['403', { method: 'POST', url: '/api/auth/logout', headers: { 'sec-fetch-site': 'cross-site' } }],
    ['413', { method: 'POST', url: '/api/auth/request-otp', payload: { phone: 'x'.repeat(2000) } }],
    ['414', { url: `/${'a'.repeat(9000)}` }],
    [
      '415',
      {
        method: 'POST',
        url: '/api/auth/request-otp',
        payload: 'x',
        headers: { 'content-type': 'text/plain' },
      },
    ],
    ['422', { method: 'POST', url: '/api/auth/request-otp', payload: {} }],
    ['bad percent-encoding', { url: '/%zz' }],
    ['an over-long parameter', { url: `/api/auth/user/${'a'.repeat(100)}` }],
    ['a page', { url: '/home', headers: { accept: 'text/html' } }],
    ['an asset', { url: '/assets/index-abc.js' }],
    ['the outbox as a page', { url: '/dev/outbox', headers: { accept: 'text/html' } }],
    ['the outbox as data', { url: '/dev/outbox' }],
    ['a picture', { url: '/avatars/neutral.svg' }],
    ['health', { url: '/healthz' }],
    ['readiness', { url: '/readyz' }],
    ['an unused method', { method: 'TRACE', url: '/api/auth/user' }],
  ];

  test.each(everyKind)('protect %s (R55, SC-28)', async (_, request) => {
    expectSafeHeaders((await inject(request)).headers);
  });

  test('require https on every response when the origin is https, and only then (R55)', async () => {
    const secure = await ownTestApp({ publicOrigin: secureOrigin, webRoot });
    for (const [, request] of everyKind) expectSafeHeaders((await inject(request, secure)).headers, true);
    const port = await listen(secure);
    expectSafeHeaders((await sendRaw(port, 'not http\r\n\r\n')).headers, true);
    expectSafeHeaders((await sendRaw(port, rawRequest('GET /%zz'))).headers, true);
    const sent = await secure.call(requestOtp, { as: newActor(), body: { phone: makePhone() } });
    expect(sent.headers['set-cookie']).toMatch(
      /^__Host-otp=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict; Secure$/u,
    );
  });

  test('give every page the policy that allows no foreign or inline code, and data the policy that allows nothing (R18)', async () => {
    for (const url of ['/', '/?a=b', '/home', '/vent/x', '/assets/', '/dev/outbox']) {
      const page = await inject({ url, headers: { accept: 'text/html', 'accept-encoding': 'gzip, br' } });
      expect(page.status, url).toBe(200);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.headers['content-security-policy'], url).toBe(pagePolicy);
    }
    for (const url of ['/api/auth/countries', '/api/auth/user', '/avatars/neutral.svg', '/dev/outbox']) {
      expect((await inject({ url })).headers['content-security-policy'], url).toBe(dataPolicy);
    }
  });

  test('let the service worker fetch from our origin only, and have it revalidated each time', async () => {
    for (const encoding of ['br', 'identity']) {
      const { headers } = await inject({ url: '/sw.js', headers: { 'accept-encoding': encoding } });
      expect(headers['content-type']).toMatch(/^(?:text|application)\/javascript/u);
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
      );
    }
    const hashed = await inject({ url: '/assets/index-abc.js' });
    expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(hashed.headers['content-security-policy']).toBe(dataPolicy);
  });

  test('keep every API response out of caches and without validators (SC-29)', async () => {
    const me = await makeUser(app);
    const answers = [
      await app.call(getSelf, { as: me }),
      await app.call(getSelf, {
        as: me,
        headers: { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() },
      }),
      await app.call(getUser, { as: me, params: { id: me.user._id } }),
      await app.call(listCountries),
      await app.call(getSelf),
    ];
    for (const { status, headers } of answers) {
      expect(status).not.toBe(304);
      expect(headers['cache-control']).toMatch(/^no-store(?:, no-transform)?$/u);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      for (const name of ['etag', 'last-modified', 'server-timing', 'age', 'x-cache'])
        expect(headers).not.toHaveProperty(name);
    }
  });

  test('name the authentication scheme on 401, and nowhere else', async () => {
    expect((await app.call(getSelf)).headers['www-authenticate']).toBe('Bearer');
    expect((await inject({ url: '/api/nothing' })).headers).not.toHaveProperty('www-authenticate');
  });
});

describe('an error response', () => {
  const json = { 'content-type': 'application/json' };

  test.each([
    ['a call that does not exist', { url: '/api/canary' }, 'NOT_FOUND'],
    ['a method that does not exist', { method: 'PATCH', url: '/api/auth/user?canary' }, 'NOT_FOUND'],
    ['a file that does not exist', { url: '/canary.js' }, 'NOT_FOUND'],
    ['a path out of the web root', { url: '/assets/..%2f..%2f..%2fetc/passwd.canary' }, 'NOT_FOUND'],
    ['bad percent-encoding', { url: '/api/auth/user/canary%E0%A4%A' }, 'BAD_REQUEST'],
    ['bad percent-encoding outside the api', { url: '/canary%zz' }, 'BAD_REQUEST'],
    ['an over-long parameter', { url: `/api/auth/user/${'canary'.repeat(12)}` }, 'NOT_FOUND'],
    ['an over-long address', { url: `/api/auth/user?${'canary'.repeat(1500)}` }, 'URI_TOO_LONG'],
    ['no session', { url: '/api/auth/user', headers: { authorization: 'Bearer canary' } }, 'UNAUTHENTICATED'],
    [
      'invalid JSON',
      { method: 'POST', url: '/api/auth/request-otp', payload: '{"canary":', headers: json },
      'BAD_REQUEST',
    ],
    [
      'JSON cut short by a NUL',
      { method: 'POST', url: '/api/auth/request-otp', payload: '{}\0canary', headers: json },
      'BAD_REQUEST',
    ],
    [
      'a body that is too large',
      { method: 'POST', url: '/api/auth/request-otp', payload: { phone: 'canary'.repeat(400) } },
      'BODY_TOO_LARGE',
    ],
    [
      'another content type',
      {
        method: 'POST',
        url: '/api/auth/request-otp',
        payload: 'canary',
        headers: { 'content-type': 'text/canary' },
      },
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a request from another site',
      {
        method: 'POST',
        url: '/api/auth/request-otp',
        payload: { phone: 'canary' },
        headers: { 'sec-fetch-site': 'cross-site', origin: 'https://canary.example' },
      },
      'CROSS_SITE',
    ],
  ] as [string, InjectOptions, string][])(
    'has the one shape and echoes no input (R46): %s',
    async (_, request, code) => {
      expectError(await inject(request), code);
    },
  );

  test('of validation names the field and the rule it broke, never the value or an unknown key (R46, S8.29)', async () => {
    const answer = await inject({
      method: 'POST',
      url: '/api/auth/request-otp',
      payload: { phone: ['canary'], purpose: 'canary', canary: 'canary' },
    });
    const body = errorBody.parse(JSON.parse(answer.text));
    expect(answer.status).toBe(422);
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', message: 'Failed to send OTP' });
    expect(body.fields?.map(({ path }) => path)).toEqual(['phone', 'purpose']);
    expect(answer.text).not.toContain('canary');
  });

  test.each([
    ['bytes that are not HTTP', 'canary\r\n\r\n', 'BAD_REQUEST'],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'BAD_REQUEST'],
    ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex'), 'BAD_REQUEST'],
    ['a NUL in the path', 'GET /canary\0 HTTP/1.1\r\nHost: a\r\n\r\n', 'BAD_REQUEST'],
    [
      'a header folded over lines',
      'GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n canary\r\nbad header\r\n\r\n',
      'BAD_REQUEST',
    ],
    ['bare line feeds', 'GET /canary HTTP/1.1\nHost: a\n\n', 'BAD_REQUEST'],
    [
      'a length and chunks together',
      rawRequest(
        'POST /api/auth/request-otp',
        [...['Content-Length: 4', 'Transfer-Encoding: chunked']],
        '0\r\n\r\n',
      ),
      'BAD_REQUEST',
    ],
    [
      'two lengths',
      rawRequest('POST /api/auth/request-otp', ['Content-Length: 4', 'Content-Length: 5'], 'canary'),
      'BAD_REQUEST',
    ],
    [
      'a length that is not a number',
      rawRequest('POST /api/auth/request-otp', ['Content-Length: canary']),
      'BAD_REQUEST',
    ],
    [
      'an invalid chunk',
      rawRequest(
        'POST /api/auth/request-otp',
        ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
        'canary\r\n',
      ),
      'BAD_REQUEST',
    ],
    ['no Host', 'GET /canary HTTP/1.1\r\nConnection: close\r\n\r\n', 'BAD_REQUEST'],
    ['two Hosts', rawRequest('GET /healthz', ['Host: canary.example']), 'BAD_REQUEST'],
    [
      'headers of more than 16 KiB',
      rawRequest('GET /', [`X-Canary: ${'canary'.repeat(3000)}`]),
      'HEADERS_TOO_LARGE',
    ],
    [
      'many small headers of more than 16 KiB',
      rawRequest(
        'GET /',
        Array.from({ length: 1500 }, (_, n) => `X-Canary-${n}: canary`),
      ),
      'HEADERS_TOO_LARGE',
    ],
    ['an address of more than 8 KiB', rawRequest(`GET /${'canary'.repeat(1500)}`), 'URI_TOO_LONG'],
    ['bad percent-encoding', rawRequest('GET /%zz/canary'), 'BAD_REQUEST'],
    [
      'a chunked body over its limit',
      rawRequest(
        'POST /api/auth/request-otp',
        ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
        `800\r\n${'canary'.repeat(342).slice(0, 2048)}\r\n0\r\n\r\n`,
      ),
      'BODY_TOO_LARGE',
    ],
    ['TRACE', rawRequest('TRACE /canary', ['X: canary']), 'NOT_FOUND'],
  ])('has the one shape and the protecting headers on a raw socket too (R46): %s', async (_, bytes, code) => {
    const answer = await sendRaw(await listen(app), bytes);
    expectError(answer, code);
    expectSafeHeaders(answer.headers);
  });

  test('is sent to a request that takes too long to arrive', () => {
    let written = '';
    const socket = { writable: true, end: (text: string) => void (written = text), destroy: () => {} };
    const error = Object.assign(new Error('canary'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    createClientErrorHandler(userPages(new URL('https://unsaid.example')), () => 'aaaaaaaaaaaa')(
      error,
      socket as never,
    );
    const [head = '', text = ''] = written.split('\r\n\r\n');
    const headers = Object.fromEntries(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(/: (.*)/su).slice(0, 2)),
    );
    expectError({ status: Number(head.split(' ')[1]), headers, text }, 'REQUEST_TIMEOUT');
    expectSafeHeaders(headers, true);
  });

  test('is not sent for an unknown Expect header, and 100-continue is served', async () => {
    const port = await listen(app);
    const odd = await sendRaw(port, rawRequest('GET /healthz', ['Expect: canary']));
    expect(odd).toMatchObject({ status: 200, text: '{"status":"up"}' });
    expectSafeHeaders(odd.headers);
    const body = '{}';
    const usual = await sendRaw(
      port,
      rawRequest(
        'POST /api/auth/logout',
        ['Expect: 100-continue', 'Content-Type: application/json', 'Content-Length: 2'],
        body,
      ),
    );
    expect(usual.status).toBe(100);
    expect(usual.text).toContain('HTTP/1.1 401');
  });

  test('of the server says INTERNAL and nothing about the cause', async () => {
    const broken = await ownTestApp();
    const me = await makeUser(broken);
    await withClient(broken.config.databaseUrl, (client) =>
      client.query('alter table identity.users rename column bio to canary'),
    );
    const answer = await broken.call(getSelf, { as: me });
    expectError(answer, 'INTERNAL');
    expectSafeHeaders(answer.headers);
    expect(answer.text).not.toMatch(/bio|column|select|42703|\.ts/iu);
  });

  test('says TEMPORARILY_UNAVAILABLE while the name of the database does not resolve', async () => {
    const away = await ownTestApp();
    const postgres = await startFaultProxy(postgresAddress(new URL(away.config.databaseUrl)));
    onTestFinished(() => postgres.close());
    const url = new URL(away.config.databaseUrl);
    [url.hostname, url.port, url.search] = ['localhost', String(postgres.port), ''];
    const beside = await startBeside(away, { databaseUrl: url.href });
    onTestFinished(() => beside.close());
    const me = await makeUser(away);
    expect((await beside.call(getSelf, { as: me })).status).toBe(200);
    await postgres.refuse();
    // As when compose's postgres is away, and as when the resolver is.
    for (const code of ['ENOTFOUND', 'EAI_AGAIN']) {
      const lookup = vi
        .spyOn(dns, 'lookup')
        .mockImplementation(((_name, _options, done) =>
          done(Object.assign(new Error(code), { code }))) as LookupLike as typeof dns.lookup);
      // The first calls may find that their connection is gone.
      const answers: Awaited<ReturnType<typeof beside.call>>[] = [];
      const lastCalls = async () => {
        lookup.mockClear();
        answers.push(await beside.call(getSelf, { as: me }));
        return lookup.mock.calls.length;
      };
      await expect.poll(lastCalls).toBeGreaterThan(0);
      lookup.mockRestore();
      for (const answer of answers) expectError(answer, 'TEMPORARILY_UNAVAILABLE');
    }
  });
});

describe('other origins', () => {
  const partner = 'https://partner.example';

  test('get no CORS grant by default, not even for a preflight (R56)', async () => {
    for (const method of ['GET', 'OPTIONS', 'POST'] as const) {
      const answer = await inject({
        method,
        url: '/api/auth/countries',
        headers: {
          origin: partner,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      if (method !== 'GET') expect(answer.status).toBe(404);
    }
  });

  test('get a CORS grant, preflight included, if they are in CORS_ORIGINS, and no others do', async () => {
    const open = await ownTestApp({ corsOrigins: [partner] });
    const preflight = (origin: string) =>
      inject(
        {
          method: 'OPTIONS',
          url: '/api/auth/request-otp',
          headers: { origin, 'sec-fetch-site': 'cross-site', 'access-control-request-method': 'POST' },
        },
        open,
      );
    const invited = await preflight(partner);
    expect(invited.status).toBe(204);
    expect(invited.headers).toMatchObject({
      'access-control-allow-origin': partner,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      vary: 'Origin',
    });
    expect(String(invited.headers['access-control-allow-headers'])).toMatch(/authorization.*content-type/u);
    expect(invited.headers).not.toHaveProperty('access-control-allow-credentials');

    const requestFrom = (origin: string, phone: string) =>
      open.call(requestOtp, {
        as: newActor(),
        body: { phone },
        headers: { origin, 'sec-fetch-site': 'cross-site' },
      });
    const welcome = await requestFrom(partner, makePhone());
    expect(welcome.status).toBe(200);
    expect(welcome.headers['access-control-allow-origin']).toBe(partner);
    // Errors need the grant too, or the page could not read the reason.
    const refused = await requestFrom(partner, 'x');
    expect(refused.status).toBe(422);
    expect(refused.headers['access-control-allow-origin']).toBe(partner);

    for (const stranger of [
      'https://evil.example',
      'null',
      `${partner}.evil.example`,
      `${partner}:444`,
      'http://partner.example',
      partner.toUpperCase(),
    ]) {
      expect((await preflight(stranger)).headers, stranger).not.toHaveProperty('access-control-allow-origin');
      const answer = await requestFrom(stranger, makePhone());
      expect(answer.status, stranger).toBe(403);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test('cannot make a visitor send codes or act: unsafe calls from another site are rejected (R56)', async () => {
    const phone = makePhone();
    for (const { method, path } of endpoints.filter((endpoint) => endpoint.method !== 'GET')) {
      const answer = await inject({
        method,
        url: path.replace(':id', 'x'),
        payload: { phone },
        headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      });
      expectError(answer, 'CROSS_SITE');
    }
    expect(app.deps.outbox.recent().filter(({ to }) => to === phone)).toEqual([]);
    for (const site of ['same-origin', 'same-site', 'none']) {
      const answer = await app.call(requestOtp, {
        as: newActor(),
        body: { phone: makePhone() },
        headers: { 'sec-fetch-site': site },
      });
      expect(answer.status, site).toBe(200);
    }
    // Reads are safe: no credential is ambient, and the calling page gets no grant.
    expect(
      (await inject({ url: '/api/auth/countries', headers: { 'sec-fetch-site': 'cross-site' } })).status,
    ).toBe(200);
  });
});

describe('health checks:', () => {
  test('/healthz reports up without any query', async () => {
    app.statements.length = 0;
    expect(await inject({ url: '/healthz' })).toMatchObject({ status: 200, text: '{"status":"up"}' });
    expect(app.statements).toEqual([]);
  });

  test('/readyz reports ready when Postgres, its migrations and Redis are, and not while draining', async () => {
    const { server, startDraining } = await buildApp(app.deps, app.features);
    onTestFinished(() => server.close());
    const before = await server.inject('/readyz');
    expect(before.statusCode).toBe(200);
    expect(before.json()).toEqual({
      status: 'ready',
      postgres: 'up',
      schemas: { identity: 'up', content: 'up', matching: 'up', moderation: 'up', jobs: 'up' },
      migrations: 'applied',
      redis: 'up',
      masterKeys: 'present',
      draining: false,
    });
    startDraining();
    const after = await server.inject('/readyz');
    expect(after.statusCode).toBe(503);
    expect(after.json()).toMatchObject({ status: 'not ready', draining: true });
    expect(after.headers['connection']).toBe('close');
    // A proxy that asks this sends nothing to a process that goes, and everything while Redis is away.
    expect((await server.inject('/healthz')).statusCode).toBe(503);
  });

  test('/readyz reports not ready while a migration is missing', async () => {
    const behind = await ownTestApp();
    await withClient(behind.config.databaseUrl, (client) =>
      client.query('delete from public.migrations where name = (select max(name) from public.migrations)'),
    );
    const answer = await inject({ url: '/readyz' }, behind);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 'not ready', migrations: 'pending' });
  });
});

describe('pictures and pages:', () => {
  test('a picture depends on its own name only: it is the same for everyone, for good, and has no active content (SC-26)', async () => {
    const me = await makeUser(app);
    const url = me.user.profilePic;
    expect(url).toMatch(/^\/avatars\/[A-Za-z0-9_-]{12}\.svg$/u);
    const first = await inject({ url });
    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toMatch(/^image\/svg\+xml/u);
    expect(first.headers['cache-control']).toBe('private, max-age=3600');
    expect(first.headers).not.toHaveProperty('set-cookie');
    expect(first.text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*<\/svg>$/u);
    expect(first.text).not.toMatch(/script|href|on\w+=|foreignObject|style|data:/iu);
    const again = await inject({ url, headers: { authorization: `Bearer ${me.token}`, cookie: 'a=b' } });
    expect(again.text).toBe(first.text);
    // Another server, with other keys and other users, draws the same.
    const elsewhere = await ownTestApp();
    expect((await inject({ url }, elsewhere)).text).toBe(first.text);
    expect((await inject({ url: '/avatars/AAAAAAAAAAAB.svg' })).text).not.toBe(first.text);
  });

  test('a picture reveals nothing about its user: not the id, the number, or the picture before (SC-26)', async () => {
    const people = await Promise.all([makeUser(app), makeUser(app), makeUser(app)]);
    const seeds = people.map(({ user }) => user.profilePic);
    expect(new Set(seeds).size).toBe(3);
    for (const person of people) {
      expect(person.user.profilePic).not.toContain(person.user._id);
      expect(person.user.profilePic).not.toContain(person.phone.slice(-8));
    }
  });

  test('a name that is not a seed returns not found', async () => {
    for (const name of [
      'x',
      'a'.repeat(13),
      '%3Cscript%3E',
      '..%2f..%2fetc',
      'AAAAAAAAAAA%00',
      'neutral%2e',
      'a'.repeat(63),
      'a'.repeat(80),
    ]) {
      expectError(await inject({ url: `/avatars/${name}.svg` }), 'NOT_FOUND');
    }
  });

  test('after a restore that lost something every page says so, and no other text gets into it', async () => {
    const span = '2026-11-18T01:05:00Z/2026-11-18T03:20:00Z';
    const told = await ownTestApp({ webRoot, dataLost: span });
    for (const url of ['/', '/some/page']) {
      const page = await inject({ url, headers: { 'accept-encoding': 'br' } }, told);
      expectSafeHeaders(page.headers);
      expect(page.text).toContain(`<meta name="data-lost" content="${span}" />`);
      expect(page.headers['cache-control']).toBe('no-cache');
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    }
    const read = (value: string) => readConfig({ NODE_ENV: 'test', DATA_LOST: value }).dataLost;
    expect([read(span), read('')]).toEqual([span, null]);
    const [from = '', until = ''] = span.split('/');
    for (const wrong of [from, `${until}/${from}`, `${from}/soon`, `${from}"><script>/${until}`])
      expect(() => read(wrong)).toThrow(/DATA_LOST must look like/u);
  });

  test('assets with a hashed name are cached for good, and the page itself is revalidated', async () => {
    const asset = await inject({ url: '/assets/index-abc.js' });
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const url of ['/', '/some/page']) {
      const page = await inject({ url });
      expect(page.text).toBe(await readFile(`${webRoot}/index.html`, 'utf8'));
      expect(page.headers['cache-control']).toBe('no-cache');
      expect((await inject({ url, headers: { 'accept-encoding': 'br' } })).headers['content-encoding']).toBe(
        'br',
      );
    }
  });
});
