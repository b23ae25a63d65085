import { once } from 'node:events';
import net from 'node:net';
import {
  errorBody,
  limits,
  livePath,
  liveProtocol,
  liveTicketPrefix,
  logout,
  openLiveTicket,
  pollLiveCounts,
  revokeOtherSessions,
} from '@unsaid/contract';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { sendFrame } from '../src/platform/live/beat-sender.ts';
import { toFrame } from '../src/platform/live/frame.ts';
import { newActor, ownTestApp, startBehindProxy, startBeside, useTestApp, type TestApp } from './app.ts';
import { skipOnCluster } from './redis.ts';
import { makeUser, makeVent, signIn, suspend } from './factories.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { knock, openLine, roundTrip, runClock, takeTicket, type Line } from './live.ts';
import { listen, rawRequest, sendRaw } from './socket.ts';

const app = useTestApp();
const tickMs = 25_000;

/** Closes what a successful knock opened, and says how it ended. */
async function statusOf(knocked: Promise<Line | number>): Promise<number> {
  const line = await knocked;
  if (typeof line === 'number') return line;
  line.socket.terminate();
  return 101;
}

async function metric(which: TestApp, name: string): Promise<string> {
  return which.deps.metrics.registry.getSingleMetricAsString(name);
}

describe('a ticket', () => {
  test('opens one connection: the second use is refused, in another process too', async () => {
    const me = await makeUser(app);
    const second = await startBeside(app);
    onTestFinished(second.close);
    const ticket = await takeTicket(app, me);
    expect(await statusOf(knock(app, { ticket }))).toBe(101);
    expect(await statusOf(knock(app, { ticket }))).toBe(401);
    expect(await statusOf(knock(second, { ticket }))).toBe(401);
    const raced = await takeTicket(app, me);
    const outcomes = await Promise.all(
      [app, second, app, second].map((which) => statusOf(knock(which, { ticket: raced }))),
    );
    expect(outcomes.toSorted()).toEqual([101, 401, 401, 401]);
  });

  test('is refused when it is forged, changed, missing or half a minute old', async () => {
    const me = await makeUser(app);
    const good = await takeTicket(app, me);
    const changed = Buffer.from(good, 'base64url');
    changed[40] = (changed[40] ?? 0) ^ 1;
    for (const ticket of ['', 'A', 'A'.repeat(4560), changed.toString('base64url'), good.slice(0, -4)])
      expect(await statusOf(knock(app, { ticket })), ticket.slice(0, 10)).toBe(401);
    expect(await statusOf(knock(app, { protocols: [liveProtocol] }))).toBe(401);
    const old = await takeTicket(app, me);
    app.clock.advance(29_999);
    expect(await statusOf(knock(app, { ticket: old }))).toBe(101);
    app.clock.advance(1);
    expect(await statusOf(knock(app, { ticket: good }))).toBe(401);
  });

  test('of a session that has ended since opens nothing; another session of the account stays', async () => {
    const me = await makeUser(app);
    const other = await signIn(app, me.phone);
    const [mine, others] = [await takeTicket(app, me), await takeTicket(app, other)];
    expect((await app.call(logout, { as: me })).status).toBe(200);
    expect(await statusOf(knock(app, { ticket: mine }))).toBe(401);
    expect(await statusOf(knock(app, { ticket: others }))).toBe(101);
  });

  test('has one length, with and without a cursor, and contains neither token nor cursor in the clear', async () => {
    const me = await makeUser(app);
    const cursors = [undefined, '', 'abcd', 'x'.repeat(1000), 'y'.repeat(limits.inboxCursorChars)];
    const answers = [];
    for (const cursor of cursors)
      answers.push(await app.call(openLiveTicket, { as: me, body: cursor === undefined ? {} : { cursor } }));
    expect(new Set(answers.map(({ body }) => body.ticket.length)).size).toBe(1);
    const hash = app.deps.seals.lookupKey('session', me.token);
    for (const { body } of answers) {
      const bytes = Buffer.from(body.ticket, 'base64url');
      expect(bytes.includes(hash)).toBe(false);
      // One header line of at most 8 kB passes proxies with their usual settings.
      expect(body.ticket.length).toBeLessThan(6000);
    }
    for (const cursor of ['x'.repeat(limits.inboxCursorChars + 1), 'with space', 'é'])
      expect((await app.call(openLiveTicket, { as: me, body: { cursor } })).status).toBe(422);
  });

  test('is limited by a budget of its own', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const me = await makeUser(strict);
    const statuses = [];
    for (let n = 0; n < 31; n += 1)
      statuses.push((await strict.call(openLiveTicket, { as: me, body: {} })).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.at(-1)).toBe(429);
    expect((await strict.call(pollLiveCounts, { as: me, body: {} })).status).toBe(200);
  });

  test('is open to suspended people', async () => {
    const me = await makeUser(app);
    await suspend(app, me);
    const line = await openLine(app, me);
    expect(line.socket.protocol).toBe(liveProtocol);
  });
});

