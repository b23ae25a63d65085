import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { getSelf, limits, matchSuggestions, type Endpoint } from '@unsaid/contract';
import { readConfig } from '../../server/src/config.ts';
import { buildDeps } from '../../server/src/deps.ts';
import { dayMs, dayOf } from '../../server/src/platform/clock.ts';
import { weekOf } from '../../server/src/platform/coarse-days.ts';
import { createLogger } from '../../server/src/platform/logger.ts';
import { migrate } from '../../server/src/platform/migrate.ts';
import { createPairKeys } from '../../server/src/matching/pair-keys.ts';
import { findServices } from '../../tools/services.ts';
import { createClient, percentile, type Client } from '../lib/client.ts';
import { psql } from '../lib/psql.ts';
import { asksFirst, idAt, isFilled, seedPeople } from '../lib/seed-people.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { readKeys } from '../lib/data-keys.ts';
import { openSessions } from '../lib/open-sessions.ts';
import { grouped, type BenchContext, type Section, type SectionResult } from '../lib/section.ts';
import { startTestServer, type TestServer } from '../lib/test-server.ts';
import { dropDatabase, urlOf } from '../lib/vent-databases.ts';

/**
 * The cost of match suggestions, by the number of people. Seeds its own databases (kept for the next run), runs the
 * real server on each, and requests suggestions: for the first time (a search, and ten pairs inserted, five without named
 * feelings), and again.
 */

/** Requests before the measurement, until the code is compiled; a third where people are few. */
const mostWarmUps = 150;
/** Every fourth request comes from a person without named feelings. */
const unnamedEvery = 4;
const mostFirstMs = 15;
const mostGrowth = 2;
const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

interface Asker {
  readonly token: string;
  readonly isNamed: boolean;
}

interface Prepared {
  readonly name: string;
  /** People without suggestions. */
  readonly askers: readonly Asker[];
  /** So many of them ask before it is measured. */
  readonly warmUps: number;
}

/** Deletes the pairs of earlier runs, which are the fresh ones. */
const deleteRuns = (url: string) =>
  psql(url, `delete from matching.pairs where is_fresh; delete from identity.sessions`);

export const peopleDatabaseOf = (people: number) => `unsaid_bench_matches_${people}`;

const configFor = (url: string) =>
  readConfig({ NODE_ENV: 'test', ...findServices(), DATABASE_URL: url, LOG_LEVEL: 'warn' });

async function seed(url: string, people: number): Promise<void> {
  const begunAt = performance.now();
  const deps = await buildDeps(configFor(url));
  try {
    await seedPeople({ url, ...deps }, people);
  } finally {
    await deps.close();
  }
  console.log(`${people} people seeded in ${seconds(begunAt)} s`);
}

async function prepare(people: number, context: BenchContext): Promise<Prepared> {
  const name = peopleDatabaseOf(people);
  const url = urlOf(name);
  // Also drops a database that is too old or of another version.
  if (context.isFresh || !isFilled(url, people)) dropDatabase(name);
  await migrate(url, createLogger('warn'));
  if (!isFilled(url, people)) await seed(url, people);
  deleteRuns(url);
  // As autovacuum would do after these deletions.
  psql(url, 'vacuum analyze matching.pairs');
  return { name, ...(await askersOf(url, people, context)) };
}

/** Closed pairs with people who left. They are fresh, so `deleteRuns` removes them. */
async function insertPastPairs(url: string, userIds: readonly bigint[], count: number): Promise<void> {
  if (count === 0) return;
  const pairKeys = createPairKeys(await readKeys(url));
  const week = weekOf(dayOf(Date.now() - 42 * dayMs));
  const keys = pairKeys.encodeAll(userIds, [week]).map((key) => `('\\x${key.toString('hex')}'::bytea)`);
  psql(
    url,
    `insert into matching.pairs (id, a_key, b_key, is_asked_by_a, week, details)
     select (random() * 9e18)::bigint, least(mine, theirs), greatest(mine, theirs), mine < theirs,
            '${week}', decode(repeat(md5(theirs), 34), 'hex')
       from (select mine, decode(md5(mine::text || n), 'hex') as theirs
               from (values ${keys.join()}) as asker (mine), generate_series(1, ${count}) as n) as two`,
  );
}

/** Spread over all people without suggestions. */
async function askersOf(url: string, people: number, { requests, pastPairs }: BenchContext) {
  const all = Array.from({ length: people }, (_, n) => n).filter(asksFirst);
  const step = Math.max(1, Math.floor(all.length / (4 * (mostWarmUps + requests))));
  const some = all.filter((_, n) => n % step === 0).map(idAt);
  const unnamed = new Set(
    psql(url, `select id from identity.users where feelings = 0 and id in (${some.join()})`).split('\n'),
  );
  const [others = [], named = []] = [true, false].map((isUnnamed) =>
    some.filter((id) => unnamed.has(String(id)) === isUnnamed),
  );
  const enough = Math.min(
    mostWarmUps + requests,
    unnamedEvery * others.length,
    Math.floor((unnamedEvery / (unnamedEvery - 1)) * named.length),
  );
  const warmUps = Math.min(mostWarmUps, Math.floor(enough / 3));
  const chosen = Array.from({ length: enough }, (_, n) => {
    const isNamed = n % unnamedEvery !== 0;
    return { id: (isNamed ? named : others).shift() as bigint, isNamed };
  });
  const ids = chosen.map(({ id }) => id);
  await insertPastPairs(url, ids, pastPairs);
  const tokens = await openSessions(url, ids);
  return {
    warmUps,
    askers: chosen.map(({ isNamed }, n): Asker => ({ isNamed, token: tokens[n] as string })),
  };
}

