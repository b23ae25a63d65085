import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  commentOnVent,
  createVent,
  endpoints,
  getSelf,
  listInbox,
  listVents,
  liveCloseCodes,
  logout,
  matchHistory,
  markInboxSeen,
  openLiveTicket,
  pollLiveCounts,
  searchVents,
  type Endpoint,
} from '@unsaid/contract';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bareEnv } from '../../testkit/child-processes.ts';
import { spawnServer } from '../../testkit/server-process.ts';
import { callsOf, isWriting } from '../src/paused-calls.ts';
import { switchNames, type SwitchName } from '../src/platform/switches.ts';
import { newActor, startBeside, startReadOnly, usePool, useTestApp } from './app.ts';
import { makeComment, makeUser, makeVent, makeWeekOfVents, releaseHeldVents, signIn } from './factories.ts';
import { postgresAddress, startFaultProxy } from './fault-proxy.ts';
import { knock, openLine, takeTicket } from './live.ts';
import { fullTier } from './runs.ts';

/** What operators turn off for a while. */

const app = useTestApp();
const owner = usePool(app);

async function turnOff(...names: SwitchName[]): Promise<void> {
  await owner.query('delete from public.switches');
  for (const name of names) await owner.query('insert into public.switches values ($1)', [name]);
  await app.deps.switches.refresh();
}
afterEach(() => turnOff());

/** The code of the response, which is read before the call's input. */
async function codeOf(endpoint: Endpoint): Promise<string> {
  const params = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/gu)].map(([, name]) => [name, 'x']));
  const { body } = await app.call(endpoint, { as: newActor(), params } as never);
  return (body as { code?: string }).code ?? '';
}
const pausedCalls = async () => {
  const codes = await Promise.all(
    endpoints.map(async (endpoint) => [endpoint, await codeOf(endpoint)] as const),
  );
  return codes.filter(([, code]) => code === 'PAUSED').map(([endpoint]) => endpoint);
};

test('without a switch that is off nothing is paused', async () => {
  expect(await pausedCalls()).toEqual([]);
});

test.each(Object.entries(callsOf))('%s off: exactly its calls are paused', async (name, calls) => {
  await turnOff(name as SwitchName);
  expect((await pausedCalls()).toSorted()).toEqual(calls.toSorted());
});

test('writing off: every call that writes is paused, people read on, and can leave', async () => {
  const person = await makeUser(app);
  const { id } = await makeVent(app, person);
  await turnOff('writing');
  expect((await pausedCalls()).toSorted()).toEqual(endpoints.filter(isWriting).toSorted());
  const paused = await app.call(createVent, { as: person, body: { title: 'a', text: 'b', emotion: 'Sad' } });
  expect([paused.status, paused.headers['retry-after'], paused.body.message]).toEqual([
    503,
    '60',
    "We've paused this for now. Please come back later.",
  ]);
  expect((await app.call(listVents, { as: person })).body.vents.map(({ _id }) => _id)).toContain(id);
  for (const endpoint of [getSelf, matchHistory])
    expect((await app.call(endpoint, { as: person })).status).toBe(200);
  expect((await app.call(markInboxSeen, { as: person, body: { cursor: '', shown: [] } })).body.code).not.toBe(
    'PAUSED',
  );
  expect((await app.call(logout, { as: person })).status).toBe(200);
});

test('the calls that stay open without writing work where PostgreSQL refuses to write', async () => {
  const [person, reader] = [await makeUser(app), await makeUser(app)];
  const { id } = await makeVent(app, person);
  await makeComment(app, reader, id);
  const { cursor } = (await app.call(listInbox, { as: person, query: {} })).body;
  const beside = await startReadOnly(app);
  onTestFinished(beside.close);
  const { body: self } = await beside.call(getSelf, { as: person });
  const bodies = new Map<Endpoint, object>([
    [markInboxSeen, { cursor, shown: [] }],
    [pollLiveCounts, { cursor }],
    [openLiveTicket, {}],
    [searchVents, {}],
  ]);
  const open = endpoints.filter((endpoint) => endpoint !== logout && !isWriting(endpoint));
  expect(open.length).toBeGreaterThan(20);
  for (const endpoint of open) {
    const params = endpoint.path.includes('/user/') ? { id: self.user._id } : { id };
    const query = endpoint === searchVents ? { query: 'words' } : {};
    const answer = await beside.call(endpoint, {
      as: person,
      params,
      query,
      body: bodies.get(endpoint),
    } as never);
    expect(answer.status, `${endpoint.path}: ${answer.text}`).toBeLessThan(500);
    if (answer.status >= 400) console.log(`${endpoint.path}: ${answer.status}`);
  }
});

