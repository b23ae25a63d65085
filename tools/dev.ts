/**
 * npm run dev: everything a contributor needs, with one command. Finds or starts Postgres and Redis,
 * migrates, seeds a few people, runs the api with its jobs, the web and the moderation console with live reload, and
 * prints the codes that would have gone out by SMS.
 */
import { execFileSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawnChild } from '../testkit/child-processes.ts';
import { seedScript, serverScript } from '../testkit/server-process.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { findServices } from './services.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const outbox = `${root}.data/outbox.jsonl`;

if (!process.version.startsWith('v26.')) {
  console.error('Node 26 is needed here. Run:  . tools/env.sh');
  process.exit(1);
}
if (!existsSync(`${root}node_modules/fastify`)) {
  console.error('Packages are missing. Run:  npm ci');
  process.exit(1);
}

const env: NodeJS.ProcessEnv = {
  NODE_ENV: 'development',
  LOG_LEVEL: 'warn',
  SMS_OUTBOX_FILE: outbox,
  ...findServices(),
  ...process.env,
};
// Vite serves the page, so the origin in the browser is that of vite.
env['PUBLIC_ORIGIN'] ??= 'http://localhost:5173';
env['MOD_ORIGIN'] ??= 'http://localhost:5174';

const run = (...command: string[]) => execFileSync(process.execPath, command, { env, stdio: 'inherit' });
run(serverScript('migrate'));
run(seedScript(), '--users', '20', '--vents', '200', '--if-empty');

mkdirSync(`${root}.data`, { recursive: true });
if (!existsSync(outbox)) writeFileSync(outbox, '');

const children: ChildProcess[] = [
  spawnChild(process.execPath, ['--watch', '--watch-preserve-output', serverScript('api')], {
    env,
    stdio: 'inherit',
  }),
  ...['vite.config.ts', 'vite.mod.config.ts'].map((config) =>
    spawnChild(
      'npx',
      ['--no', 'vite', '--', '--config', config, '--clearScreen', 'false', '--logLevel', 'warn'],
      { cwd: `${root}web`, env, stdio: 'inherit' },
    ),
  ),
];

let isStopping = false;
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  for (const child of children) child.kill('SIGTERM');
  setTimeout(() => process.exit(0), 1500);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
for (const child of children) child.on('exit', stop);

const api = `http://localhost:${env['PORT'] ?? '3000'}`;
for (const address of ['http://localhost:5173', 'http://localhost:5174', api])
  await waitUntil(`${address} answers`, () =>
    fetch(address).then(
      () => true,
      () => false,
    ),
  );

console.log(`
  Unsaid is running.

    web      http://localhost:5173
    console  ${env['MOD_ORIGIN']}, for moderators. In another terminal:
             . tools/env.sh && export $(bash tools/services.sh)
             NODE_ENV=development MOD_ORIGIN=${env['MOD_ORIGIN']} npm run moderators -- add asha --role lead
    api      ${api}

  Sign in with any of the seeded numbers, +91 99000 00001 to +91 99000 00020, or with any
  mobile number of your own invention. No SMS is sent: the code appears below,
  at ${api}/dev/outbox and in .data/outbox.jsonl.

  Ctrl-C stops everything.
`);

let position = statSync(outbox).size;
const file = openSync(outbox, 'r');
setInterval(() => {
  const { size } = statSync(outbox);
  if (size <= position) return;
  const buffer = Buffer.alloc(size - position);
  position += readSync(file, buffer, 0, buffer.length, position);
  for (const line of buffer.toString('utf8').trim().split('\n')) {
    const { to, code } = JSON.parse(line) as { to: string; code: string };
    console.log(`  code for ${to}: ${code}`);
  }
}, 300);