interface Running extends Prepared {
  readonly server: TestServer;
  readonly client: Client;
  readonly first: Sample[];
  readonly firstUnnamed: Sample[];
  readonly again: Sample[];
  /** GET of the own profile, a session check and one row: a baseline for the speed of the machine. */
  readonly own: Sample[];
}

interface Sample {
  readonly ms: number;
  /** CPU time of the api, which depends less on other load. */
  readonly cpuMs: number;
}

/** CPU time of the api's main thread, in milliseconds. */
const cpuMsOf = ({ server }: Running) =>
  Number(readFileSync(`/proc/${server.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

async function ask<E extends Endpoint>(server: Running, endpoint: E, token: string) {
  const [begunAt, cpuBefore] = [performance.now(), cpuMsOf(server)];
  const { status, body } = await server.client.call(endpoint, { token } as never);
  const sample: Sample = { ms: performance.now() - begunAt, cpuMs: cpuMsOf(server) - cpuBefore };
  if (status !== 200) throw new Error(`${endpoint.path}: ${status}`);
  return { sample, body };
}

async function askForSuggestions(server: Running, { token, isNamed }: Asker): Promise<Sample> {
  const { sample, body } = await ask(server, matchSuggestions, token);
  const wanted = isNamed ? limits.openSuggestions : limits.openSuggestionsUnnamed;
  // More, if others found this person before.
  if (body.matches.length < wanted)
    throw new Error(`${body.matches.length} suggestions instead of ${wanted}`);
  return sample;
}

const p = (list: readonly Sample[], share: number, what: keyof Sample = 'ms') =>
  percentile(
    list.map((sample) => sample[what]).toSorted((a, b) => a - b),
    share,
  );
const both = (list: readonly Sample[]) => `${p(list, 0.5).toFixed(1)} / ${p(list, 0.99).toFixed(1)}`;
const memoryOf = ({ server }: Running) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)], { encoding: 'utf8' })) / 1024;

async function start(prepared: Prepared): Promise<Running> {
  const server = await startTestServer(prepared.name, {
    database: prepared.name,
    env: { SERVICES: 'api' },
  });
  return {
    ...prepared,
    server,
    client: createClient(server.port, 1),
    first: [],
    firstUnnamed: [],
    again: [],
    own: [],
  };
}

async function measureOne(server: Running, n: number): Promise<void> {
  const asker = server.askers[n] as Asker;
  const own = await ask(server, getSelf, asker.token);
  const first = await askForSuggestions(server, asker);
  const again = await askForSuggestions(server, asker);
  if (n < server.warmUps) return;
  (asker.isNamed ? server.first : server.firstUnnamed).push(first);
  server.again.push(again);
  server.own.push(own.sample);
}

export const measureSuggestions: Section = async (context) => {
  const prepared: Prepared[] = [];
  for (const size of context.people) prepared.push(await prepare(size, context));
  const loadBefore = loadavg()[0] ?? NaN;
  const running: Running[] = [];
  try {
    for (const one of prepared) running.push(await start(one));
    // Sizes alternate request by request, so that noise affects all alike.
    const rounds = Math.max(...running.map(({ askers }) => askers.length));
    for (let n = 0; n < rounds; n += 1)
      for (const server of running) if (n < server.askers.length) await measureOne(server, n);
    return summarize(context, running, loadBefore);
  } finally {
    for (const { server, client } of running) {
      client.close();
      await server.stop();
      deleteRuns(server.databaseUrl);
    }
  }
};

function summarize(
  { people: sizes }: BenchContext,
  running: readonly Running[],
  loadBefore: number,
): SectionResult {
  const table = markdownTable(
    [
      'people',
      'first time, p50 / p99 ms',
      'of it CPU of the api, ms',
      'naming no feelings, p50 / p99 ms',
      'has ten, p50 / p99 ms',
      'own profile, p50 ms',
      'first time / own profile',
      'memory of the api, MB',
    ],
    running.map((server, n) => [
      grouped(sizes[n] ?? 0),
      both(server.first),
      p(server.first, 0.5, 'cpuMs').toFixed(1),
      both(server.firstUnnamed),
      both(server.again),
      p(server.own, 0.5).toFixed(1),
      (p(server.first, 0.5) / p(server.own, 0.5)).toFixed(1),
      memoryOf(server).toFixed(0),
    ]),
  );
  const p50 = running.map(({ first }) => p(first, 0.5));
  const [few, many] = [p50[0] ?? NaN, p50.at(-1) ?? NaN];
  const most = grouped(sizes.at(-1) ?? 0);
  const load = `${loadBefore.toFixed(1)} before and ${loadavg()[0]?.toFixed(1)} after`;
  return {
    text: `${table}\n\n${running.map(({ own }) => own.length).join(' and ')} people, one at a time; load average ${load}.`,
    targets: [
      {
        what: `p50 of first suggestions among ${most} people`,
        wanted: `${mostFirstMs} ms at most`,
        measured: `${many.toFixed(1)} ms`,
        isReached: many <= mostFirstMs,
      },
      {
        what: `the same over ${grouped(sizes[0] ?? 0)} people`,
        wanted: `${mostGrowth} at most`,
        measured: (many / few).toFixed(2),
        isReached: many <= mostGrowth * few,
      },
    ],
  };
}