describe('the handshake', () => {
  test('needs our own origin, or one of CORS_ORIGINS', async () => {
    const friend = 'https://friend.example';
    const wide = await ownTestApp({ corsOrigins: [friend] });
    const me = await makeUser(wide);
    const ticket = await takeTicket(wide, me);
    const own = wide.config.publicOrigin.origin;
    for (const origin of ['', 'null', 'https://elsewhere.example', `${own}.elsewhere.example`, `${own}/`])
      expect(await statusOf(knock(wide, { ticket, origin })), origin).toBe(403);
    // Refused before the ticket is looked at: it is still good.
    expect(await statusOf(knock(wide, { ticket, origin: friend }))).toBe(101);
    expect(await statusOf(knock(wide, { ticket: await takeTicket(wide, me) }))).toBe(101);
  });

  test('is offered at its exact path only; elsewhere an Upgrade header changes nothing', async () => {
    const me = await makeUser(app);
    const port = await listen(app);
    for (const path of [`${livePath}/`, `${livePath}?ticket=x`, `/x${livePath}`, '/api/vent/all'])
      expect(await statusOf(knock(app, { ticket: await takeTicket(app, me), path })), path).not.toBe(101);
    const health = await sendRaw(
      port,
      rawRequest('GET /healthz', ['Upgrade: h2c']).replace('Connection: close', 'Connection: Upgrade, close'),
    );
    expect(health.status).toBe(200);
    const plain = await sendRaw(port, rawRequest(`GET ${livePath}`));
    expect(plain.status).toBe(404);
    expect(errorBody.safeParse(JSON.parse(plain.text)).success).toBe(true);
  });

  test('is refused with our security headers and nothing else', async () => {
    const port = await listen(app);
    const refused = await sendRaw(
      port,
      rawRequest(`GET ${livePath}`, [
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ]).replace('Connection: close', 'Connection: Upgrade'),
    );
    expect([refused.status, refused.text]).toEqual([403, '']);
    expect(refused.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    });
  });

  test('that is refused ends the connection, also of a client that keeps its half open', async () => {
    const own = await ownTestApp();
    const port = await listen(own);
    const client = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => {});
    client.write(
      rawRequest(`GET ${livePath}`, ['Upgrade: websocket']).replace(
        'Connection: close',
        'Connection: Upgrade',
      ),
    );
    client.resume();
    await once(client, 'end');
    const open = () =>
      new Promise<number>(
        (resolve) => void own.server.server.getConnections((_error, count) => resolve(count)),
      );
    await expect.poll(open).toBe(0);
    client.destroy();
  });

  test('is refused with 503 beyond the connections of a process, and with 429 beyond five of a person', async () => {
    const small = await ownTestApp({ live: { ...app.config.live, socketsMax: 7 } });
    const [me, other] = [await makeUser(small), await makeUser(small)];
    const lines = [];
    for (let n = 0; n < 5; n += 1) lines.push(await openLine(small, me));
    expect(await statusOf(knock(small, { ticket: await takeTicket(small, me) }))).toBe(429);
    // Also from another device of the same person.
    const again = await signIn(small, me.phone);
    expect(await statusOf(knock(small, { ticket: await takeTicket(small, again) }))).toBe(429);
    await openLine(small, other);
    await openLine(small, other);
    expect(await statusOf(knock(small, { ticket: await takeTicket(small, other) }))).toBe(503);
    lines[0]?.socket.close();
    await lines[0]?.closed;
    await vi.waitUntil(async () => (await metric(small, 'unsaid_live_sockets')).endsWith(' 6'));
    await openLine(small, me);
  });

  test('counts those that come in the same moment, too', async () => {
    const { second, redis } = await startBehindProxy(app);
    const me = await makeUser(second);
    await listen(second);
    const tickets = [];
    for (let n = 0; n < 20; n += 1) tickets.push(await takeTicket(second, me));
    // No connection is open before all tickets have been used.
    const countUsed = async () => (await app.redis.keys(`${app.config.redisPrefix}live-ticket:*`)).length;
    const usedBefore = await countUsed();
    const release = redis.holdAnswers();
    const knocking = tickets.map((ticket) => knock(second, { ticket }));
    await expect.poll(countUsed).toBe(usedBefore + tickets.length);
    release();
    const knocked = await Promise.all(knocking);
    const lines = knocked.filter((line) => typeof line !== 'number');
    for (const { socket } of lines) socket.terminate();
    expect(lines).toHaveLength(5);
    expect(new Set(knocked.filter((line) => typeof line === 'number'))).toEqual(new Set([429]));
  });

  test('that is malformed is refused as any other, with a good ticket too', async () => {
    const me = await makeUser(app);
    const port = await listen(app);
    const version = 'Sec-WebSocket-Version: 13';
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    for (const [headers, offered] of [
      [[version], liveProtocol],
      [['Sec-WebSocket-Version: 99', key], liveProtocol],
      [[version, key], `${liveProtocol}, ${liveProtocol}`],
    ] as const) {
      const ticket = await takeTicket(app, me);
      const refused = await sendRaw(
        port,
        rawRequest(`GET ${livePath}`, [
          ...headers,
          'Upgrade: websocket',
          `Origin: ${app.config.publicOrigin.origin}`,
          `Sec-WebSocket-Protocol: ${offered}, ${liveTicketPrefix}${ticket}`,
        ]).replace('Connection: close', 'Connection: Upgrade'),
      );
      expect([refused.status, refused.text]).toEqual([400, '']);
      expect(refused.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    }
  });

  test('does not negotiate compression', async () => {
    const line = await openLine(app, await makeUser(app));
    expect(line.socket.extensions).toBe('');
  });
});

