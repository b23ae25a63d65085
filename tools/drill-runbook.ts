/**
 * npm run drill:runbook [-- page]: runs every command of docs/runbook.md on a temporary cluster with the real server and some data.
 * A command with an outdated metric, column or file fails here instead of during an incident.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killChildren } from '../testkit/child-processes.ts';
import { startServer } from '../testkit/server-process.ts';
import { startTempPostgres } from '../testkit/temp-postgres.ts';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { switchNames } from '../server/src/platform/switches.ts';
import { call, run, say, signIn, start, type Person } from './drills.ts';
import { conclude } from './test-reports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const postgres = await startTempPostgres({ user: 'unsaid', settings: [] });
const { folder, libpq, sql: query } = postgres;

/** Commands that are skipped, and where they are tested instead. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/docker|systemctl/u, 'npm run drill:restore'],
  [/setup\.sh/u, 'deploy/try-setup.sh'],
  [/https:/u, 'the network outside'],
  [/backup\.sh|^mv |flushdb|df -h \/backup|npm run drill:restore/u, 'npm run drill:restore'],
  [/npm run drill:rollback/u, 'CI, by itself'],
  [/npm run worker/u, 'every drill: it is what the server is started with'],
];
/** Commands that take long: people read all the time. */
const whileReading = /keys -- replace/u;
/** What the page promises of a switch. */
const switchSeconds = 5;
/** Commands without output on a healthy service. */
const mayFindNothing = /grep .* log\b|status="5/u;

interface Command {
  readonly page: string;
  readonly text: string;
}