test.each(['vents', 'writing'] as const)('%s off: a vent that was held back waits on', async (name) => {
  // What is held goes out within the hour. The vents of a week are counted once an hour.
  app.clock.advance(3_600_000);
  await owner.query('delete from content.vents where id < 0');
  await makeWeekOfVents(app, owner, 50);
  const [person, reader] = [await makeUser(app), await makeUser(app)];
  await app.call(createVent, {
    as: person,
    body: { title: `held, ${name}`, text: 'words', emotion: 'Sad', later: true },
  });
  await turnOff(name);
  await releaseHeldVents(app, 61);
  const titles = async () => (await app.call(listVents, { as: reader })).body.vents.map(({ title }) => title);
  expect(await titles()).not.toContain(`held, ${name}`);
  await turnOff();
  // It is late now, and gets another moment.
  await releaseHeldVents(app, 62);
  app.clock.advance(2000);
  expect(await titles()).toContain(`held, ${name}`);
});

test('live off: open connections end, and none is opened with a ticket from before', async () => {
  const person = await makeUser(app);
  const line = await openLine(app, person);
  const ticket = await takeTicket(app, person);
  await turnOff('live');
  await app.live.advance();
  expect(await line.closed).toBe(liveCloseCodes.restart);
  expect(await knock(app, { ticket })).toBe(503);
});

test('sign-up off: people with an account get in, others are told', async () => {
  const person = await signIn(app);
  await turnOff('sign-up');
  await expect(signIn(app, person.phone)).resolves.toMatchObject({ isNewUser: false });
  await expect(signIn(app)).rejects.toThrow('SIGN_UP_CLOSED');
  await turnOff();
  await expect(signIn(app)).resolves.toMatchObject({ isNewUser: true });
});

test('while the database is away, what was off stays off', async () => {
  const url = new URL(app.config.databaseUrl);
  const proxy = await startFaultProxy(postgresAddress(url));
  [url.hostname, url.port, url.search] = ['127.0.0.1', String(proxy.port), ''];
  const beside = await startBeside(app, { roleUrls: { jobs: url.href } });
  onTestFinished(async () => {
    await beside.close();
    await proxy.close();
  });
  const { switches } = beside.deps;
  await turnOff('comments');
  await switches.refresh();
  expect(switches.isOff('comments')).toBe(true);
  proxy.blackHole();
  await turnOff();
  await switches.refresh();
  expect(switches.isOff('comments')).toBe(true);
  await proxy.restore();
  await vi.waitUntil(async () => {
    await switches.refresh();
    return !switches.isOff('comments');
  });
});

describe('the command', fullTier('The switches themselves are tested for every change.'), () => {
  const run = (...words: string[]) =>
    spawnSync(
      process.execPath,
      [fileURLToPath(new URL('../src/bin/switches.ts', import.meta.url)), ...words],
      {
        encoding: 'utf8',
        env: {
          ...bareEnv,
          NODE_ENV: 'test',
          DATABASE_URL: app.config.databaseUrl,
          REDIS_URL: app.config.redisUrl,
          REDIS_CLUSTER: String(app.config.isRedisCluster),
        },
      },
    );

  test('prints all, and says what it takes', () => {
    expect(run().stdout.match(/on$/gmu)).toHaveLength(switchNames.length);
    expect(run('off', 'everything')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('comments'),
    });
  });

  test('is in force in every process within 5 s, and over at once as fast', async () => {
    const env = {
      NODE_ENV: 'test',
      DATABASE_URL: app.config.databaseUrl,
      REDIS_URL: app.config.redisUrl,
      REDIS_CLUSTER: String(app.config.isRedisCluster),
      SERVICES: 'api',
    };
    const servers = [await spawnServer({ env }), await spawnServer({ env })];
    for (const server of servers) onTestFinished(() => server.stop('SIGKILL'));
    for (const server of servers) await server.untilReady();
    const codes = () =>
      Promise.all(
        servers.map(async ({ origin }) => {
          const answer = await fetch(`${origin}${commentOnVent.path}`, { method: 'POST' });
          return ((await answer.json()) as { code: string }).code;
        }),
      );
    for (const [word, wanted] of [
      ['off', 'PAUSED'],
      ['on', 'UNAUTHENTICATED'],
    ] as const) {
      expect(run(word, 'comments').status).toBe(0);
      const begun = performance.now();
      await vi.waitUntil(async () => (await codes()).every((code) => code === wanted), {
        timeout: 60_000,
        interval: 50,
      });
      console.log(`${word}: in force after ${Math.round(performance.now() - begun)} ms`);
    }
  });
});
