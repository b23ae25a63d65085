import { rm } from 'node:fs/promises';
import { endpoints, getSelf, getUser, requestOtp, updateDetails, verifyOtp } from '@unsaid/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../src/platform/logger.ts';
import { newActor, ownTestApp, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import { createLogSink } from './fakes.ts';
import { makeUser } from './factories.ts';
import { makeWebRoot } from './routes.ts';
import { listen, rawRequest, sendRaw } from './socket.ts';

const allowed = new Set([
  ...[
    'level',
    'time',
    'event',
    'requestId',
    'method',
    'route',
    'status',
    'durationMs',
    'errorCode',
    'errorName',
    'stack',
    'role',
  ],
]);

interface Line {
  readonly event: string;
  readonly route?: string;
  readonly [field: string]: unknown;
}

const linesOf = (app: TestApp) => app.log.lines.map((line) => JSON.parse(line) as Line);

/** The log is written after the response is sent, a moment after the test receives it. */
async function expectRequests(app: TestApp, count: number): Promise<Line[]> {
  await expect.poll(() => linesOf(app).filter(({ event }) => event === 'request').length).toBe(count);
  return linesOf(app);
}

describe('the log', () => {
  test('has named fields only, and no address, body, query, person, token, code or number (R59, SC-30)', async () => {
    const webRoot = await makeWebRoot();
    onTestFinished(() => rm(webRoot, { recursive: true }));
    const app = await ownTestApp({ webRoot });
    const actor = { ...newActor(), address: '198.51.77.99' };
    const canary = 'canary-8813';
    const headers = {
      'user-agent': canary,
      referer: `https://${canary}.example`,
      'x-forwarded-for': '192.0.2.201',
      cookie: `a=${canary}`,
    };
    const me = await makeUser(app);
    const code = app.deps.outbox.recent()[0]?.code ?? '';
    const as = { ...me, address: actor.address };
    await app.call(requestOtp, { as, body: { phone: canary }, headers });
    await app.call(verifyOtp, { as, body: { phone: me.phone, otp: '000000' }, headers });
    await app.call(getSelf, { as, headers });
    await app.call(getSelf, { as: { ...actor, token: `uns_${'A'.repeat(51)}` }, headers });
    await app.call(updateDetails, { as, body: { bio: canary, interests: [canary] }, headers });
    await app.call(updateDetails, { as, body: { bio: `${canary}\0` }, headers });
    await app.call(getUser, { as, params: { id: me.user._id }, headers });
    await app.call(getUser, { as, params: { id: canary }, headers });
    for (const url of [
      `/${canary}?${canary}`,
      `/api/${canary}`,
      `/api/auth/user?token=${me.token}&q=${canary}`,
      `/avatars/${canary}.svg`,
      `/${canary}.js`,
    ]) {
      await app.server.inject({ url, headers, remoteAddress: actor.address });
    }
    const lines = await expectRequests(app, 2 + 8 + 5);
    for (const line of lines) {
      for (const field of Object.keys(line)) expect(allowed).toContain(field);
    }
    const routes = new Set<unknown>([
      'none',
      '/*',
      '/avatars/:name.svg',
      ...endpoints.map(({ path }) => path),
    ]);
    for (const { route } of lines) expect(routes).toContain(route);
    const whole = app.log.lines.join('');
    for (const secret of [
      ...[
        canary,
        actor.address,
        '192.0.2.201',
        me.address ?? '-',
        me.phone,
        me.phone.slice(3),
        me.token,
        me.token.slice(4),
        me.user._id,
      ],
      ...[me.user.profilePic, code, app.config.redisPrefix],
    ]) {
      expect(whole).not.toContain(secret);
    }
  });

  test('says where an internal error happened, without its message, which may quote user input', async () => {
    const app = await ownTestApp();
    const me = await makeUser(app);
    const canary = 'canary-9924';
    await withClient(app.config.databaseUrl, (client) =>
      client.query(`
        create function quote_bio() returns trigger language plpgsql as
          $$ begin raise exception 'invalid input: %', new.bio; end $$;
        create trigger quote_bio before update on identity.users for each row execute function quote_bio()`),
    );
    const answer = await app.call(updateDetails, { as: me, body: { bio: canary } });
    expect(answer.status).toBe(500);
    const fault = linesOf(app).find(({ event }) => event === 'internal_error');
    expect(fault).toMatchObject({
      level: 'error',
      route: updateDetails.path,
      errorCode: 'P0001',
      requestId: expect.any(String),
    });
    expect(JSON.parse(answer.text)).toMatchObject({ requestId: fault?.['requestId'] });
    expect(fault?.['stack']).toMatch(/^\s+at /u);
    for (const line of linesOf(app)) for (const field of Object.keys(line)) expect(allowed).toContain(field);
    expect(app.log.lines.join('')).not.toMatch(new RegExp(`${canary}|invalid input|${me.user._id}`, 'u'));
  });

  test('cannot be forged: a line break in a URL, a header or a method makes no line of its own (R59)', async () => {
    const app = await ownTestApp();
    const forged = '{"level":"error","event":"forged"}';
    const paths = [
      `/%0A${encodeURIComponent(forged)}%0A`,
      `/%0d%0a${encodeURIComponent(forged)}`,
      `/%E2%80%A8${encodeURIComponent(forged)}`,
    ];
    for (const url of paths) await app.server.inject({ url: `${url}.x` });
    await app.server.inject({ url: '/readyz', headers: { 'user-agent': `\\n${forged}` } });
    const port = await listen(app);
    await sendRaw(port, rawRequest(`GET /healthz\n${forged}`));
    await sendRaw(port, `${forged}\r\n\r\n`);
    await expectRequests(app, paths.length + 1);
    for (const line of app.log.lines) {
      expect(line.endsWith('\n')).toBe(true);
      expect(line.trimEnd()).not.toMatch(/[\r\n\u2028\u2029]/u);
      expect(line).not.toContain('forged');
    }
  });

  test('drops a field that is not on the list, even when code passes it', () => {
    const sink = createLogSink();
    createLogger('info', sink).info({
      event: 'x',
      userId: '7',
      phone: '+91',
      body: { a: 1 },
      err: new Error('secret'),
    } as never);
    const line = JSON.parse(sink.lines[0] ?? '') as Line;
    expect(Object.keys(line).toSorted()).toEqual(['event', 'level', 'time']);
  });

  test('has no person or address, and neither do the metrics, which name routes and outcomes (SC-30)', async () => {
    const app = await ownTestApp();
    const me = await makeUser(app);
    await app.call(getUser, { as: me, params: { id: me.user._id } });
    await app.server.inject({ url: `/api/${me.user._id}` });
    await expectRequests(app, 4);
    const text = await app.deps.metrics.registry.metrics();
    expect(text).toContain('route="/api/auth/user/:id"');
    for (const secret of [me.user._id, me.phone.slice(3), me.token, me.address ?? '-'])
      expect(text).not.toContain(secret);
  });
});
