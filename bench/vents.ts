/**
 * npm run bench:vents: what reading costs at 100 thousand and at 1 million vents. Seeds its own
 * databases (kept for the next run), starts the real server on each, and prints p50 and p99 of every
 * call, growth, and the feed over HTTP against the engine run bare, alternated in one run. Bare means: all
 * statements of one feed request that found nothing in any cache, as they were seen on their way.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findServices, urlOfDatabase } from '../tools/services.ts';
import { haveWrk, runPgbench, runWrk, tablesOf, writeBareScript } from './lib/load.ts';
import { startStatementTap, type Statement } from './lib/statement-tap.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000,1000000' },
    requests: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const requests = Number(values.requests);
const rounds = Number(values.rounds);

const seconds = Number(values.seconds);
const services = findServices();

const psql = (url: string, statement: string) =>
  execFileSync('psql', [url, '-XAtc', statement], { encoding: 'utf8' }).trim();
const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

function prepareDatabase(vents: number): string {
  const url = urlOfDatabase(services.DATABASE_URL, `unsaid_bench_${vents}`);
  const env = { ...process.env, ...services, DATABASE_URL: url, LOG_LEVEL: 'warn' };
  execFileSync(process.execPath, [`${root}server/src/bin/migrate.ts`], { env, stdio: 'inherit' });
  if (Number(psql(url, 'select count(*) from (select 1 from content.vents limit 1) as some_vent')) === 0) {
    const args = ['--users', String(Math.ceil(vents / 10)), '--vents', String(vents)];
    execFileSync(process.execPath, [`${root}server/src/bin/seed.ts`, ...args], { env, stdio: 'inherit' });
  }
  return url;
}

interface Running {
  readonly origin: string;
  readonly child: ChildProcess;
}

interface SignedIn extends Pick<Running, 'origin'> {
  readonly token: string;
}

const outbox = `${root}.data/bench-outbox.jsonl`;
mkdirSync(`${root}.data`, { recursive: true });

async function startServer(url: string, port: number, prefix = `bench-${port}:`): Promise<Running> {
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [`${root}server/src/bin/api.ts`], {
    env: {
      ...process.env,
      ...services,
      DATABASE_URL: url,
      PORT: String(port),
      METRICS_PORT: String(port + 1000),
      SERVICES: 'api',
      REDIS_PREFIX: prefix,
      LIMITS_SCALE: '100000',
      SMS_OUTBOX_FILE: outbox,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (let tries = 0; tries < 100; tries += 1) {
    const isUp = await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { origin, child };
}

async function signIn({ origin }: Running): Promise<SignedIn> {
  writeFileSync(outbox, '');
  const phone = '+919900000001';
  const post = (path: string, body: object) =>
    fetch(`${origin}/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('request-otp', { phone });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { code } = JSON.parse(readFileSync(outbox, 'utf8').trim()) as { code: string };
  const { token } = (await (await post('verify-otp', { phone, otp: code })).json()) as { token: string };
  return { origin, token };
}

async function time(server: SignedIn, path: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${server.origin}${path}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return performance.now() - begun;
}

const word = (text: string) => `/api/vent/search?limit=5&query=${encodeURIComponent(text)}`;

async function callsOf(server: SignedIn): Promise<Record<string, string>> {
  const answer = await fetch(`${server.origin}/api/vent/all?page=9`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const { vents } = (await answer.json()) as { vents: { _id: string }[] };
  return {
    'feed, page 1 (shared page)': '/api/vent/all?page=1',
    'feed, page 10 (shared page)': '/api/vent/all?page=10',
    // A size the pager does not use is made anew for every request.
    'feed, page 1, made anew': '/api/vent/all?page=1&limit=6',
    'feed, page 10, made anew': '/api/vent/all?page=10&limit=6',
    trending: '/api/vent/all?sort=trending',
    detail: `/api/vent/${vents[0]?._id ?? ''}`,
    'my vents': '/api/vent/all?mine=true',
    'search, frequent word': word('feel'),
    'search, rare word': word('gukarota'),
    'search, word nobody said': word('zzzzz'),
    'search, Hindi word': word('नींद'),
    'search, hashtag': word('#neet'),
  };
}

/**
 * One feed request of a server that has just started, with a Redis prefix nobody has used: whatever the
 * page needs, including who is asking, comes from the database.
 */
async function statementsOfFeed(url: string, token: string): Promise<Statement[]> {
  const tap = await startStatementTap(url);
  const { origin, child } = await startServer(tap.url, 3450, `bench-cold-${process.pid}:`);
  try {
    tap.take();
    await time({ origin, token }, '/api/vent/all?page=1&limit=5');
    return tap.take();
  } finally {
    child.kill('SIGTERM');
    tap.close();
  }
}