describe('a connection', () => {
  test('gets one tick of 512 bytes every 25 seconds', async () => {
    const me = await makeUser(app);
    await makeVent(app, me);
    const line = await openLine(app, me);
    await runClock(app, 5 * tickMs, [line], { stepMs: 100 });
    expect(line.frames).toHaveLength(5);
    expect(new Set(line.frames.map(({ bytes }) => bytes))).toEqual(new Set([512]));
    const gaps = line.frames.slice(1).map(({ at }, n) => at - (line.frames[n]?.at ?? 0));
    expect(gaps).toEqual([tickMs, tickMs, tickMs, tickMs]);
    expect(line.frames.at(-1)?.tick).toMatchObject({
      kind: 'tick',
      counts: { messages: 0, answers: 0, gifts: 0, matches: 0, account: 0 },
      newestVentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/u) as string,
    });
  });

  test('ends after 25 to 35 minutes with 4408', async () => {
    const own = await ownTestApp();
    const line = await openLine(own, await makeUser(own));
    const from = own.clock.now();
    await runClock(own, 25 * 60_000, [line], { stepMs: 5000 });
    expect(line.socket.readyState).toBe(WebSocket.OPEN);
    for (let n = 0; n < 130 && line.socket.readyState === WebSocket.OPEN; n += 1)
      await runClock(own, 5000, [line], { stepMs: 5000 });
    expect(await line.closed).toBe(4408);
    expect(own.clock.now() - from).toBeLessThanOrEqual(35 * 60_000 + 2 * tickMs);
  });

  test('that answers no ping is ended at the next tick', async () => {
    const own = await ownTestApp();
    const me = await makeUser(own);
    const [mute, alive] = [await openLine(own, me), await openLine(own, me)];
    (mute.socket as unknown as { _autoPong: boolean })._autoPong = false;
    await runClock(own, 2 * tickMs + 1000, [mute, alive]);
    expect(await mute.closed).toBe(1006);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('closes with 4401 as soon as its session ends, in every process, and no other', async () => {
    const second = await startBeside(app);
    onTestFinished(second.close);
    const me = await makeUser(app);
    const elsewhere = await signIn(app, me.phone);
    const bystander = await makeUser(app);
    const here = await openLine(app, me);
    const there = await openLine(second, me);
    const kept = [await openLine(second, elsewhere), await openLine(second, bystander)];
    // The clock stands still: no tick can have found it.
    expect((await app.call(logout, { as: me })).status).toBe(200);
    expect(await Promise.all([here.closed, there.closed])).toEqual([4401, 4401]);
    const other = await openLine(app, elsewhere);
    const last = await signIn(app, me.phone);
    expect((await app.call(revokeOtherSessions, { as: last })).status).toBe(200);
    expect(await Promise.all([kept[0]?.closed, other.closed])).toEqual([4401, 4401]);
    expect(kept[1]?.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('closes at the next tick if nobody announced the end of its session', async () => {
    const me = await makeUser(app);
    const line = await openLine(app, me);
    await app.deps.databases.identity
      .deleteFrom('identity.sessions')
      .where('tokenKey', '=', app.deps.seals.lookupKey('session', me.token))
      .execute();
    await runClock(app, tickMs, [line]);
    expect(await line.closed).toBe(4401);
  });

  test('closes with 1008 at the 21st frame of a minute, and not at 20 in each', async () => {
    const [calm, flood] = [await makeUser(app), await makeUser(app)];
    const seen = JSON.stringify({ kind: 'seen', cursor: 'abc' });
    const calmLine = await openLine(app, calm);
    for (let minute = 0; minute < 3; minute += 1) {
      for (let n = 0; n < 19; n += 1) calmLine.socket.send(seen);
      // A ping is the twentieth.
      await roundTrip(calmLine);
      app.clock.advance(60_000);
    }
    expect(calmLine.socket.readyState).toBe(WebSocket.OPEN);
    const floodLine = await openLine(app, flood);
    for (let n = 0; n < 2000; n += 1) floodLine.socket.send(seen);
    expect(await floodLine.closed).toBe(1008);
    const pingLine = await openLine(app, flood);
    for (let n = 0; n < 100; n += 1) pingLine.socket.ping();
    expect(await pingLine.closed).toBe(1008);
  });

  test('closes with 1008 for any other frame, and with 1009 for a long one', async () => {
    const me = await makeUser(app);
    const wrong = [
      'x',
      '{}',
      '[]',
      'null',
      '{"kind":"seen"}',
      '{"kind":"seen","cursor":5}',
      '{"kind":"seen","cursor":"a b"}',
      '{"kind":"watch","conversation":"x"}',
      Buffer.from('{"kind":"seen","cursor":"abc"}'),
    ];
    for (const frame of wrong) {
      const line = await openLine(app, me);
      line.socket.send(frame);
      expect(await line.closed, String(frame)).toBe(1008);
    }
    const full = await openLine(app, me);
    full.socket.send(JSON.stringify({ kind: 'seen', cursor: 'x'.repeat(limits.inboxCursorChars) }));
    await runClock(app, tickMs, [full]);
    expect(full.socket.readyState).toBe(WebSocket.OPEN);
    const long = await openLine(app, me);
    long.socket.send(JSON.stringify({ kind: 'seen', cursor: 'x'.repeat(limits.inboxCursorChars + 100) }));
    expect(await long.closed).toBe(1009);
  });

  test('whose other side does not read is closed with 1013, and its memory is bounded', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => server.close());
    await once(server, 'listening');
    const opened = once(server, 'connection') as Promise<[WebSocket]>;
    const { port } = server.address() as { port: number };
    const reader = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(reader, 'open');
    const [writer] = await opened;
    reader.pause();
    let sent = 0;
    // Fills the buffers of the kernel first.
    while (sendFrame(writer, toFrame({ kind: 'tick' }))) sent += 1;
    expect(writer.bufferedAmount).toBeLessThan(256 * 1024 + 2000);
    expect(sendFrame(writer, 'x')).toBe(false);
    reader.resume();
    const [code] = (await once(reader, 'close')) as [number];
    expect(code).toBe(1013);
    expect(sent).toBeGreaterThan(256 * 2);
  });
});

describe('shutting down', () => {
  test('closes every connection with 1012 within the time, refuses new ones, and then the server closes', async () => {
    const leaving = await ownTestApp();
    const people = [await makeUser(leaving), await makeUser(leaving)];
    const lines = [];
    for (const me of people) for (let n = 0; n < 5; n += 1) lines.push(await openLine(leaving, me));
    const ticket = await takeTicket(leaving, people[0] ?? {});
    const drained = leaving.live.drain(300);
    expect(await statusOf(knock(leaving, { ticket }))).toBe(503);
    await drained;
    expect(await Promise.all(lines.map(({ closed }) => closed))).toEqual(lines.map(() => 1012));
  });

  test('ends connections that do not answer a close', async () => {
    const leaving = await ownTestApp();
    const line = await openLine(leaving, await makeUser(leaving));
    line.socket.pause();
    await leaving.live.drain(0);
    expect(await metric(leaving, 'unsaid_live_sockets')).toMatch(/ 0$/u);
  });
});

describe('without Redis', () => {
  test('tickets work once in each process, ticks go on, and a log-out closes at the next tick elsewhere', async () => {
    const { second, redis } = await startBehindProxy(app);
    const me = await makeUser(second);
    const line = await openLine(second, me);
    const elsewhere = await openLine(app, me);
    await redis.refuse();
    const ticket = await takeTicket(second, me);
    expect(await statusOf(knock(second, { ticket }))).toBe(101);
    expect(await statusOf(knock(second, { ticket }))).toBe(401);
    await runClock(second, 2 * tickMs, [line]);
    expect(line.frames).toHaveLength(2);
    // In the same process at once, in the other one, which nobody told, by the next tick.
    expect((await second.call(logout, { as: me })).status).toBe(200);
    expect(await line.closed).toBe(4401);
    await runClock(app, tickMs, [elsewhere]);
    expect(await elsewhere.closed).toBe(4401);
  });
});

test('a process that started without Redis closes at once, too, when Redis is back', async () => {
  skipOnCluster(app.config);
  const listeners = () =>
    app.deps.redis.run(async (client) => {
      const channel = `${app.config.redisPrefix}live-sessions-ended`;
      return Number((await client.pubsub('NUMSUB', channel))[1]);
    });
  const before = await listeners();
  expect(before).toBeGreaterThan(0);
  const redis = await startFaultProxy({
    host: '127.0.0.1',
    port: Number(new URL(app.config.redisUrl).port || 6379),
  });
  await redis.refuse();
  const second = await startBeside(app, { redisUrl: `redis://127.0.0.1:${redis.port}` });
  onTestFinished(async () => {
    await redis.restore();
    await second.close();
    await redis.close();
  });
  await redis.restore();
  await expect.poll(listeners).toBe(before + 1);
  const me = await makeUser(app);
  const line = await openLine(second, me);
  expect((await app.call(logout, { as: me })).status).toBe(200);
  expect(await line.closed).toBe(4401);
});

describe('without PostgreSQL', () => {
  test('ticks go on with the last counts, and stay in step when it returns', async () => {
    const { hostname, port } = new URL(app.config.databaseUrl);
    const proxy = await startFaultProxy({ host: hostname, port: Number(port || 5432) });
    const url = new URL(app.config.databaseUrl);
    url.port = String(proxy.port);
    const second = await startBeside(app, { databaseUrl: url.href });
    onTestFinished(async () => {
      await proxy.restore();
      await second.close();
      await proxy.close();
    });
    const me = await makeUser(app);
    const line = await openLine(second, me);
    await runClock(second, tickMs, [line], { stepMs: 500 });
    await proxy.refuse();
    await runClock(second, 3 * tickMs, [line], { stepMs: 500 });
    await proxy.restore();
    await runClock(second, 2 * tickMs, [line], { stepMs: 500 });
    expect(line.frames).toHaveLength(6);
    const gaps = line.frames.slice(1).map(({ at }, n) => at - (line.frames[n]?.at ?? 0));
    expect(new Set(gaps)).toEqual(new Set([tickMs]));
    expect(second.log.lines.join('')).toContain('live_count_failed');
    expect(line.socket.readyState).toBe(WebSocket.OPEN);
  });
});

describe('what is recorded', () => {
  test('metrics and log have no label of a person, and Redis keeps no name of one', async () => {
    const own = await ownTestApp();
    const me = await makeUser(own);
    const ticket = await takeTicket(own, me);
    const line = await knock(own, { ticket });
    if (typeof line === 'number') throw new Error(String(line));
    await runClock(own, tickMs, [line]);
    line.socket.close(4321);
    await line.closed;
    await vi.waitUntil(async () => (await metric(own, 'unsaid_live_closed_total')).includes('other'));
    const metrics = await own.deps.metrics.registry.metrics();
    const mine = metrics.split('\n').filter((text) => text.startsWith('unsaid_live'));
    const labels = mine.flatMap((text) => [...text.matchAll(/(\w+)="([^"]*)"/gu)].map(([, name]) => name));
    expect(new Set(labels)).toEqual(new Set(['outcome', 'code', 'kind', 'cause']));
    expect(mine.join('\n')).not.toContain('4321');
    const kept = JSON.stringify([own.log.lines, await own.redis.keys(`${own.config.redisPrefix}*`), mine]);
    for (const secret of [me.token.slice(4), ticket.slice(0, 40), me.user._id, line.socket.url])
      expect(kept).not.toContain(secret);
    const closed = own.log.lines
      .map((text) => JSON.parse(text) as object)
      .filter((one) => 'event' in one && one.event === 'live_closed');
    expect(closed.map((one) => Object.keys(one).toSorted())).toEqual([['event', 'level', 'status', 'time']]);
  });
});

describe('polling', () => {
  test('gives the same counts as a tick, always of one length, and forbids proxies to compress it', async () => {
    const me = await makeUser(app);
    const line = await openLine(app, me);
    await runClock(app, tickMs, [line]);
    const first = await app.call(pollLiveCounts, { as: me, body: {} });
    const next = await app.call(pollLiveCounts, { as: me, body: { counted: first.body.counted } });
    expect(first.body.counts).toEqual(line.frames.at(-1)?.tick.counts);
    expect(next.body.counts).toEqual(first.body.counts);
    expect([first, next].map(({ text }) => Buffer.byteLength(text))).toEqual([512, 512]);
    expect(first.headers['cache-control']).toBe('no-store, no-transform');
    const forged = await app.call(pollLiveCounts, { as: me, body: { counted: 'AAAA' } });
    expect(forged.status).toBe(200);
  });
});

test('an unknown address gets no ticket', async () => {
  expect((await app.call(openLiveTicket, { as: newActor(), body: {} })).status).toBe(401);
  expect(liveTicketPrefix).toBe('ticket.');
});
