/**
 * npm run drill:runbook: runs every command of docs/runbook.md, those that look and those that mend, on a throwaway
 * cluster with the real server beside it and people who did something. A command that names a metric, a column or a
 * file which is no more fails here, and not in front of somebody at night.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../server/test/free-port.ts';
import { call, run, say, signIn, start, startServer } from './drills.ts';
import { conclude } from './test-reports.ts';
import * as postgres from './throwaway-cluster.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { folder, libpq, query } = postgres;

/** Where a command is tried instead, or why it cannot be here. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/docker|kubectl/u, 'an orchestrator'],
  [/https:/u, 'the network outside'],
  [/backup\.sh|pg_ctl|chown|npm run drill:restore/u, 'npm run drill:restore'],
  [/npm run drill:rollback/u, 'CI, by itself'],
  [/npm run worker/u, 'every drill: it is what the server is started with'],
];
/** A healthy service has nothing to show for these. */
const mayFindNothing = /grep .* log\b|status="5/u;

interface Command {
  readonly page: string;
  readonly text: string;
}

/** Lines of the blocks, and what stands between backticks in the text and begins like a command. */
function readCommands(): Command[] {
  const commands: Command[] = [];
  for (const section of readFileSync(`${root}docs/runbook.md`, 'utf8').split(/^## /mu).slice(1)) {
    const page = section.split('\n', 1)[0] ?? '';
    const blocks = [...section.matchAll(/```sh\n(.*?)```/gsu)].flatMap(([, block = '']) => block.split('\n'));
    const inline = [...section.replaceAll(/```sh\n.*?```/gsu, '').matchAll(/`([^`]+)`/gu)]
      .map(([, text = '']) => text)
      .filter((text) =>
        /^(?:psql|redis-cli|npm|curl|openssl|deploy\/\S+\.sh|docker|kubectl|select|alter) /u.test(text),
      );
    for (const text of [...blocks, ...inline]) if (text !== '') commands.push({ page, text });
  }
  return commands;
}

const problems: string[] = [];
let [tried, left] = [0, 0];
try {
  const data = join(folder, 'data');
  postgres.initCluster(data);
  await postgres.startCluster(data);
  query('create database unsaid', 'postgres');
  // Its own as well: one of the commands gives it more memory.
  const redisPort = await freePort();
  const redis = start(['redis-server', '--port', String(redisPort), '--bind', '127.0.0.1', '--save', '']);
  redis.stdout?.resume();
  const outbox = join(folder, 'outbox.jsonl');
  const newKey = () => run(['openssl', 'rand', '-base64', '32']);
  const env = {
    ...libpq,
    NODE_ENV: 'test',
    DATABASE_URL: postgres.databaseUrl,
    JOBS_DATABASE_URL: postgres.databaseUrl.replace('//unsaid@', '//app_jobs@'),
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    REDIS_TIMEOUT_MS: '2000',
    MASTER_KEYS: `2:${newKey()},1:${newKey()}`,
    SMS_OUTBOX_FILE: outbox,
    LOG_LEVEL: 'info',
    // One of the commands sets them.
    ...Object.fromEntries(
      ['IDENTITY', 'CONTENT', 'MATCHING', 'JOBS', 'MIGRATOR'].map((name) => [`${name}_PASSWORD`, newKey()]),
    ),
  };
  run(['psql', postgres.databaseUrl, '-X', '-f', `${root}deploy/logins.sql`], env);
  run([process.execPath, `${root}server/src/bin/migrate.ts`], env);
  const log = join(folder, 'log');
  const { origin, metricsPort } = await startServer(root, env, log);
  const author = await signIn(origin, '+919812345601', outbox);
  const reader = await signIn(origin, '+919812345602', outbox);
  const said = { title: 'Said before the drill', text: 'and reported by somebody', emotion: 'Sad' };
  const { vent } = (await call(author, 'POST', '/api/vent/create', said)) as { vent: { _id: string } };
  await call(reader, 'POST', '/api/vent/comment', { ventId: vent._id, text: 'I hear you' });
  await call(reader, 'POST', '/api/vent/report', { ventId: vent._id, reason: 'Spam' });
  // Somebody who asks for more codes than there are, so that a budget has refused.
  for (let status = 200; status !== 429;)
    ({ status } = await fetch(`${origin}/api/auth/request-otp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone: '+919812345603' }),
    }));
  query(`select pg_create_physical_replication_slot('unsaid_wal')`);
  say('a cluster, a server, two people, a vent, a comment, a report, and a refusal');

  const report = query('select id from content.reports');
  const fill = (text: string) =>
    text
      .replaceAll('localhost:9464', `localhost:${metricsPort}`)
      .replaceAll('localhost:3000', origin)
      .replaceAll('/var/lib/postgresql', folder)
      .replaceAll(/ log\b/gu, ` ${log}`)
      .replaceAll('<report>', report)
      .replaceAll('<pid>', '0')
      .replaceAll('deploy/logins.sql', `${root}deploy/logins.sql`)
      .replaceAll('npm run', `npm run -s --prefix ${root}`)
      .replace(/^(?:select|alter) .*/u, (statement) => `psql "$DATABASE_URL" -c "${statement}"`);
  let page = '';
  for (const command of readCommands()) {
    if (command.page !== page) console.log(`\n${(page = command.page)}`);
    const [, where] = elsewhere.find(([pattern]) => pattern.test(command.text)) ?? [];
    if (where !== undefined) {
      left += 1;
      console.log(`  left to ${where}: ${command.text}`);
      continue;
    }
    tried += 1;
    try {
      const shown = run(['bash', '-o', 'pipefail', '-c', fill(command.text)], env);
      console.log(`  ok  ${command.text}`);
      if (shown !== '') console.log(shown.replaceAll(/^/gmu, '        '));
    } catch (error) {
      const { status, stderr } = error as { status?: number; stderr?: string };
      if (status === 1 && !stderr && mayFindNothing.test(command.text)) {
        console.log(`  ok  ${command.text}\n        (nothing, as it should be)`);
        continue;
      }
      problems.push(`${command.page}: ${command.text}: ${stderr?.trim() || `ended with ${status}`}`);
    }
  }
} finally {
  await postgres.cleanUp();
}
conclude(problems, `\nrunbook: ${tried} commands run, ${left} left to others`);
