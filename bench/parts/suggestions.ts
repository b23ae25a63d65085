import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { getSelf, limits, matchSuggestions, type Endpoint } from '@unsaid/contract';
import { readConfig } from '../../server/src/config.ts';
import { buildDeps } from '../../server/src/deps.ts';
import { createKeys } from '../../server/src/platform/keys.ts';
import { createLogger } from '../../server/src/platform/logger.ts';
import { migrate } from '../../server/src/platform/migrate.ts';
import { createSeals } from '../../server/src/platform/seals.ts';
import { findServices, urlOfDatabase } from '../../tools/services.ts';
import { createClient, percentile, type Client } from '../lib/client.ts';
import { asksFirst, fillCrowd, idAt, isFilled, psql } from '../lib/crowd.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { openSessions } from '../lib/open-sessions.ts';
import { grouped, type PartResult } from '../lib/part.ts';
import { startStage, type Stage } from '../lib/stage.ts';
import { startTraceCollector, type TraceCollector } from '../lib/trace-collector.ts';
import { dropDatabase } from '../lib/vent-databases.ts';

/**
 * What it costs to find people, and whether it costs more among a million. Fills databases of its own (kept for
 * the next run), runs the real server on each, and asks for suggestions: people who ask for the first time (a search,
 * and ten pairs written; five for those who name no feelings) and people who have theirs.
 */

export interface SuggestionsOptions {
  readonly sizes: readonly number[];
  readonly requests: number;
  readonly isFresh: boolean;
  /** Prints the steps of a request. Tracing takes time itself, so no figure of such a run counts. */
  readonly isTraced: boolean;
  /** Past pairs that each of those who ask is given first. */
  readonly remembered: number;
  readonly port: number;
}

/** Asked before the clock runs: until the server's code is compiled, it measures the compiler. */
const warmUps = 150;
/** One in so many of the requests comes from somebody who names no feelings. */
const unnamedEvery = 4;
const mostFirstMs = 15;
const mostGrowth = 2;
const services = findServices();
const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

interface Asker {
  readonly token: string;
  readonly isNamed: boolean;
}

interface Prepared {
  readonly name: string;
  /** People who have asked for nothing yet. */
  readonly askers: readonly Asker[];
}

/** Pairs of earlier runs are the fresh ones. */
const forgetRuns = (url: string) =>
  psql(url, `delete from matching.pairs where is_fresh; delete from identity.sessions`);

export const crowdNameOf = (people: number) => `unsaid_bench_matches_${people}`;

const configFor = (url: string) =>
  readConfig({ NODE_ENV: 'test', ...services, DATABASE_URL: url, LOG_LEVEL: 'warn' });

async function fill(url: string, people: number): Promise<void> {
  const begunAt = performance.now();
  const deps = await buildDeps(configFor(url));
  try {
    await fillCrowd({ url, ...deps }, people);
  } finally {
    await deps.close();
  }
  console.log(`${people} people filled in after ${seconds(begunAt)} s`);
}

async function prepare(people: number, options: SuggestionsOptions): Promise<Prepared> {
  const name = crowdNameOf(people);
  const url = urlOfDatabase(services.DATABASE_URL, name);
  // One that is too old, or was drawn otherwise, is made anew as well.
  if (options.isFresh || !isFilled(url, people)) dropDatabase(name);
  await migrate(url, createLogger('warn'));
  if (!isFilled(url, people)) await fill(url, people);
  forgetRuns(url);
  // As autovacuum does after so many deletions.
  psql(url, 'vacuum analyze matching.pairs');
  return { name, askers: askersOf(url, people, options) };
}

/** Closed pairs with people who left: fresh, so that they go with the run. */
function remember(url: string, userIds: readonly bigint[], count: number): void {
  if (count === 0) return;
  const { pairKey } = createSeals(createKeys(configFor(url).masterKeys));
  const keys = userIds.map((id) => `('\\x${pairKey(id).toString('hex')}'::bytea)`);
  psql(
    url,
    `insert into matching.pairs (id, a_key, b_key, is_asked_by_a, made_on, forget_on, details)
     select (random() * 9e18)::bigint, least(mine, theirs), greatest(mine, theirs), mine < theirs, current_date - 30,
            current_date + 88, decode(repeat(md5(theirs), 34), 'hex')
       from (select mine, decode(md5(mine::text || n), 'hex') as theirs
               from (values ${keys.join()}) as asker (mine), generate_series(1, ${count}) as n) as two`,
  );
}

/** Spread over all who have asked for nothing yet, with those who name no feelings every so many. */
function askersOf(url: string, people: number, { requests, remembered }: SuggestionsOptions): Asker[] {
  const all = Array.from({ length: people }, (_, n) => n).filter(asksFirst);
  const step = Math.max(1, Math.floor(all.length / (4 * (warmUps + requests))));
  const some = all.filter((_, n) => n % step === 0).map(idAt);
  const unnamed = new Set(
    psql(url, `select id from identity.users where feelings = 0 and id in (${some.join()})`).split('\n'),
  );
  const named = some.filter((id) => !unnamed.has(String(id))).values();
  const others = some.filter((id) => unnamed.has(String(id))).values();
  const chosen = Array.from({ length: warmUps + requests }, (_, n) => {
    const isNamed = n % unnamedEvery !== 0;
    return { id: (isNamed ? named : others).next().value ?? 0n, isNamed };
  });
  const ids = chosen.map(({ id }) => id);
  remember(url, ids, remembered);
  const tokens = openSessions(url, ids);
  return chosen.map(({ isNamed }, n) => ({ isNamed, token: tokens[n] as string }));
}

