import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { limits, matchSuggestions } from '@unsaid/contract';
import { readConfig } from '../../server/src/config.ts';
import { buildDeps, type Deps } from '../../server/src/deps.ts';
import { buildFeatures } from '../../server/src/features.ts';
import { createLogger } from '../../server/src/platform/logger.ts';
import { migrate } from '../../server/src/platform/migrate.ts';
import { findServices, urlOfDatabase } from '../../tools/services.ts';
import { createClient, percentile, type Client } from '../lib/client.ts';
import { asksFirst, fillCrowd, idAt, isFilled, psql } from '../lib/crowd.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { openSessions } from '../lib/open-sessions.ts';
import { grouped, type PartResult } from '../lib/part.ts';
import { startStage, type Stage } from '../lib/stage.ts';
import { dropDatabase } from '../lib/vent-databases.ts';

/**
 * What it costs to find people, and whether it costs more among a million. Fills databases of its own (kept for
 * the next run), runs the real rebuild and the real server on each, and asks for suggestions: people who ask for the
 * first time (a search, and ten pairs written) and people who have their ten.
 */

export interface SuggestionsOptions {
  readonly sizes: readonly number[];
  readonly requests: number;
  readonly isFresh: boolean;
  readonly isRebuildSkipped: boolean;
  readonly port: number;
}

/** Asked before the clock runs: until the server's code is compiled, it measures the compiler. */
const warmUps = 150;
const mostFirstMs = 25;
const mostGrowth = 2;
const services = findServices();
const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

async function withDeps<T>(url: string, work: (deps: Deps) => Promise<T>): Promise<T> {
  const env = {
    NODE_ENV: 'test',
    ...services,
    DATABASE_URL: url,
    REDIS_PREFIX: 'bench-matches:',
    LOG_LEVEL: 'warn',
  };
  const deps = await buildDeps(readConfig(env));
  try {
    return await work(deps);
  } finally {
    await deps.close();
  }
}

interface Prepared {
  readonly name: string;
  readonly rebuilt: string;
  /** Of people who have asked for nothing yet. */
  readonly tokens: readonly string[];
}

/** Pairs of earlier runs are the fresh ones. */
const forgetRuns = (url: string) =>
  psql(url, `delete from matching.match_pairs where is_fresh; delete from identity.sessions`);

export const crowdNameOf = (people: number) => `unsaid_bench_matches_${people}`;

async function prepare(people: number, options: SuggestionsOptions): Promise<Prepared> {
  const name = crowdNameOf(people);
  const url = urlOfDatabase(services.DATABASE_URL, name);
  // One that is too old, or was drawn otherwise, is made anew as well.
  if (options.isFresh || !isFilled(url, people)) dropDatabase(name);
  await migrate(url, createLogger('warn'));
  return withDeps(url, async (deps) => {
    if (!isFilled(url, people)) {
      const begunAt = performance.now();
      await fillCrowd({ url, ...deps }, people);
      console.log(`${people} people filled in after ${seconds(begunAt)} s`);
    }
    forgetRuns(url);
    return {
      name,
      rebuilt: await rebuild(deps, options),
      tokens: openSessions(url, askersOf(people, options)),
    };
  });
}

/** How long it took. What a run before this one left may be used again. */
async function rebuild(deps: Deps, { isRebuildSkipped }: SuggestionsOptions): Promise<string> {
  const url = deps.config.databaseUrl;
  if (isRebuildSkipped && psql(url, 'select generation from matching.rebuilds') !== '0') return 'skipped';
  const { jobs } = await buildFeatures(deps);
  const begunAt = performance.now();
  await jobs.find((job) => job.name === 'rebuild-match-profiles')?.run();
  const took = `${seconds(begunAt)} s`;
  console.log(`${deps.config.databaseUrl.split('_').at(-1)} profiles rebuilt in ${took}`);
  // As autovacuum does a little later.
  psql(url, 'vacuum analyze matching.match_profiles');
  return took;
}

/** Spread over all who have asked for nothing yet. */
function askersOf(people: number, { requests }: SuggestionsOptions): bigint[] {
  const askers = Array.from({ length: people }, (_, n) => n).filter(asksFirst);
  const step = Math.floor(askers.length / (warmUps + requests));
  return Array.from({ length: warmUps + requests }, (_, n) => idAt(askers[n * step] ?? 0));
}

interface Running extends Prepared {
  readonly stage: Stage;
  readonly client: Client;
  readonly first: Asked[];
  readonly again: Asked[];
}

interface Asked {
  readonly took: number;
  /** What the api itself worked for it: on a machine that does other things too, this says more. */
  readonly worked: number;
}

/** Milliseconds for which the api's main thread was on a processor. */
const workOf = ({ stage }: Running) =>
  Number(readFileSync(`/proc/${stage.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

async function ask(server: Running, token: string): Promise<Asked> {
  const [begunAt, workedBefore] = [performance.now(), workOf(server)];
  const { status, body } = await server.client.call(matchSuggestions, { token });
  const asked = { took: performance.now() - begunAt, worked: workOf(server) - workedBefore };
  if (status !== 200 || body.matches.length !== limits.openSuggestions)
    throw new Error(`answered ${status} with ${body.matches?.length} suggestions`);
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

export async function measureSuggestions(options: SuggestionsOptions): Promise<PartResult> {
  const { sizes, requests, port } = options;
  const prepared: Prepared[] = [];
  for (const size of sizes) prepared.push(await prepare(size, options));
  const running: Running[] = [];
  try {
    for (const [n, one] of prepared.entries()) {
      const stage = await startStage(one.name, port + 10 * n, { SERVICES: 'api' }, one.name);
      running.push({ ...one, stage, client: createClient(stage.port, 1), first: [], again: [] });
    }
    // Sizes alternate request by request, so that the machine's moods fall on all of them.
    for (let n = 0; n < warmUps + requests; n += 1) {
      for (const server of running) {
        const token = server.tokens[n] as string;
        const [first, again] = [await ask(server, token), await ask(server, token)];
        if (n < warmUps) continue;
        server.first.push(first);
        server.again.push(again);
      }
    }
    return tell(options, running);
  } finally {
    for (const { stage, client } of running) {
      client.close();
      await stage.stop();
      forgetRuns(stage.databaseUrl);
    }
  }
}

function tell({ sizes, requests }: SuggestionsOptions, running: readonly Running[]): PartResult {
  const table = markdownTable(
    [
      'people',
      'first time, p50 / p99 ms',
      'of it the api’s work, ms',
      'has ten, p50 / p99 ms',
      'memory of the api, MB',
      'full rebuild',
    ],
    running.map((server, n) => [
      grouped(sizes[n] ?? 0),
      both(server.first),
      p(server.first, 0.5, 'worked').toFixed(1),
      both(server.again),
      memoryOf(server).toFixed(0),
      server.rebuilt,
    ]),
  );
  const p50 = running.map(({ first }) => p(first, 0.5));
  const [few, many] = [p50[0] ?? NaN, p50.at(-1) ?? NaN];
  const most = grouped(sizes.at(-1) ?? 0);
  return {
    text: `${table}\n\n${requests} people each, one after the other; load average ${loadavg()[0]?.toFixed(1)}.`,
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