const urls = sizes.map(prepareDatabase);
const running: Running[] = [];
try {
  const servers: SignedIn[] = [];
  for (const [index, url] of urls.entries()) {
    const server = await startServer(url, 3400 + index);
    running.push(server);
    servers.push(await signIn(server));
  }
  const calls = await Promise.all(servers.map(callsOf));
  const names = Object.keys(calls[0] ?? {});
  const times = new Map<string, number[][]>(names.map((name) => [name, sizes.map(() => [])]));
  // Sizes alternate request by request, so that the machine's moods fall on both.
  for (let n = 0; n < requests; n += 1) {
    for (const name of names) {
      for (const [index, server] of servers.entries()) {
        times.get(name)?.[index]?.push(await time(server, calls[index]?.[name] ?? ''));
      }
    }
  }
  const quantile = (list: readonly number[], q: number) =>
    list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? NaN;
  console.log(
    `\n${'call'.padEnd(30)} ${sizes.map((size) => `${size} p50 / p99 ms`.padStart(26)).join('')}   growth of p50`,
  );
  const table = names.map((name) => {
    const lists = times.get(name) ?? [];
    const row = lists.map((list) => ({ p50: quantile(list, 0.5), p99: quantile(list, 0.99) }));
    const growth = (row.at(-1)?.p50 ?? NaN) / (row[0]?.p50 ?? NaN);
    const cells = row.map(({ p50, p99 }) => `${p50.toFixed(2)} / ${p99.toFixed(2)}`.padStart(26)).join('');
    console.log(`${name.padEnd(30)} ${cells}   ${growth.toFixed(2)}`);
    return { name, row, growth };
  });

  const ratios: Record<string, number> = {};
  const server = servers.at(-1);
  const url = urls.at(-1);
  if (server && url && haveWrk()) {
    const statements = await statementsOfFeed(url, server.token);
    const whole = writeBareScript(statements);
    const single = writeBareScript(statements.filter(({ text }) => text.includes('vent_stats')));
    const noise = writeBareScript([{ text: 'select 1', values: [] }]);
    const seen = {
      bare: [] as number[],
      single: [] as number[],
      made: [] as number[],
      shared: [] as number[],
      noise: [] as number[],
    };
    for (let round = 0; round < rounds; round += 1) {
      seen.bare.push(runPgbench(url, whole, seconds));
      // A size the pager does not use: one vent more than the bare script reads.
      seen.made.push(runWrk(`${server.origin}/api/vent/all?page=1&limit=6`, server.token, seconds));
      seen.shared.push(runWrk(`${server.origin}/api/vent/all?page=1`, server.token, seconds));
      seen.single.push(runPgbench(url, single, seconds));
      seen.noise.push(runPgbench(url, noise, seconds));
    }
    const ratio = (list: readonly number[], bare: readonly number[]) =>
      median(list.map((rate, round) => rate / (bare[round] ?? NaN)));
    const rate = (list: readonly number[]) => `${median(list).toFixed(0)}/s`;
    ratios['made anew'] = ratio(seen.made, seen.bare);
    ratios['shared page'] = ratio(seen.shared, seen.bare);
    ratios['made anew, to the one statement'] = ratio(seen.made, seen.single);
    ratios['shared page, to the one statement'] = ratio(seen.shared, seen.single);
    console.log(`\nbare engine, the ${statements.length} statements of one uncached feed request:`);
    for (const statement of statements) console.log(`  ${tablesOf(statement)}`);
    console.log(
      `bare ${rate(seen.bare)}; HTTP made anew ${rate(seen.made)}, ratio ${ratios['made anew'].toFixed(2)}; HTTP shared page ${rate(seen.shared)}, ratio ${ratios['shared page'].toFixed(2)}`,
    );
    console.log(
      `the vents' statement alone ${rate(seen.single)}: ratios ${ratios['made anew, to the one statement'].toFixed(2)} and ${ratios['shared page, to the one statement'].toFixed(2)}; noise (select 1) ${rate(seen.noise)}, spread ${(Math.max(...seen.noise) / Math.min(...seen.noise)).toFixed(2)}`,
    );
  }
  mkdirSync(`${root}bench/results`, { recursive: true });
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(
    `${root}bench/results/vents-${day}.json`,
    `${JSON.stringify({ sizes, table, ratios }, null, 2)}\n`,
  );
} finally {
  for (const { child } of running) child.kill('SIGTERM');
}