/** Lines of code blocks, and inline code that begins like a command. */
function readCommands(): Command[] {
  const commands: Command[] = [];
  for (const section of readFileSync(`${root}docs/runbook.md`, 'utf8').split(/^## /mu).slice(1)) {
    const page = section.split('\n', 1)[0] ?? '';
    const blocks = [...section.matchAll(/```sh\n(.*?)```/gsu)].flatMap(([, block = '']) => block.split('\n'));
    const inline = [...section.replaceAll(/```sh\n.*?```/gsu, '').matchAll(/`([^`]+)`/gu)]
      .map(([, text = '']) => text)
      .filter((text) =>
        /^(?:psql|redis-cli|npm|curl|openssl|deploy\/\S+\.sh|docker|systemctl|select|alter) /u.test(text),
      );
    for (const text of [...blocks, ...inline]) if (text !== '') commands.push({ page, text });
  }
  return commands;
}

const problems: string[] = [];
let [tried, left] = [0, 0];

interface Readers {
  readonly origins: readonly string[];
  readonly phone: string;
  readonly outbox: string;
}

/** Reads the feed and a person's own vents at each process in turn, until `isOver`. A session that ends is renewed, once. */
async function readUntil(isOver: () => boolean, { origins, phone, outbox }: Readers) {
  let person: Person = await signIn(origins[0] ?? '', phone, outbox);
  const seen = { reads: 0, failures: 0, sessionsEnded: 0, longestMs: 0 };
  for (let n = 0; !isOver() || seen.sessionsEnded === 0; n += 1) {
    const origin = origins[n % origins.length] ?? '';
    const begun = performance.now();
    const { status } = await fetch(`${origin}/api/vent/all`, {
      headers: { authorization: `Bearer ${person.token}` },
    });
    seen.longestMs = Math.max(seen.longestMs, Math.round(performance.now() - begun));
    seen.reads += 1;
    if (status === 401 && seen.sessionsEnded === 0) {
      seen.sessionsEnded += 1;
      person = await signIn(origin, phone, outbox);
    } else if (status !== 200) seen.failures += 1;
    // Slower than the budget of vents that one person reads.
    await sleep(150);
  }
  return { ...seen, person };
}

/** Runs a command of the page while somebody reads. Nobody may notice but by having to sign in again. */
async function runWhileReading(text: string, env: Record<string, string>, readers: Readers): Promise<string> {
  const child = start(['bash', '-o', 'pipefail', '-c', text], env);
  let shown = '';
  child.stdout?.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const ended = once(child, 'exit');
  const { person, ...seen } = await readUntil(() => child.exitCode !== null, readers);
  const [code] = (await ended) as [number];
  const line = `${seen.reads} reads, ${seen.failures} failed, the longest ${seen.longestMs} ms`;
  if (code !== 0 || seen.failures > 0)
    throw Object.assign(new Error(line), { status: code, stderr: `${shown}${line}` });
  const { vents } = (await call(person, 'GET', '/api/vent/all?mine=true')) as { vents: unknown[] };
  if (vents.length === 0)
    throw Object.assign(new Error('own vents are gone'), { stderr: 'own vents are gone' });
  return `${shown}${line}; ${vents.length} vents of their own`;
}

/** Turns each switch off and on. Returns the longest time until it is in force in every process. */
async function drillSwitches(logs: readonly string[], env: Record<string, string>): Promise<number> {
  const isOff = (log: string, name: string) => {
    const lines = readFileSync(log, 'utf8').split('\n');
    const last = lines.findLast((line) => line.includes('"event":"switches_changed"')) ?? '{"outcome":[]}';
    return (JSON.parse(last) as { outcome: string[] }).outcome.includes(name);
  };
  let longestMs = 0;
  for (const name of switchNames)
    for (const word of ['off', 'on'] as const) {
      run(['npm', 'run', '-s', '--prefix', root, 'switches', '--', word, name], env);
      const begun = performance.now();
      while (!logs.every((log) => isOff(log, name) === (word === 'off'))) {
        if (performance.now() - begun > 60_000) throw new Error(`${name} is not ${word} after a minute`);
        await sleep(20);
      }
      longestMs = Math.max(longestMs, performance.now() - begun);
    }
  return longestMs / 1000;
}
try {
  // One of the commands gives it more memory.
  const redis = await startTempRedis();
  const outbox = join(folder, 'outbox.jsonl');
  const newKey = () => run(['openssl', 'rand', '-base64', '32']);
  const env = {
    ...libpq,
    NODE_ENV: 'test',
    DATABASE_URL: postgres.url,
    JOBS_DATABASE_URL: postgres.url.replace('//unsaid@', '//app_jobs@'),
    REDIS_URL: redis.url,
    REDIS_TIMEOUT_MS: '2000',
    // As before a leaked key is replaced. Numbers are made with the newest.
    MASTER_KEYS: `2:${newKey()},1:${newKey()}:retired`,
    SMS_OUTBOX_FILE: outbox,
    LOG_LEVEL: 'info',
    // One of the commands sets them.
    ...Object.fromEntries(
      ['IDENTITY', 'CONTENT', 'MATCHING', 'MODERATION', 'CONSOLE', 'JOBS', 'MIGRATOR'].map((name) => [
        `${name}_PASSWORD`,
        newKey(),
      ]),
    ),
  };
  run(['psql', postgres.url, '-X', '-f', `${root}deploy/logins.sql`], env);
  run([process.execPath, `${root}server/src/bin/migrate.ts`], env);
  const log = join(folder, 'log');
  const { origin, metricsPort } = await startServer({ env: { ...process.env, ...env }, logFile: log });
  const secondLog = join(folder, 'log-2');
  const second = await startServer({
    env: { ...process.env, ...env, SERVICES: 'api' },
    logFile: secondLog,
  });
  const author = await signIn(origin, '+919812345601', outbox);
  const reader = await signIn(origin, '+919812345602', outbox);
  const said = { title: 'Said before the drill', text: 'and reported by somebody', emotion: 'Sad' };
  const { vent } = (await call(author, 'POST', '/api/vent/create', said)) as { vent: { _id: string } };
  await call(reader, 'POST', '/api/vent/comment', { ventId: vent._id, text: 'I hear you' });
  await call(reader, 'POST', '/api/vent/report', { ventId: vent._id, reason: 'Spam' });
  // Exhausts a budget, so that there is a refusal to show. Not that of codes, which asks for proof of work first.
  for (let status = 201; status !== 429;)
    ({ status } = await fetch(`${origin}/api/vent/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${author.token}` },
      body: JSON.stringify(said),
    }));
  query(`select pg_create_physical_replication_slot('unsaid_wal')`);
  say('a cluster, a server, two people, a vent, a comment, a report, and a refusal');

  const fill = (text: string) =>
    text
      .replaceAll('localhost:9464', `localhost:${metricsPort}`)
      .replaceAll('localhost:3000', origin)
      .replaceAll('/var/lib/postgresql', folder)
      .replaceAll(/ log\b/gu, ` ${log}`)
      .replaceAll('<pid>', '0')
      .replaceAll('deploy/logins.sql', `${root}deploy/logins.sql`)
      .replaceAll('npm run', `npm run -s --prefix ${root}`)
      .replace(/^(?:select|alter) .*/u, (statement) => `psql "$DATABASE_URL" -c "${statement}"`);
  let page = '';
  const [only = ''] = process.argv.slice(2);
  for (const command of readCommands().filter((one) => one.page.includes(only))) {
    if (command.page !== page) console.log(`\n${(page = command.page)}`);
    const [, where] = elsewhere.find(([pattern]) => pattern.test(command.text)) ?? [];
    if (where !== undefined) {
      left += 1;
      console.log(`  skipped, tested by ${where}: ${command.text}`);
      continue;
    }
    tried += 1;
    try {
      const shown = whileReading.test(command.text)
        ? await runWhileReading(fill(command.text), env, {
            origins: [origin, second.origin],
            phone: '+919812345601',
            outbox,
          })
        : run(['bash', '-o', 'pipefail', '-c', fill(command.text)], env);
      console.log(`  ok  ${command.text}`);
      if (shown !== '') console.log(shown.replaceAll(/^/gmu, '        '));
    } catch (error) {
      const { status, stderr, message } = error as { status?: number; stderr?: string; message?: string };
      if (status === 1 && !stderr && mayFindNothing.test(command.text)) {
        console.log(`  ok  ${command.text}\n        (no output, as expected)`);
        continue;
      }
      problems.push(
        `${command.page}: ${command.text}: ${stderr?.trim() || message || `ended with ${status}`}`,
      );
    }
  }
  const seconds = await drillSwitches([log, secondLog], env);
  say(`${switchNames.length} switches, off and on in two processes: at most ${seconds.toFixed(1)} s`);
  if (seconds > switchSeconds) problems.push(`a switch took ${seconds.toFixed(1)} s`);
} finally {
  await killChildren();
  await postgres.remove();
}
conclude(problems, `\nrunbook: ${tried} commands run, ${left} skipped`);
