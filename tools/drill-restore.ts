/**
 * npm run drill:restore: loses a machine and follows the runbook. On a machine of `npm run shipped` it writes vents, kills
 * PostgreSQL with SIGQUIT, deletes data and configuration, and runs the blocks of "Restore from a backup" as the page has them.
 * Fails if somebody is still signed in, if more is missing than the receiver allows, or if stored text can be read in a backup
 * without the key.
 *   -- --synchronous   a commit waits for the receiver: nothing may be missing
 *   -- --losses 20     again on what was restored; prints what each loss cost
 *   -- --stall         the receiver stands still for the last two seconds: something must be missing, or nothing is measured
 *   -- --compose       with the services of deploy/compose.yaml
 */
import { appendFileSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../testkit/options.ts';
import { isReady, repo } from '../testkit/server-process.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { call, onMachine, run, say, signIn, testNumber, type Person } from './drills.ts';

const options = readOptions({ synchronous: false, compose: false, stall: false, losses: 1 });
onMachine(options.compose ? 'compose' : 'units', { LIMITS_SCALE: '1000' });

const isSynchronous = options.synchronous;
const words = 'Said while the backup ran';
const origin = 'https://unsaid.local';
const key = '/root/backup.key';
copyFileSync('/root/unsaid-backup.key', key);
const sql = (text: string) => run(['deploy/run.sh', 'sql', '-qAt', '-c', text]);
const compose = ['docker', 'compose', '-f', 'deploy/compose.yaml'];
const cluster = '/var/lib/postgresql/15/main';
const dataFolder = options.compose ? '/var/lib/docker/volumes/unsaid_postgres' : cluster;
const costs: { readonly lost: number; readonly total: number; readonly seconds: number }[] = [];

if (isSynchronous && options.compose) {
  appendFileSync('deploy/.env', 'SYNCHRONOUS_RECEIVER=unsaid_wal\n');
  run([...compose, 'up', '-d', '--wait']);
} else if (isSynchronous) {
  configure();
  sql('select pg_reload_conf()');
}
for (let loss = 1; loss <= options.losses; loss += 1) await loseAndRestore(loss);
const lost = costs.map((cost) => cost.lost);
const worst = Math.max(...costs.map(({ seconds }) => seconds));
const gone = costs.filter((cost) => cost.lost > 0).length;
console.log(
  `\n${isSynchronous ? 'synchronous' : 'asynchronous'} receiver, ${costs.length} losses: ` +
    `${lost.reduce((sum, n) => sum + n, 0)} of ${costs.reduce((sum, { total }) => sum + total, 0)} acknowledged vents missing, ` +
    `in ${gone} of the losses; the oldest of them was acknowledged ${worst.toFixed(2)} s before`,
);
// A receiver that is connected is behind by moments, whatever the machine.
if (
  options.stall
    ? gone < costs.length
    : isSynchronous
      ? gone > 0
      : worst > 10 || costs.some((cost) => cost.lost === cost.total)
)
  process.exitCode = 1;

/** As setup.sh does. */
function configure(): void {
  const settings = run(['deploy/backup.sh', 'settings', ...(isSynchronous ? ['synchronous'] : [])]);
  writeFileSync('/etc/postgresql/15/main/conf.d/unsaid.conf', `${settings}\nmax_connections = 200\n`, {
    mode: 0o644,
  });
}

/** SIGQUIT of PostgreSQL; the machine and its disk are gone. Another one is there, with the settings and no data. */
async function lose(): Promise<void> {
  const [pid = ''] = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n', 1);
  process.kill(Number(pid), 'SIGQUIT');
  await waitUntil(
    'PostgreSQL to be gone',
    () => run(['bash', '-c', 'kill -0 "$1" 2>/dev/null || echo gone', 'bash', pid]) === 'gone',
  );
  if (options.compose) return rmSync(dataFolder, { recursive: true });
  for (const folder of [cluster, `${cluster}-before`, '/etc/postgresql/15/main'])
    rmSync(folder, { recursive: true, force: true });
  run(['pg_createcluster', '--locale', 'C.UTF-8', '15', 'main']);
  configure();
  run(['systemctl', 'start', 'postgresql@15-main']);
}

async function loseAndRestore(loss: number): Promise<void> {
  const person = await signIn(origin, testNumber);
  const acknowledged: { readonly id: string; readonly at: number }[] = [];
  const over = new AbortController();
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; !over.signal.aborted; n += 1) {
      const said = { title: `Drill ${writer}-${n}`, text: `${words}: ${writer}-${n}`, emotion: 'Sad' };
      await call(person, 'POST', '/api/vent/create', said).then(
        ({ vent }) => acknowledged.push({ id: (vent as { _id: string })._id, at: performance.now() }),
        () => sleep(50),
      );
    }
  });
  await waitUntil('the first vents', () => acknowledged.length > 20);
  if (loss === 1) {
    checkRefusal();
    await checkUnreadable();
    if (isSynchronous && !options.compose) await checkCost(person);
  }
  const inBase = acknowledged.length;
  await waitUntil('vents after the base backup', () => acknowledged.length > inBase + 20);

  const receiver = options.stall ? Number(readFileSync('/run/unsaid/unsaid-wal.pid', 'utf8')) : 0;
  if (options.stall) {
    process.kill(-receiver, 'SIGSTOP');
    await sleep(2000);
    process.kill(-receiver, 'SIGKILL');
  }
  const lostAt = performance.now();
  await lose();
  over.abort();
  await Promise.all(writers);
  const printed = followPage();
  await waitUntil('the server after the restore', () => isReady(origin));
  // As the page says; compose has it on the command line.
  if (isSynchronous && !options.compose) {
    sql('alter system reset synchronous_standby_names');
    sql('select pg_reload_conf()');
    await waitUntil('commits to wait again', () => sql('show synchronous_standby_names') !== '');
  }
  const backSeconds = (performance.now() - lostAt) / 1000;

  await checkSignedOut(person);
  const again = await signIn(origin, testNumber);
  const missing: number[] = [];
  for (const { id, at } of acknowledged)
    await call(again, 'GET', `/api/vent/${id}`).catch(() => missing.push(Math.max(0, lostAt - at) / 1000));
  costs.push({ lost: missing.length, total: acknowledged.length, seconds: Math.max(0, ...missing) });
  const [, lastMoment = ''] = /^last moment: (\S+)$/mu.exec(printed) ?? [];
  const [, setting = ''] = /^DATA_LOST=(\S+)\//mu.exec(printed) ?? [];
  if (Number.isNaN(Date.parse(lastMoment)) || setting !== lastMoment)
    throw new Error(`no last moment: ${printed}`);
  say(
    `loss ${loss}: ${missing.length} of ${acknowledged.length} acknowledged vents missing` +
      `${missing.length > 0 ? `, the oldest from ${Math.max(...missing).toFixed(2)} s before` : ''}; ` +
      `ready after ${backSeconds.toFixed(1)} s; last moment ${lastMoment}; nobody signed in`,
  );
}

