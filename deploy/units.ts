/**
 * Stands in for systemctl where PID 1 is not systemd: reads the units and starts and stops what they name, as the user and
 * with the environment that they name. Restarts nothing, and confines nothing: production has systemd.
 *   node deploy/units.ts start|stop|status UNIT…
 * UNITS is the folder of our units (/etc/systemd/system), UNITS_STATE that of process ids and logs (/run/unsaid).
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const units = process.env['UNITS'] ?? '/etc/systemd/system';
const state = process.env['UNITS_STATE'] ?? '/run/unsaid';
mkdirSync(state, { recursive: true });
// systemd's, whatever the shell has.
process.umask(0o022);

interface Unit {
  readonly name: string;
  all(key: string): string[];
  last(key: string, fallback?: string): string;
}

/** Ours, or one of Debian's packages. */
function readUnit(name: string): Unit | null {
  const file = [units, '/lib/systemd/system']
    .map((folder) => join(folder, name.includes('.') ? name : `${name}.service`))
    .find((path) => existsSync(path));
  if (file === undefined) return null;
  const lines = readFileSync(file, 'utf8').replaceAll('\\\n', ' ').split('\n');
  const all = (key: string) =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1).trim());
  return { name, all, last: (key, fallback = '') => all(key).at(-1) ?? fallback };
}

function environmentOf(unit: Unit): Record<string, string> {
  const files = unit.all('EnvironmentFile').map((file) => file.replace(/^-/u, ''));
  const lines = files.flatMap((file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []));
  const words = unit.all('Environment').flatMap((line) => line.split(' '));
  const pairs = [...lines, ...words].filter((line) => /^[A-Z]\w*=/u.test(line));
  return Object.fromEntries(
    pairs.map((pair) => [
      pair.slice(0, pair.indexOf('=')),
      pair.slice(pair.indexOf('=') + 1).replaceAll(/^"|"$/gu, ''),
    ]),
  );
}

function commandOf(unit: Unit, env: Record<string, string>): [string, string[]] {
  const user = unit.last('User', 'root');
  const words = unit
    .last('ExecStart')
    .replaceAll(
      /\$(?:\{(\w+)\}|(\w+))/gu,
      (_, braced?: string, bare?: string) => env[braced ?? bare ?? ''] ?? '',
    )
    .split(/\s+/u)
    .filter(Boolean);
  const caps = unit.last('AmbientCapabilities').toLowerCase().replaceAll('cap_', '+').replaceAll(' ', ',');
  const allowed = caps === '' ? [] : [`--inh-caps=${caps}`, `--ambient-caps=${caps}`];
  return [
    'setpriv',
    [`--reuid=${user}`, `--regid=${user}`, '--init-groups', ...allowed, '--no-new-privs', ...words],
  ];
}
/** Folders that systemd makes for a unit. */
function makeFolders(unit: Unit): void {
  const user = unit.last('User', 'root');
  for (const [key, base] of [
    ['StateDirectory', '/var/lib'],
    ['RuntimeDirectory', '/run'],
  ] as const)
    for (const name of unit.all(key))
      execFileSync('install', ['-d', '-o', user, '-g', user, join(base, name)]);
}

const pidFile = (name: string) => join(state, `${name}.pid`);
function runningPid(name: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile(name), 'utf8'));
    process.kill(pid, 0);
    // One that has ended and that nobody has waited for is not running.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ') ? null : pid;
  } catch {
    return null;
  }
}

function start(name: string): void {
  const unit = readUnit(name);
  // Debian's clusters have a command of their own.
  const cluster = /^postgresql@(\d+)-(.+)$/u.exec(name);
  if (cluster) return runCluster('start', cluster);
  if (!unit) throw new Error(`no such unit: ${name}`);
  if (name.endsWith('.timer')) return;
  if (runningPid(name) !== null) return;
  const own = environmentOf(unit);
  const home =
    execFileSync('getent', ['passwd', unit.last('User', 'root')], { encoding: 'utf8' }).split(':')[5] ?? '/';
  const options = {
    cwd: unit.last('WorkingDirectory', '/'),
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: home, ...own },
  };
  makeFolders(unit);
  const [file, args] = commandOf(unit, own);
  if (unit.last('Type') === 'oneshot') {
    const { status } = spawnSync(file, args, { ...options, stdio: 'inherit' });
    if (status !== 0) throw new Error(`${name} ended with ${status}`);
    return;
  }
  const log = openSync(join(state, `${name}.log`), 'a');
  const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', log, log] });
  writeFileSync(pidFile(name), String(child.pid));
  child.unref();
}

async function stop(name: string): Promise<void> {
  const cluster = /^postgresql@(\d+)-(.+)$/u.exec(name);
  if (cluster) return runCluster('stop', cluster);
  const pid = runningPid(name);
  if (pid !== null) {
    const limit = Number(readUnit(name)?.last('TimeoutStopSec', '90')) * 1000;
    process.kill(-pid, 'SIGTERM');
    for (let waited = 0; runningPid(name) !== null && waited < limit; waited += 100) await sleep(100);
    if (runningPid(name) !== null) process.kill(-pid, 'SIGKILL');
  }
  rmSync(pidFile(name), { force: true });
}

function runCluster(action: string, [, version = '', name = '']: readonly string[]): void {
  const isOnline = execFileSync('pg_lsclusters', ['-h'], { encoding: 'utf8' })
    .split('\n')
    .some((line) => new RegExp(`^${version}\\s+${name}\\s+\\d+\\s+online`, 'u').test(line));
  if (isOnline === (action === 'start')) return;
  execFileSync('pg_ctlcluster', ['--skip-systemctl-redirect', version, name, action], { stdio: 'inherit' });
}

const [action = '', ...names] = process.argv.slice(2);
try {
  for (const name of names) {
    if (action === 'start') start(name);
    else if (action === 'stop') await stop(name);
    else if (action === 'status') console.log(name, runningPid(name) === null ? 'stopped' : 'running');
    else throw new Error(`cannot ${action}`);
  }
} catch (error) {
  console.error(`units: ${(error as Error).message}`);
  process.exitCode = 1;
}
