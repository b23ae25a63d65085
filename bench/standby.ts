/**
 * npm run bench:standby -- [--writes 10000] [--rounds 12] [--vents 20000]
 *
 * A primary, a streaming standby and two api processes with CONTENT_READ_URL. First: write at one process, read at the
 * other, with the standby following, 30 s behind, and away; then the same reads once the pins are over. Second: reads a
 * second and the CPU of both servers, against two processes without the setting, alternating. About fifteen minutes.
 */
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { readOptions } from '../testkit/options.ts';
import {
  commentOnVent,
  createVent,
  getVent,
  listComments,
  listVents,
  react,
  searchVents,
  type Endpoint,
  type RequestOf,
} from '@unsaid/contract';
import { createSampleTexts } from '../server/seed/sample-texts.ts';
import { seedVents } from '../server/seed/vents.ts';
import { readConfig } from '../server/src/config.ts';
import { buildDeps } from '../server/src/deps.ts';
import { migrate, startServer, type ServerProcess } from '../testkit/server-process.ts';
import { startTempPostgres, startTempStandby } from '../testkit/temp-postgres.ts';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { cpuOfTree, measureCalls, type Measured } from '../tools/cpu.ts';
import { createClient, type Client } from './lib/client.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { openSessions } from './lib/open-sessions.ts';
import { psql } from './lib/psql.ts';
import { grouped, median, targetTable } from './lib/section.ts';
import { idAt, seedPeople } from './lib/seed-people.ts';

const { writes, rounds, vents: ventCount } = readOptions({ writes: 10_000, rounds: 12, vents: 20_000 });
const people = 200;
const writers = 8;
/** A pin and the longest rounding of its end. */
const pinMs = 41_000;
const behindMs = 30_000;

/** A browser: a person with cookies. */
interface Browser {
  readonly token: string;
  readonly cookies: Map<string, string>;
}

async function seed(url: string): Promise<Browser[]> {
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: url, LOG_LEVEL: 'error' });
  const deps = await buildDeps({ ...config, databaseTimeoutMs: 0 });
  try {
    await seedPeople({ url, ...deps }, people);
    const options = { seed: 1, vents: ventCount, users: people, texts: createSampleTexts };
    for await (const _done of seedVents(deps.databases.content, { ...deps, ...options, now: Date.now() })) {
      // Each batch is committed.
    }
  } finally {
    await deps.close();
  }
  const ids = Array.from({ length: people }, (_, n) => idAt(n));
  return (await openSessions(url, ids)).map((token) => ({ token, cookies: new Map() }));
}

const postgres = await startTempPostgres({
  settings: ['max_connections = 200', 'shared_buffers = 256MB', 'max_wal_size = 1GB'],
});
const redis = await startTempRedis();
migrate({ NODE_ENV: 'test', DATABASE_URL: postgres.url, LOG_LEVEL: 'error' });
const browsers = await seed(postgres.url);
psql(postgres.url, 'vacuum analyze');
const standby = await startTempStandby(postgres);

interface Api {
  readonly server: ServerProcess;
  readonly client: Client;
}
async function startApi(readUrl: string): Promise<Api> {
  const server = await startServer({
    env: {
      NODE_ENV: 'test',
      DATABASE_URL: postgres.url,
      CONTENT_READ_URL: readUrl,
      REDIS_URL: redis.url,
      REDIS_PREFIX: readUrl ? 'standby:' : 'primary:',
      LIMITS_SCALE: '1000000',
      LOG_LEVEL: 'warn',
      SERVICES: 'api',
    },
  });
  return { server, client: createClient(server.port, 16) };
}

/** Reads of this process, by where they went, and the measured lag. */
async function metricsOf({ server }: Api) {
  const text = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
  const read = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1] ?? 0,
    );
  const reads = (to: string) => read(`unsaid_content_reads_total{to="${to}"}`);
  return {
    standby: reads('standby'),
    pinned: reads('pinned'),
    fallback: reads('fallback'),
    lagSeconds: read('unsaid_standby_lag_seconds'),
  };
}

const [one, two] = [await startApi(standby.url), await startApi(standby.url)] as const;
const untilUsed = (isUsed: boolean) =>
  waitUntil('the standby', async () => (await metricsOf(two)).lagSeconds < 3 === isUsed);

let failed = 0;
let stale = 0;
async function call<E extends Endpoint>(api: Api, endpoint: E, input: Browser & Partial<RequestOf<E>>) {
  const { status, body } = await api.client.call(endpoint, input);
  if (status >= 300) failed += 1;
  return body;
}

