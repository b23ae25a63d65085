/**
 * npm run drill:keys: rotates the master key of a running service as docs/operations.md says, one process after the other,
 * while people sign in. Each person asks one process for the code and gives it to another. No sign-in may fail. At the end
 * a rotation without the first step must fail, or the drill proves nothing.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killChildren } from '../testkit/child-processes.ts';
import { migrate, startServer, type ServerProcess } from '../testkit/server-process.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { run, say } from './drills.ts';
import { findServices, urlOfDatabase } from './services.ts';
import { conclude } from './test-reports.ts';

const perSecond = 20;
const processes = 3;
const { DATABASE_URL, REDIS_URL } = findServices();
const folder = mkdtempSync(join(tmpdir(), 'unsaid-keys-'));
const name = `unsaid_keys_${process.pid}`;
const outbox = join(folder, 'outbox.jsonl');
const newKey = () => randomBytes(32).toString('base64');
const [first, second, third] = [newKey(), newKey(), newKey()];
const base = {
  NODE_ENV: 'test',
  DATABASE_URL: urlOfDatabase(DATABASE_URL, name),
  REDIS_URL,
  REDIS_PREFIX: `${name}:`,
  // Long: a busy machine fails nobody here, only a wrong key does.
  REDIS_TIMEOUT_MS: '60000',
  DATABASE_TIMEOUT_MS: '60000',
  HANDLER_TIMEOUT_MS: '120000',
  TRUSTED_PROXIES: '127.0.0.1',
  DATABASE_POOL_SIZE: '4',
  PHONE_INDEX_COST: '4',
  LIMITS_SCALE: '1000',
  SERVICES: 'api',
  SMS_OUTBOX_FILE: outbox,
  LOG_LEVEL: 'error',
};

const codes = new Map<string, string>();
let linesRead = 0;
function readOutbox(): void {
  const lines = (existsSync(outbox) ? readFileSync(outbox, 'utf8') : '').split('\n').slice(0, -1);
  for (const line of lines.slice(linesRead)) {
    const { to, code } = JSON.parse(line) as { to: string; code: string };
    codes.set(to, code);
  }
  linesRead = lines.length;
}

let serving: ServerProcess[] = [];
const anyOrigin = () => serving[randomInt(serving.length)]?.origin ?? '';
const anyAddress = () => [10, ...randomBytes(3)].join('.');
const post = (path: string, body: object, cookie = '') =>
  fetch(`${anyOrigin()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'x-forwarded-for': anyAddress() },
    body: JSON.stringify(body),
  });

/** Null, or what went wrong. Some browsers keep the cookie of the first answer, some do not. */
async function signIn(phone: string): Promise<string | null> {
  codes.delete(phone);
  const asked = await post('/api/auth/request-otp', { phone });
  if (!asked.ok) return `request-otp ${asked.status} ${await asked.text()}`;
  await waitUntil('a code', () => {
    readOutbox();
    return codes.has(phone);
  });
  const cookies = asked.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const cookie = randomInt(2) === 0 ? cookies.join('; ') : '';
  const answer = await post('/api/auth/verify-otp', { phone, otp: codes.get(phone) }, cookie);
  return answer.ok ? null : `verify-otp ${answer.status} ${await answer.text()}`;
}

const known: string[] = [];
const busy = new Set<string>();
let people = 0;
const failures: string[] = [];
const load = { done: 0, isOver: false };
/** Every other sign-in is of somebody who has an account. */
async function signInSomebody(): Promise<void> {
  const returning = randomInt(2) === 0 ? known.find((phone) => !busy.has(phone)) : undefined;
  const phone = returning ?? `+9198${String((people += 1)).padStart(8, '0')}`;
  if (returning !== undefined) known.splice(known.indexOf(returning), 1);
  busy.add(phone);
  const failure = await signIn(phone).catch((error: unknown) => String(error));
  busy.delete(phone);
  known.push(phone);
  load.done += 1;
  if (failure !== null) failures.push(failure);
}

/** Signs people in, at most `perSecond` of them, until `work` is done. */
async function underLoad(work: () => Promise<void>): Promise<{ done: number; failed: number; rate: number }> {
  const begunAt = performance.now();
  const before = { done: load.done, failed: failures.length };
  const running = new Set<Promise<void>>();
  load.isOver = false;
  const generator = (async () => {
    const begun = performance.now();
    for (let n = 1; !load.isOver; n += 1) {
      const one = signInSomebody().finally(() => running.delete(one));
      running.add(one);
      // A machine that is too slow for the rate would time out, and say nothing about the keys.
      while (running.size > 100) await Promise.race(running);
      await sleep(Math.max(0, begun + (n * 1000) / perSecond - performance.now()));
    }
  })();
  await work();
  await sleep(2000);
  load.isOver = true;
  await generator;
  await Promise.all(running);
  const done = load.done - before.done;
  const rate = Math.round((done * 1000) / (performance.now() - begunAt));
  return { done, failed: failures.length - before.failed, rate };
}

/** Replaces one process after the other, as an orchestrator does: the new one serves before the old one ends. */
async function roll(ring: string): Promise<void> {
  for (let n = 0; n < processes; n += 1) {
    const fresh = await startServer({ env: { ...base, MASTER_KEYS: ring } });
    const [old] = serving;
    serving = [...serving.slice(serving.length < processes ? 0 : 1), fresh];
    await sleep(500);
    if (old && serving.length === processes && !serving.includes(old)) await old.stop();
  }
}

const problems: string[] = [];
try {
  migrate(base);
  // Nothing here has to survive a crash.
  run(['psql', base.DATABASE_URL, '-Xqc', `alter database ${name} set synchronous_commit = off`]);
  await roll(`1:${first}`);
  say(`${processes} processes with one key`);
  for (const [what, ring] of [
    ['the new key is added, not first', `1:${first},2:${second}`],
    ['the new key is put first', `2:${second},1:${first}`],
    ['the old key is retired', `2:${second},1:${first}:retired`],
  ] as const) {
    const { done, failed, rate } = await underLoad(() => roll(ring));
    say(`${what}: ${done} sign-ins, ${rate} of ${perSecond} a second, ${failed} failed`);
    if (failed > 0) problems.push(`${what}: ${failed} of ${done} failed, first: ${failures.at(-failed)}`);
  }
  // Planted: the step that adds the key is left out.
  const { done, failed } = await underLoad(() => roll(`3:${third},2:${second},1:${first}:retired`));
  say(`planted, a new key put first at once: ${done} sign-ins, ${failed} failed`);
  if (failed === 0)
    problems.push('a rotation without its first step failed nobody: the drill proves nothing');
} finally {
  await killChildren();
  run([
    'psql',
    urlOfDatabase(DATABASE_URL, 'postgres'),
    '-Xqc',
    `drop database if exists ${name} with (force)`,
  ]);
  run([
    'bash',
    '-c',
    `redis-cli -u "$0" --scan --pattern "$1*" | xargs -r redis-cli -u "$0" del`,
    REDIS_URL,
    `${name}:`,
  ]);
  rmSync(folder, { recursive: true, force: true });
}
conclude(problems, `keys: rotated without a failed sign-in`);
