/**
 * npm run bench:faults -- [--rounds 3] [--only name]: the real processes behind a proxy that fails on command, on a
 * PostgreSQL and a Redis of their own, under a steady load of people who remember every acknowledged word. After
 * each fault every such word must be there, once. About six minutes with three rounds of each.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVent } from '@unsaid/contract';
import { startFaultProxy } from '../server/test/fault-proxy.ts';
import { freePort, signIn } from '../tools/drills.ts';
import { createClient } from './lib/client.ts';
import { createPostgres, createRedis } from './lib/own-services.ts';
import { startWriters, type Remembered } from './lib/writers.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, only: { type: 'string' } },
});
const rounds = Number(values.rounds);
const repo = fileURLToPath(new URL('..', import.meta.url));
const writerCount = 8;
const holdMs = 3000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// A disk that can be filled without filling anybody else's.
const disk = mkdtempSync(join(tmpdir(), 'unsaid-disk-'));
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', disk]);
const postgres = await createPostgres(disk);
const redis = await createRedis();
const toPostgres = await startFaultProxy({ host: '127.0.0.1', port: postgres.port });
const toRedis = await startFaultProxy({ host: '127.0.0.1', port: redis.port });
const outbox = join(mkdtempSync(join(tmpdir(), 'unsaid-faults-')), 'outbox.jsonl');
const apiPort = await freePort();

const env = async () => ({
  PATH: process.env['PATH'],
  DATABASE_URL: `postgres://owner@127.0.0.1:${toPostgres.port}/unsaid`,
  REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
  HOST: '127.0.0.1',
  PORT: String(apiPort),
  METRICS_PORT: String(await freePort()),
  SMS_OUTBOX_FILE: outbox,
  LIMITS_SCALE: '1000000',
  PHONE_INDEX_COST: '4',
  LOG_LEVEL: 'error',
});

interface Kept {
  kill(): void;
  stop(): Promise<void>;
  readonly crashes: () => number;
}

/** A process that is started again whenever it ends, as a service manager would. */
async function keepUp(services: 'api' | 'worker'): Promise<Kept> {
  let child: ChildProcess;
  let isWanted = true;
  let isExpected = false;
  let crashes = 0;
  async function start(): Promise<void> {
    child = spawn(process.execPath, [`${repo}server/src/bin/api.ts`], {
      env: { ...(await env()), SERVICES: services },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.on('data', (part: Buffer) => process.stderr.write(`${services}: ${part.toString()}`));
    child.once('exit', () => {
      if (!isExpected) crashes += 1;
      isExpected = false;
      if (isWanted) setTimeout(() => void start(), 200);
    });
  }
  await start();
  return {
    kill() {
      isExpected = true;
      child.kill('SIGKILL');
    },
    async stop() {
      isWanted = false;
      isExpected = true;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
    crashes: () => crashes,
  };
}

const migrated = { ...(await env()), DATABASE_URL: postgres.url };
execFileSync(process.execPath, [`${repo}server/src/bin/migrate.ts`], { env: migrated, stdio: 'ignore' });
postgres.sql('create role idler login');
const api = await keepUp('api');
const worker = await keepUp('worker');

async function isReady(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${apiPort}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function waitUntilReady(): Promise<void> {
  for (let wait = 0; wait < 600; wait += 1) {
    if (await isReady()) return;
    await pause(50);
  }
  throw new Error('the service did not come back');
}

interface Fault {
  readonly name: string;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

const idlers: ChildProcess[] = [];
const filler = join(disk, 'filler');
const nothing = () => {};
const faults: Fault[] = [
  { name: 'api killed', begin: () => api.kill(), end: nothing },
  { name: 'worker killed', begin: () => worker.kill(), end: nothing },
  { name: 'Redis killed', begin: () => redis.killHard(), end: () => redis.start() },
  { name: 'PostgreSQL killed', begin: () => postgres.killHard(), end: () => postgres.start() },
  { name: 'Redis refused', begin: () => toRedis.refuse(), end: () => toRedis.restore() },
  { name: 'Redis slow by 5 s', begin: () => toRedis.delayAnswers(5000), end: () => toRedis.restore() },
  { name: 'Redis black-holed', begin: () => toRedis.blackHole(), end: () => toRedis.restore() },
  { name: 'Redis reset in mid-reply', begin: () => toRedis.resetInMidReply(), end: () => toRedis.restore() },
  {
    name: 'Redis full',
    begin: () => void redis.ask('config', 'set', 'maxmemory', '1'),
    end: () => void redis.ask('config', 'set', 'maxmemory', '0'),
  },
  { name: 'Redis flushed', begin: () => void redis.ask('flushall'), end: nothing },
  { name: 'PostgreSQL refused', begin: () => toPostgres.refuse(), end: () => toPostgres.restore() },
  {
    name: 'PostgreSQL slow by 1 s',
    begin: () => toPostgres.delayAnswers(1000),
    end: () => toPostgres.restore(),
  },
  { name: 'PostgreSQL black-holed', begin: () => toPostgres.blackHole(), end: () => toPostgres.restore() },
  {
    name: 'PostgreSQL reset in mid-reply',
    begin: () => toPostgres.resetInMidReply(),
    end: () => toPostgres.restore(),
  },
  {
    name: 'connections exhausted',
    begin() {
      for (let n = 0; n < 60; n += 1) {
        const url = postgres.url.replace('owner@', 'idler@');
        idlers.push(spawn('psql', [url, '-qc', 'select pg_sleep(4)'], { stdio: 'ignore' }));
      }
    },
    async end() {
      // They go by themselves: with every place taken, nobody could come in to send them away.
      for (const idler of idlers.splice(0))
        if (idler.exitCode === null) await new Promise((resolve) => idler.once('exit', resolve));
    },
  },
  {
    name: 'disk full',
    begin() {
      try {
        execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'], { stdio: 'ignore' });
      } catch {
        // It ends when there is no room left, which is the point.
      }
    },
    async end() {
      rmSync(filler, { force: true });
      // Without room for its log it may have stopped; a service manager starts it again.
      await postgres.start();
    },
  },
];

interface Outcome {
  acknowledged: number;
  lost: number;
  twice: number;
  failedAtFirst: number;
  failedForGood: number;
  slowestRecoveryMs: number;
  readonly strange: Set<string>;
}

/** Looks every acknowledged word up, in the tables themselves. */
function count(words: readonly string[]): { lost: number; twice: number } {
  const found = new Map<string, number>();
  for (let done = 0; done < words.length; done += 500) {
    const list = words
      .slice(done, done + 500)
      .map((text) => `'${text}'`)
      .join(',');
    const rows = postgres.sql(
      `select body || '|' || count(*) from (
         select body from content.vents union all select body from content.comments) as said
        where body in (${list}) group by body`,
    );
    for (const row of rows.split('\n').filter(Boolean)) {
      const [text = '', times = '0'] = row.split('|');
      found.set(text, Number(times));
    }
  }
  return {
    lost: words.filter((text) => !found.has(text)).length,
    twice: [...found.values()].filter((times) => times > 1).length,
  };
}

async function suffer(fault: Fault, tokens: readonly string[], ventId: string): Promise<Outcome> {
  const outcome: Outcome = {
    acknowledged: 0,
    lost: 0,
    twice: 0,
    failedAtFirst: 0,
    failedForGood: 0,
    slowestRecoveryMs: 0,
    strange: new Set(),
  };
  for (let round = 0; round < rounds; round += 1) {
    await waitUntilReady();
    const writers = startWriters({ port: () => apiPort, tokens, ventId, retryForMs: 20_000 });
    await pause(1000);
    await fault.begin();
    await pause(holdMs);
    await fault.end();
    const endedAt = performance.now();
    const { remembered }: { remembered: Remembered } = writers;
    const before = remembered.acknowledged.length;
    while (remembered.acknowledged.length === before && performance.now() - endedAt < 30_000) await pause(10);
    outcome.slowestRecoveryMs = Math.max(outcome.slowestRecoveryMs, performance.now() - endedAt);
    await pause(1500);
    await writers.stop();
    await waitUntilReady();
    const { lost, twice } = count(remembered.acknowledged);
    outcome.acknowledged += remembered.acknowledged.length;
    outcome.lost += lost;
    outcome.twice += twice;
    outcome.failedAtFirst += remembered.failedAtFirst;
    outcome.failedForGood += remembered.failedForGood;
    for (const one of remembered.strange) outcome.strange.add(one);
  }
  return outcome;
}

async function main(): Promise<void> {
  await waitUntilReady();
  const tokens: string[] = [];
  for (let n = 0; n < writerCount; n += 1) {
    const phone = `+9199${String(20_000_000 + n * 37)}`;
    tokens.push((await signIn(`http://127.0.0.1:${apiPort}`, phone, outbox)).token);
  }
  const client = createClient(apiPort, 1);
  const said = await client.call(createVent, {
    token: tokens[0] as string,
    body: { title: 'Answered while things break', text: 'Somebody is here', emotion: 'Sad' },
  });
  client.close();
  const columns = ['acked', 'lost', 'twice', 'failed 1st', 'for good', 'back in s'];
  console.log(
    `${`fault, ${rounds} times each`.padEnd(32)}${columns.map((name) => name.padStart(11)).join('')}`,
  );
  let isBroken = false;
  for (const fault of faults.filter(({ name }) => !values.only || name.includes(values.only))) {
    const outcome = await suffer(fault, tokens, said.body.vent._id);
    const cells = [
      outcome.acknowledged,
      outcome.lost,
      outcome.twice,
      outcome.failedAtFirst,
      outcome.failedForGood,
      (outcome.slowestRecoveryMs / 1000).toFixed(2),
    ];
    const strange = outcome.strange.size > 0 ? `  also: ${[...outcome.strange].join(', ')}` : '';
    console.log(
      `${fault.name.padEnd(32)}${cells.map((cell) => String(cell).padStart(11)).join('')}${strange}`,
    );
    isBroken ||= outcome.lost > 0 || outcome.twice > 0;
  }
  const crashes = api.crashes() + worker.crashes();
  console.log(`processes that ended by themselves: ${crashes}`);
  process.exitCode = isBroken ? 1 : 0;
}

try {
  await main();
} finally {
  await Promise.all([api.stop(), worker.stop()]);
  await Promise.all([toPostgres.close(), toRedis.close(), redis.remove()]);
  postgres.remove();
  execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
}