/** What a person wrote and how to see it. */
interface Written {
  readonly browser: Browser;
  isSeen(api: Api): Promise<boolean>;
}

async function write(n: number, vents: readonly string[]): Promise<Written> {
  const browser = browsers[n % browsers.length] as Browser;
  const mark = `mark${n.toString(36)}end`;
  const ventId = vents[n % vents.length] ?? '';
  const seen = async <E extends Endpoint>(api: Api, endpoint: E, input: Partial<RequestOf<E>>) =>
    JSON.stringify(await call(api, endpoint, { ...browser, ...input })).includes(mark);
  if (n % 4 === 0) {
    const body = { title: mark, text: `Words ${mark}`, emotion: 'Sad' } as const;
    await call(one, createVent, { ...browser, body });
    return { browser, isSeen: (api) => seen(api, listVents, { query: { limit: '100' } }) };
  }
  if (n % 4 === 1) {
    const body = { title: mark, text: `Words ${mark}`, emotion: 'Sad' } as const;
    await call(one, createVent, { ...browser, body });
    return { browser, isSeen: (api) => seen(api, searchVents, { query: { query: mark } }) };
  }
  if (n % 4 === 2) {
    await call(one, commentOnVent, { ...browser, body: { ventId, text: mark, anonymous: true } });
    return { browser, isSeen: (api) => seen(api, listComments, { params: { id: ventId }, query: {} }) };
  }
  const wanted = n % 8 === 3;
  await call(one, react, { ...browser, body: { ventId, reactionType: 'listen', active: wanted } });
  return {
    browser,
    async isSeen(api) {
      const { vent } = await call(api, getVent, { ...browser, params: { id: ventId } });
      return vent?.myReactions.includes('listen') === wanted;
    },
  };
}

/** They write nothing: once their first pins are over, the standby answers them. */
const onlookers = browsers.splice(-2);
const rows: string[][] = [];
/** Also printed at once: a long run that is stopped shows how far it came. */
function addRow(cells: string[]): void {
  rows.push(cells);
  console.log(`… ${cells.join(' | ')}`);
}
let next = 0;
/** Writes and reads by several people at once; `isOver` may prolong it. */
async function phase(name: string, count: number, vents: readonly string[], leastMs = 0): Promise<Written[]> {
  const [before, staleBefore, begunAt] = [await metricsOf(two), stale, performance.now()];
  const until = next + count;
  const written: Written[] = [];
  const state = { isWriting: true };
  // People who only read fill the caches of both processes meanwhile, from the standby.
  const readers = [one, two].map(async (api, n) => {
    while (state.isWriting) await call(api, listVents, onlookers[n] as Browser);
  });
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (next < until || performance.now() - begunAt < leastMs) {
        const done = await write(next++, vents);
        if (!(await done.isSeen(two))) stale += 1;
        written.push(done);
      }
    }),
  );
  state.isWriting = false;
  await Promise.all(readers);
  const after = await metricsOf(two);
  addRow([
    name,
    grouped(written.length),
    String(stale - staleBefore),
    grouped(after.pinned - before.pinned),
    grouped(after.standby - before.standby),
    grouped(after.fallback - before.fallback),
  ]);
  return written;
}

/** Once the pins are over: the last writes of each kind are still there, read from the standby. */
async function readAgain(name: string, written: readonly Written[]): Promise<void> {
  await pause(pinMs);
  const [before, staleBefore] = [await metricsOf(two), stale];
  // Comments and feeds show the newest; an older reaction was changed by a later one of the same person.
  const last = written.slice(-80);
  for (const { isSeen } of last) if (!(await isSeen(two))) stale += 1;
  const after = await metricsOf(two);
  addRow([
    name,
    grouped(last.length),
    String(stale - staleBefore),
    grouped(after.pinned - before.pinned),
    grouped(after.standby - before.standby),
    grouped(after.fallback - before.fallback),
  ]);
}