/** Runs the block of the page line by line. */
function followPage(): string {
  const page = /^## Restore from a backup$(.*)/msu.exec(readFileSync(`${repo}docs/runbook.md`, 'utf8'))?.[1];
  const blocks = [...(page ?? '').matchAll(/```sh\n(.*?)```/gsu)].map(([, text = '']) => text);
  const begins = options.compose ? 'docker' : 'systemctl';
  const block = blocks.find((text) => text.startsWith(begins));
  if (block === undefined) throw new Error(`no block of the page begins with ${begins}`);
  return run(['bash', '-c', `set -e\n${block}`]);
}

async function checkSignedOut({ token }: Person): Promise<void> {
  const { status } = await fetch(`${origin}/api/vent/all`, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 401) throw new Error(`somebody is still signed in after the restore: ${status}`);
  if (sql('select count(*) from identity.sessions') !== '0') throw new Error('sessions were restored');
}

/** What the synchronous receiver costs: without it nothing can be written. */
async function checkCost(person: Person): Promise<void> {
  const systemctl = (action: string) => run(['systemctl', action, 'unsaid-wal']);
  const write = () =>
    call(person, 'POST', '/api/vent/create', { title: 'Waits', text: 'for a receiver', emotion: 'Sad' }).then(
      () => true,
      () => false,
    );
  systemctl('stop');
  const begun = performance.now();
  if (await write()) throw new Error('a write was acknowledged without the synchronous receiver');
  say(`without its receiver a write fails after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  systemctl('start');
  await waitUntil('writes to go on', write);
}

function checkRefusal(): void {
  const command = options.compose
    ? [...compose, 'run', '--rm', '-T', '-v', 'refused:/var/lib/postgresql/data', 'restore']
    : ['deploy/backup.sh', 'restore', '/backup', '/var/tmp/refused', key];
  try {
    run(command);
  } catch (error) {
    if (
      !/the service is connected|cannot be asked who is connected/u.test((error as { stderr: string }).stderr)
    )
      throw error;
    say('while the api is connected, restore refuses');
    return;
  }
  throw new Error('restore ran while the api was connected');
}

async function checkUnreadable(): Promise<void> {
  sql('select pg_switch_wal()');
  const wal = '/backup/wal';
  const complete = () => readdirSync(wal).filter((name) => !/\.(?:partial|history|new)$/u.test(name));
  await waitUntil('the log to be encrypted', () =>
    [complete()].every((names) => names.length > 0 && names.every((name) => name.endsWith('.age'))),
  );
  const holdsWords = (path: string) =>
    run(['bash', '-c', `grep -rqa "${words}" "$1" && echo yes || true`, 'bash', path]);
  const backups = [
    ...readdirSync('/backup')
      .filter((name) => name.startsWith('base-'))
      .map((name) => join('/backup', name)),
    ...complete().map((name) => join(wal, name)),
  ];
  // Compressed words would not be found either: so each file must start with the header of age, and the search must find
  // the words in the database itself.
  sql('checkpoint');
  if (!holdsWords(dataFolder)) throw new Error('the search finds nothing even in the database');
  for (const path of backups)
    if (readFileSync(path).subarray(0, 21).toString('latin1') !== 'age-encryption.org/v1')
      throw new Error(`${path} is in the clear`);
  say(`${backups.length} backups, each unreadable without the key`);
}
