/**
 * npm run bench:vents: what reading costs at 100 thousand and at 1 million vents. Seeds its own
 * databases (kept for the next run), starts the real server on each, and prints p50 and p99 of every
 * call, growth, and the feed over HTTP against the engine run bare, alternated in one run.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

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

const found = execFileSync('bash', [`${root}tools/services.sh`], { encoding: 'utf8' });
const services = Object.fromEntries(
  found
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
) as { DATABASE_URL: string; REDIS_URL: string };

function databaseUrl(name: string): string {
  const url = new URL(services.DATABASE_URL);
  url.pathname = `/${name}`;
  return url.href;
}
const psql = (url: string, statement: string) =>
  execFileSync('psql', [url, '-XAtc', statement], { encoding: 'utf8' }).trim();
const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

function prepareDatabase(vents: number): string {
  const url = databaseUrl(`unsaid_bench_${vents}`);
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
  readonly token: string;
  readonly child: ChildProcess;
}

async function startServer(url: string, port: number): Promise<Running> {
  const origin = `http://127.0.0.1:${port}`;
  const outbox = `${root}.data/bench-outbox.jsonl`;
  mkdirSync(`${root}.data`, { recursive: true });
  writeFileSync(outbox, '');
  const child = spawn(process.execPath, [`${root}server/src/bin/api.ts`], {
    env: {
      ...process.env,
      ...services,
      DATABASE_URL: url,
      PORT: String(port),
      METRICS_PORT: String(port + 1000),
      SERVICES: 'api',
      REDIS_PREFIX: `bench-${port}:`,
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
  return { origin, token, child };
}

async function time(server: Running, path: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${server.origin}${path}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return performance.now() - begun;
}

const word = (text: string) => `/api/vent/search?limit=5&query=${encodeURIComponent(text)}`;

async function callsOf(server: Running): Promise<Record<string, string>> {
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

/** The statements of a feed page, as the server runs them, for the engine alone. */
function writeBareScript(): string {
  const path = `${root}.data/bare-feed.sql`;
  writeFileSync(
    path,
    `select vent.id, vent.author_key, vent.emotion, vent.title, vent.body, vent.hashtags, vent.created_at,
            stats.heart, stats.hug, stats.listen, stats.comments, coalesce(pen.allow_comments, true)
       from content.vents as vent
       join content.vent_stats as stats on stats.vent_id = vent.id
       left join content.pens as pen on pen.author_key = vent.author_key
      where vent.id = any(array(select id from content.vents where state = 'visible'
                                 order by created_at desc, id desc limit 6)) and vent.state = 'visible';
`,
  );
  return path;
}

function runPgbench(url: string, script: string): number {
  const args = ['-n', '-M', 'prepared', '-c', '8', '-j', '2', '-T', values.seconds, '-f', script, url];
  const env = { ...process.env, PGOPTIONS: '-c plan_cache_mode=force_generic_plan' };
  const bin = execFileSync(
    'bash',
    ['-c', 'command -v pgbench || ls /usr/lib/postgresql/*/bin/pgbench | tail -1'],
    { encoding: 'utf8' },
  );
  const output = execFileSync(bin.trim(), args, {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(/tps = ([\d.]+)/u.exec(output)?.[1]);
}

function runWrk(server: Running, path: string): number {
  const args = [
    '-c16',
    '-t2',
    `-d${values.seconds}s`,
    '-H',
    `authorization: Bearer ${server.token}`,
    `${server.origin}${path}`,
  ];
  const output = execFileSync('wrk', args, { encoding: 'utf8' });
  if (/Non-2xx/u.test(output)) throw new Error(output);
  return Number(/Requests\/sec:\s+([\d.]+)/u.exec(output)?.[1]);
}

function haveWrk(): boolean {
  try {
    execFileSync('bash', ['-c', 'command -v wrk || apt-get install -y -qq wrk'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const urls = sizes.map(prepareDatabase);
const servers: Running[] = [];
for (const [index, url] of urls.entries()) servers.push(await startServer(url, 3400 + index));
try {
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
    const script = writeBareScript();
    const noise = `${root}.data/noise.sql`;
    writeFileSync(noise, 'select 1;\n');
    const seen = {
      bare: [] as number[],
      made: [] as number[],
      shared: [] as number[],
      noise: [] as number[],
    };
    for (let round = 0; round < rounds; round += 1) {
      seen.bare.push(runPgbench(url, script));
      seen.made.push(runWrk(server, '/api/vent/all?page=1&limit=6'));
      seen.shared.push(runWrk(server, '/api/vent/all?page=1'));
      seen.noise.push(runPgbench(url, noise));
    }
    const ratio = (list: readonly number[]) =>
      median(list.map((rate, round) => rate / (seen.bare[round] ?? NaN)));
    ratios['made anew'] = ratio(seen.made);
    ratios['shared page'] = ratio(seen.shared);
    console.log(
      `\nbare engine ${median(seen.bare).toFixed(0)}/s; HTTP made anew ${median(seen.made).toFixed(0)}/s, ratio ${ratios['made anew'].toFixed(2)}`,
    );
    console.log(
      `HTTP shared page ${median(seen.shared).toFixed(0)}/s, ratio ${ratios['shared page'].toFixed(2)}; noise (select 1) ${median(seen.noise).toFixed(0)}/s, spread ${(Math.max(...seen.noise) / Math.min(...seen.noise)).toFixed(2)}`,
    );
  }
  mkdirSync(`${root}bench/results`, { recursive: true });
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(
    `${root}bench/results/vents-${day}.json`,
    `${JSON.stringify({ sizes, table, ratios }, null, 2)}\n`,
  );
} finally {
  for (const { child } of servers) child.kill('SIGTERM');
}