try {
  // Vents that take comments and reactions of everybody.
  const vents: string[] = [];
  for (const browser of browsers.slice(0, 50)) {
    const body = { title: 'Open', text: 'To everybody', emotion: 'Happy', allowComments: true } as const;
    vents.push((await call(one, createVent, { ...browser, body })).vent?._id ?? '');
  }
  for (const browser of onlookers) await call(two, listVents, browser);
  await pause(pinMs);
  await untilUsed(true);
  const third = Math.ceil(writes / 3);
  const first = await phase('following', third, vents);
  await readAgain('following, pins over', first);
  standby.sql('select pg_wal_replay_pause()');
  const second = await phase('paused, at least 30 s', third, vents, behindMs + 5000);
  const behind = (await metricsOf(two)).lagSeconds;
  try {
    standby.sql('select pg_wal_replay_resume()');
  } catch {
    // What it replays at once may cancel this statement: it is that far behind.
  }
  const resumedAt = performance.now();
  await untilUsed(true);
  const returnedAfter = (performance.now() - resumedAt) / 1000;
  await readAgain('paused and resumed, pins over', second);
  const killing = pause(3000).then(() => standby.killHard());
  await phase('killed', third, vents, 10_000);
  await killing;
  await standby.start();
  await untilUsed(true);
  console.log(
    markdownTable(
      [
        'standby',
        'own writes read at another process',
        'stale',
        'reads pinned',
        'from the standby',
        'fallback',
      ],
      rows,
    ),
  );
  console.log(
    `\nAt the end of its pause the standby was ${behind.toFixed(0)} s behind; ${returnedAfter.toFixed(1)} s after it went on, reads returned to it. ${failed} calls failed.\n`,
  );

  const [plain, other] = [await startApi(''), await startApi('')] as const;
  const sides = [
    { name: 'primary alone', apis: [plain, other], measured: [] as Measured[] },
    { name: 'with the standby', apis: [one, two], measured: [] as Measured[] },
  ] as const;
  // Readers whose pins are over.
  for (const browser of browsers) await call(one, listVents, { ...browser });
  await pause(pinMs);
  const reads = (api: Api, n: number) => {
    const browser = browsers[n % browsers.length] as Browser;
    if (n % 3 === 0)
      // A page size that is not cached.
      return call(api, listVents, { ...browser, query: { page: String(1 + (n % 10)), limit: '6' } });
    if (n % 3 === 1) return call(api, getVent, { ...browser, params: { id: vents[n % vents.length] ?? '' } });
    return call(api, searchVents, { ...browser, query: { query: 'work' } });
  };
  const readCpu = () => [cpuOfTree(postgres.pid()), cpuOfTree(standby.pid())];
  for (let round = -1; round < rounds; round += 1)
    for (const { apis, measured } of round % 2 === 0 ? sides : sides.toReversed()) {
      const result = await measureCalls({ count: 600, workers: 16, readCpu }, (n) =>
        reads(apis[n % 2] as Api, n),
      );
      if (round >= 0) measured.push(result);
    }
  const [alone, shared] = sides.map(({ measured }) => ({
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    primaryMs: median(measured.map(({ cpuMs }) => cpuMs[0] ?? NaN)),
    standbyMs: median(measured.map(({ cpuMs }) => cpuMs[1] ?? NaN)),
  })) as [Costs, Costs];
  console.log(
    markdownTable(
      ['', 'reads a second', 'CPU ms a read: primary', 'standby'],
      [alone, shared].map(({ perSecond, primaryMs, standbyMs }, n) => [
        sides[n]?.name ?? '',
        grouped(perSecond),
        primaryMs.toFixed(2),
        standbyMs.toFixed(2),
      ]),
    ),
  );
  const cores = availableParallelism();
  // Once connections are short both servers read, so the work of a read is shared.
  const possible = (2 * alone.primaryMs) / (shared.primaryMs + shared.standbyMs);
  console.log(
    `\n${cores} cores for everything: clients, two api processes, both PostgreSQL servers. Reads a second: ${(shared.perSecond / alone.perSecond).toFixed(2)} times. By CPU, two PostgreSQL servers of one size can do ${possible.toFixed(2)} times the reads of one. Load average ${loadavg()[0]?.toFixed(1)}.\n`,
  );
  console.log(
    targetTable([
      { what: 'stale own writes', wanted: '0', measured: String(stale), isReached: stale === 0 },
      { what: 'failed calls', wanted: '0', measured: String(failed), isReached: failed === 0 },
      {
        what: `reads a second (${cores} cores)`,
        wanted: '1.6 times where cores allow',
        measured: `${(shared.perSecond / alone.perSecond).toFixed(2)}; ${possible.toFixed(2)} by CPU`,
        isReached: shared.perSecond / alone.perSecond >= 1.6,
      },
    ]),
  );
  for (const { server, client } of [one, two, plain, other]) {
    client.close();
    await server.stop('SIGKILL');
  }
} finally {
  await standby.remove();
  await redis.remove();
  await postgres.remove();
}
process.exit(stale + failed === 0 ? 0 : 1);

interface Costs {
  readonly perSecond: number;
  readonly primaryMs: number;
  readonly standbyMs: number;
}
