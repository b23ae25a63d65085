/**
 * npm run bench:matches -- [--sizes 10000,100000,1000000] [--requests 200] [--fresh] [--skip-rebuild]: what it costs to find people,
 * and whether it costs more among a million. Fills databases of its own (kept for the next run), runs the real
 * rebuild and the real server on each, and prints the p50 and p99 of GET /api/match/suggestions for people who ask
 * for the first time (a search, and ten pairs written) and for people who have their ten.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { limits, matchSuggestions } from '@unsaid/contract';
import { readConfig } from '../server/src/config.ts';
import { buildDeps, type Deps } from '../server/src/deps.ts';
import { buildFeatures } from '../server/src/features.ts';
import { createLogger } from '../server/src/platform/logger.ts';
import { migrate } from '../server/src/platform/migrate.ts';
import { findServices, urlOfDatabase } from '../tools/services.ts';
import { createClient, percentile, type Client } from './lib/client.ts';
import { asksFirst, fillCrowd, idAt, isFilled, psql } from './lib/crowd.ts';
import { startStage, type Stage } from './lib/stage.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    requests: { type: 'string', default: '200' },
    fresh: { type: 'boolean', default: false },
    'skip-rebuild': { type: 'boolean', default: false },
    port: { type: 'string', default: '3300' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const requests = Number(values.requests);
/** Asked before the clock runs: until the server's code is compiled, it measures the compiler. */
const warmUps = 150;
const services = findServices();
const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

async function withDeps<T>(url: string, work: (deps: Deps) => Promise<T>): Promise<T> {
  const env = { ...services, DATABASE_URL: url, REDIS_PREFIX: 'bench-matches:', LOG_LEVEL: 'warn' };
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

async function prepare(people: number): Promise<Prepared> {
  const name = `unsaid_bench_matches_${people}`;
  const url = urlOfDatabase(services.DATABASE_URL, name);
  if (values.fresh) psql(urlOfDatabase(services.DATABASE_URL, 'postgres'), `drop database if exists ${name}`);
  await migrate(url, createLogger('warn'));
  return withDeps(url, async (deps) => {
    if (!isFilled(url, people)) {
      const begunAt = performance.now();
      if (psql(url, 'select count(*) from (select from identity.users limit 1) as somebody') !== '0')
        throw new Error(`${name} holds another crowd: --fresh makes it anew`);
      await fillCrowd({ url, ...deps }, people);
      console.log(`${people} people filled in after ${seconds(begunAt)} s`);
    }
    forgetRuns(url);
    return { name, rebuilt: await rebuild(deps), tokens: openSessions(url, people) };
  });
}

/** How long it took. What a run before this one left may be used again. */
async function rebuild(deps: Deps): Promise<string> {
  const url = deps.config.databaseUrl;
  if (values['skip-rebuild'] && psql(url, 'select generation from matching.rebuilds') !== '0')
    return 'skipped';
  const { jobs } = await buildFeatures(deps);
  const begunAt = performance.now();
  await jobs.find((job) => job.name === 'rebuild-match-profiles')?.run();
  const took = `${seconds(begunAt)} s`;
  console.log(`${deps.config.databaseUrl.split('_').at(-1)} profiles rebuilt in ${took}`);
  // As autovacuum does a little later.
  psql(url, 'vacuum analyze matching.match_profiles');
  return took;
}

/** Signing in costs a slow hash on purpose, so the sessions are put there. */
function openSessions(url: string, people: number): string[] {
  const askers = Array.from({ length: people }, (_, n) => n).filter(asksFirst);
  const step = Math.floor(askers.length / (warmUps + requests));
  const tokens = Array.from(
    { length: warmUps + requests },
    () => `uns_${randomBytes(32).toString('base64url')}`,
  );
  const rows = tokens.map((token, n) => {
    const hash = createHash('sha256').update(token).digest('hex');
    return `('\\x${hash}', ${idAt(askers[n * step] ?? 0)}, 'bench', current_date, current_date, current_date + 30)`;
  });
  psql(
    url,
    `insert into identity.sessions (token_sha256, user_id, label, created_on, last_seen_on, ends_on)
     values ${rows.join()};
     update identity.users set last_seen_on = current_date where id in (select user_id from identity.sessions)`,
  );
  return tokens;
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

const prepared: Prepared[] = [];
for (const size of sizes) prepared.push(await prepare(size));
const running: Running[] = [];
try {
  for (const [n, one] of prepared.entries()) {
    const stage = await startStage(one.name, Number(values.port) + 10 * n, { SERVICES: 'api' }, one.name);
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
  const p = (list: readonly Asked[], share: number, what: keyof Asked = 'took') =>
    percentile(
      list.map((asked) => asked[what]).toSorted((a, b) => a - b),
      share,
    );
  const both = (list: readonly Asked[]) => `${p(list, 0.5).toFixed(1)} / ${p(list, 0.99).toFixed(1)} ms`;
  const memoryOf = ({ stage }: Running) =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(stage.pid)], { encoding: 'utf8' })) / 1024;
  console.log(`\n${requests} people each, one after the other; load average ${loadavg()[0]?.toFixed(1)}\n`);
  console.log(
    'people      first time, p50 / p99   of it the api’s work   has ten, p50 / p99   memory of the api   full rebuild',
  );
  for (const [n, server] of running.entries()) {
    console.log(
      [
        String(sizes[n]).padEnd(10),
        both(server.first).padStart(23),
        `${p(server.first, 0.5, 'worked').toFixed(1)} ms`.padStart(22),
        both(server.again).padStart(20),
        `${memoryOf(server).toFixed(0)} MB`.padStart(19),
        server.rebuilt.padStart(14),
      ].join(' '),
    );
  }
  const [smallest, largest] = [running[0], running.at(-1)];
  if (smallest && largest) {
    const [few, many] = [p(smallest.first, 0.5), p(largest.first, 0.5)];
    const verdict = (isReached: boolean) => (isReached ? 'reached' : 'NOT reached');
    console.log(
      `\nfirst time at ${sizes.at(-1)}: p50 of 25 ms at most: ${many.toFixed(1)} ms, ${verdict(many <= 25)}`,
    );
    console.log(
      `and at most twice that at ${sizes[0]}: ${(many / few).toFixed(2)} times, ${verdict(many <= 2 * few)}`,
    );
  }
} finally {
  for (const { stage, client } of running) {
    client.close();
    await stage.stop();
    forgetRuns(stage.databaseUrl);
  }
}
