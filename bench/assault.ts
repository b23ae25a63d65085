/**
 * npm run bench:assault -- [--port 3390]: Debian's sqlmap and slowhttptest against the running server, while
 * honest people read. Bounded: about five minutes, loopback alone. Fails when sqlmap finds a way in, when the
 * server has an error of its own, or when an honest request waits too long.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createVent, listVents } from '@unsaid/contract';
import { createClient, percentile } from './lib/client.ts';
import { signIn, startStage } from './lib/stage.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '3390' } } });
const stage = await startStage('assault', Number(values.port));
const folder = mkdtempSync(join(tmpdir(), 'unsaid-assault-'));
const client = createClient(stage.port, 16);
const origin = `http://127.0.0.1:${stage.port}`;
const problems: string[] = [];
const mostMs = 500;
/** Each of the tools is given up after this long. */
const mostSeconds = 90;

try {
  await assault();
} finally {
  client.close();
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(`FAILED: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('timeout', [String(mostSeconds), command, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (part: Buffer) => (output += part.toString()));
    child.stderr.on('data', (part: Buffer) => (output += part.toString()));
    child.on('error', reject);
    child.on('exit', () => resolve(output));
  });
}

interface Watched {
  readonly output: string;
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/** Twenty honest requests a second for as long as the attack lasts. */
async function whileReading(token: string, attack: () => Promise<string>): Promise<Watched> {
  const times: number[] = [];
  let failed = 0;
  const asked: Promise<void>[] = [];
  const timer = setInterval(() => {
    const begun = performance.now();
    const one = client.call(listVents, { token, query: {} }).then(
      ({ status }) => {
        times.push(performance.now() - begun);
        if (status !== 200) failed += 1;
      },
      () => void (failed += 1),
    );
    asked.push(one);
  }, 50);
  const output = await attack();
  clearInterval(timer);
  await Promise.all(asked);
  times.sort((a, b) => a - b);
  return {
    output,
    requests: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    failed,
  };
}

function report(name: string, { requests, p50, p99, failed }: Watched, verdict: string): void {
  console.log(
    [
      name.padEnd(34),
      String(requests).padStart(8),
      String(failed).padStart(7),
      p50.toFixed(1).padStart(8),
      p99.toFixed(1).padStart(8),
      `  ${verdict}`,
    ].join(' '),
  );
  if (failed > 0) problems.push(`${name}: ${failed} honest requests failed`);
  if (p99 > mostMs) problems.push(`${name}: p99 ${p99.toFixed(0)} ms, above ${mostMs}`);
}

async function assault(): Promise<void> {
  const token = await signIn(stage, client, '+919910000001');
  for (let n = 0; n < 30; n += 1) {
    await client.call(createVent, {
      token,
      body: { title: `Vent ${n}`, text: `Words to be found ${n}`, emotion: 'Sad', hashtags: ['night'] },
    });
  }
  const me = (await client.call(listVents, { token, query: {} })).body.vents[0]?.userId._id ?? '';
  console.log(
    `${'while'.padEnd(34)} ${'requests'.padStart(8)} ${'failed'.padStart(7)} ${'p50 ms'.padStart(8)} ${'p99 ms'.padStart(8)}`,
  );
  report(
    'nothing',
    await whileReading(token, async () => {
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      return '';
    }),
    '',
  );

  for (const [name, url] of [
    ['sqlmap on search', `${origin}/api/vent/search?query=words*`],
    ['sqlmap on the feed', `${origin}/api/vent/all?sort=latest*&page=1*&limit=5*`],
    ['sqlmap on a profile', `${origin}/api/auth/user/${me}*`],
  ] as const) {
    const watched = await whileReading(token, () =>
      run('sqlmap', [
        ...['-u', url, '-H', `Authorization: Bearer ${token}`, '--batch', '--disable-coloring'],
        ...['--level', '4', '--risk', '2', '--dbms', 'postgresql', '--threads', '4', '--flush-session'],
        ...['--ignore-code', '404,422', '--output-dir', folder],
      ]),
    );
    const isFound = /is vulnerable|sqlmap identified the following injection/u.test(watched.output);
    const isDone = /do not appear to be injectable|does not seem to be injectable/u.test(watched.output);
    report(
      name,
      watched,
      isFound ? 'FOUND A WAY IN' : isDone ? 'nothing found' : 'nothing found in the time given',
    );
    if (isFound) problems.push(`${name} found a way in`);
  }

  for (const [name, args] of [
    ['slow headers, 300 connections', ['-H', '-i', '5']],
    ['slow bodies, 300 connections', ['-B', '-i', '5', '-s', '8192']],
    ['slow readers, 300 connections', ['-X', '-w', '10', '-y', '20', '-n', '5', '-z', '32', '-k', '3']],
  ] as const) {
    const watched = await whileReading(token, () =>
      run('slowhttptest', [
        ...['-c', '300', '-r', '100', '-l', '25', '-p', '3', '-u', `${origin}/login`],
        ...args,
      ]),
    );
    const isAvailable = !/service available:\s+NO/u.test(watched.output);
    report(name, watched, isAvailable ? 'service available' : 'SERVICE NOT AVAILABLE');
    if (!isAvailable) problems.push(`${name}: the service was away`);
  }

  const faults = stage
    .log()
    .split('\n')
    .filter((line) => line.includes('"event":"fault"'));
  if (faults.length > 0) problems.push(`${faults.length} errors of the server's own: ${faults[0]}`);
}
