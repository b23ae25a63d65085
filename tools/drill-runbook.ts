/**
 * npm run drill:runbook [-- page]: runs every command of docs/runbook.md on a machine of `npm run shipped`, with some data.
 * A command with an outdated metric, column or file fails here instead of during an incident.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions, stopAtUsage } from '../testkit/options.ts';
import { switchNames } from '../server/src/platform/switches.ts';
import { call, onMachine, run, say, signIn, start, testNumber, type Person } from './drills.ts';
import { conclude } from './test-reports.ts';

const { positional: only } = readOptions({}, { positional: 'page' });
if (!readCommands().some(({ page }) => page.includes(only)))
  stopAtUsage(`no page of the runbook is "${only}"`);
const newKey = () => randomBytes(32).toString('base64');
onMachine('units', {
  LIMITS_SCALE: '20',
  // As before a leaked key is replaced.
  MASTER_KEYS: `2:${newKey()},1:${newKey()}`,
});
const origins = ['http://127.0.0.1:3000', 'http://127.0.0.2:3000'];
const authorNumber = '+919900000003';

/** Commands that are skipped, and where they are tested instead. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/docker|systemctl/u, 'npm run drill:restore'],
  [/setup\.sh|journalctl|localhost:9100|timedatectl/u, 'deploy/try-setup.sh'],
  [/https:/u, 'the network outside'],
  [/backup\.sh|^mv |flushdb|df -h \/backup|npm run drill:restore/u, 'npm run drill:restore'],
  [/npm run drill:rollback/u, 'CI, by itself'],
];
/** Commands that take long: people read all the time. */
const whileReading = /keys replace/u;
/** What the page promises of a switch. */
const switchSeconds = 5;
/** Commands without output on a healthy service. */
const mayFindNothing = /run\.sh log|status="5|sms_attempts/u;

interface Command {
  readonly page: string;
  readonly text: string;
}

/** Lines of code blocks, and inline code that begins like a command. */
function readCommands(): Command[] {
  const commands: Command[] = [];
  for (const section of readFileSync('docs/runbook.md', 'utf8').split(/^## /mu).slice(1)) {
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

/** Reads the feed and a person's own vents at each process in turn, until `isOver`. A session that ends is renewed, once. */
async function readUntil(isOver: () => boolean) {
  let person: Person = await signIn(origins[0] ?? '', authorNumber);
  const seen = { reads: 0, failures: new Set<string>(), sessionsEnded: 0, longestMs: 0 };
  for (let n = 0; !isOver() || seen.sessionsEnded === 0; n += 1) {
    const origin = origins[n % origins.length] ?? '';
    const begun = performance.now();
    const status = await fetch(`${origin}/api/vent/all`, {
      headers: { authorization: `Bearer ${person.token}` },
    }).then(
      (answer) => answer.status,
      (error: Error) => String((error.cause as { code?: string } | undefined)?.code ?? error.cause),
    );
    seen.longestMs = Math.max(seen.longestMs, Math.round(performance.now() - begun));
    seen.reads += 1;
    if (status === 401 && seen.sessionsEnded === 0) {
      seen.sessionsEnded += 1;
      person = await signIn(origin, authorNumber);
    } else if (status !== 200) seen.failures.add(`${status} of ${origin} at read ${seen.reads}`);
    // Slower than the budget of vents that one person reads.
    await sleep(150);
  }
  return { ...seen, person };
}

/** Runs a command of the page while somebody reads. Nobody may notice but by having to sign in again. */
async function runWhileReading(text: string): Promise<string> {
  const child = start(['bash', '-o', 'pipefail', '-c', text]);
  let shown = '';
  child.stdout?.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const ended = once(child, 'exit');
  const { person, ...seen } = await readUntil(() => child.exitCode !== null);
  const [code] = (await ended) as [number];
  const line = `${seen.reads} reads, ${seen.failures.size} failed, the longest ${seen.longestMs} ms`;
  if (code !== 0 || seen.failures.size > 0)
    throw Object.assign(new Error(line), {
      status: code,
      stderr: [shown + line, ...seen.failures].join('\n'),
    });
  const { vents } = (await call(person, 'GET', '/api/vent/all?mine=true')) as { vents: unknown[] };
  if (vents.length === 0)
    throw Object.assign(new Error('own vents are gone'), { stderr: 'own vents are gone' });
  return `${shown}${line}; ${vents.length} vents of their own`;
}

/** Turns each switch off and on. Returns the longest time until it is in force in both processes. */
async function drillSwitches(): Promise<number> {
  const isOff = (log: string, name: string) => {
    const lines = readFileSync(log, 'utf8').split('\n');
    const last = lines.findLast((line) => line.includes('"event":"switches_changed"')) ?? '{"outcome":[]}';
    return (JSON.parse(last) as { outcome: string[] }).outcome.includes(name);
  };
  const logs = [1, 2].map((one) => `/run/unsaid/unsaid-api@${one}.log`);
  let longestMs = 0;
  for (const name of switchNames)
    for (const word of ['off', 'on'] as const) {
      run(['deploy/run.sh', 'switches', word, name]);
      const begun = performance.now();
      while (!logs.every((log) => isOff(log, name) === (word === 'off'))) {
        if (performance.now() - begun > 60_000) throw new Error(`${name} is not ${word} after a minute`);
        await sleep(20);
      }
      longestMs = Math.max(longestMs, performance.now() - begun);
    }
  return longestMs / 1000;
}

const author = await signIn(origins[0] ?? '', authorNumber);
const reader = await signIn(origins[1] ?? '', testNumber);
const said = { title: 'Said before the drill', text: 'and reported by somebody', emotion: 'Sad' };
const { vent } = (await call(author, 'POST', '/api/vent/create', said)) as { vent: { _id: string } };
await call(reader, 'POST', '/api/vent/comment', { ventId: vent._id, text: 'I hear you' });
await call(reader, 'POST', '/api/vent/report', { ventId: vent._id, reason: 'Spam' });
// Exhausts a budget, so that there is a refusal to show. Not that of codes, which asks for proof of work first.
for (let status = 201; status !== 429;)
  ({ status } = await fetch(`${author.origin}/api/vent/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${author.token}` },
    body: JSON.stringify(said),
  }));
say('two people, a vent, a comment, a report, and a refusal');

const fill = (text: string) =>
  text
    .replaceAll('<pid>', '0')
    // Of a receiver that does not come back.
    .replace(/^.*pg_drop_replication_slot/u, 'systemctl stop unsaid-wal && $&')
    .replace(/^(?:select|alter) .*/u, (statement) => `deploy/run.sh sql -c "${statement}"`);
let page = '';
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
      ? await runWhileReading(fill(command.text))
      : run(['bash', '-o', 'pipefail', '-c', fill(command.text)]);
    console.log(`  ok  ${command.text}`);
    if (shown !== '') console.log(shown.replaceAll(/^/gmu, '        '));
  } catch (error) {
    const { status, stderr, message } = error as { status?: number; stderr?: string; message?: string };
    if (status === 1 && !stderr && mayFindNothing.test(command.text)) {
      console.log(`  ok  ${command.text}\n        (no output, as expected)`);
      continue;
    }
    problems.push(`${command.page}: ${command.text}: ${stderr?.trim() || message || `ended with ${status}`}`);
  }
}
const seconds = await drillSwitches();
say(`${switchNames.length} switches, off and on in two processes: at most ${seconds.toFixed(1)} s`);
if (seconds > switchSeconds) problems.push(`a switch took ${seconds.toFixed(1)} s`);
conclude(problems, `\nrunbook: ${tried} commands run, ${left} skipped`);