interface Running extends Prepared {
  readonly stage: Stage;
  readonly client: Client;
  readonly traces: TraceCollector | null;
  readonly first: Asked[];
  readonly firstUnnamed: Asked[];
  readonly again: Asked[];
  /** One's own profile: a session check and one row, as a measure of what the machine does just now. */
  readonly own: Asked[];
}

interface Asked {
  readonly took: number;
  /** What the api itself worked for it: on a machine that does other things too, this says more. */
  readonly worked: number;
}

/** Milliseconds for which the api's main thread was on a processor. */
const workOf = ({ stage }: Running) =>
  Number(readFileSync(`/proc/${stage.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

async function ask<E extends Endpoint>(server: Running, endpoint: E, token: string) {
  const [begunAt, workedBefore] = [performance.now(), workOf(server)];
  const { status, body } = await server.client.call(endpoint, { token } as never);
  const asked: Asked = { took: performance.now() - begunAt, worked: workOf(server) - workedBefore };
  if (status !== 200) throw new Error(`answered ${status}`);
  return { asked, body };
}

async function askForSuggestions(server: Running, { token, isNamed }: Asker): Promise<Asked> {
  const { asked, body } = await ask(server, matchSuggestions, token);
  const wanted = isNamed ? limits.openSuggestions : limits.openSuggestionsUnnamed;
  // Others may have asked for them before.
  if (body.matches.length < wanted) throw new Error(`answered with ${body.matches.length} suggestions`);
  return asked;
}

const p = (list: readonly Asked[], share: number, what: keyof Asked = 'took') =>
  percentile(
    list.map((asked) => asked[what]).toSorted((a, b) => a - b),
    share,
  );
const both = (list: readonly Asked[]) => `${p(list, 0.5).toFixed(1)} / ${p(list, 0.99).toFixed(1)}`;
const memoryOf = ({ stage }: Running) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(stage.pid)], { encoding: 'utf8' })) / 1024;

async function start(prepared: Prepared, port: number, isTraced: boolean): Promise<Running> {
  const traces = isTraced ? await startTraceCollector() : null;
  const env = { SERVICES: 'api', ...(traces ? { OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint } : {}) };
  const stage = await startStage(prepared.name, port, env, prepared.name);
  return {
    ...prepared,
    stage,
    traces,
    client: createClient(stage.port, 1),
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
  // Traced, every request for suggestions shall be a first one.
  const again = server.traces ? first : await askForSuggestions(server, asker);
  if (n < warmUps) return;
  (asker.isNamed ? server.first : server.firstUnnamed).push(first);
  server.again.push(again);
  server.own.push(own.asked);
}

export async function measureSuggestions(options: SuggestionsOptions): Promise<PartResult> {
  const { sizes, requests, port, isTraced } = options;
  const prepared: Prepared[] = [];
  for (const size of sizes) prepared.push(await prepare(size, options));
  const loadBefore = loadavg()[0] ?? NaN;
  const running: Running[] = [];
  try {
    for (const [n, one] of prepared.entries()) running.push(await start(one, port + 10 * n, isTraced));
    // Sizes alternate request by request, so that the machine's moods fall on all of them.
    for (let n = 0; n < warmUps + requests; n += 1) for (const server of running) await measureOne(server, n);
    const told = tell(options, running, loadBefore);
    if (!isTraced) return told;
    // The last traces come when it ends.
    for (const { stage } of running) await stage.stop();
    return { ...told, text: running.map((server, n) => tellSteps(server, sizes[n] ?? 0)).join('\n\n') };
  } finally {
    for (const { stage, client, traces } of running) {
      client.close();
      await stage.stop();
      traces?.close();
      forgetRuns(stage.databaseUrl);
    }
  }
}

function tell(
  { sizes, requests }: SuggestionsOptions,
  running: readonly Running[],
  loadBefore: number,
): PartResult {
  const table = markdownTable(
    [
      'people',
      'first time, p50 / p99 ms',
      'of it the api’s work, ms',
      'naming no feelings, p50 / p99 ms',
      'has ten, p50 / p99 ms',
      'own profile, p50 ms',
      'first time / own profile',
      'memory of the api, MB',
    ],
    running.map((server, n) => [
      grouped(sizes[n] ?? 0),
      both(server.first),
      p(server.first, 0.5, 'worked').toFixed(1),
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
    text: `${table}\n\n${requests} people each, one after the other; load average ${load}.`,
    figures: { sizes, firstP50: p50, againP50: running.map(({ again }) => p(again, 0.5)) },
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

function tellSteps({ traces }: Running, people: number): string {
  const steps = traces?.stepsOf(`${matchSuggestions.method} ${matchSuggestions.path}`) ?? [];
  return `${grouped(people)} people, the steps of a first request, medians (traced, so all is a little slower):\n\n${markdownTable(
    ['step', 'begins after, ms', 'took, ms'],
    steps.map(({ name, beginsMs, tookMs }) => [name, beginsMs.toFixed(2), tookMs.toFixed(2)]),
  )}`;
}
