/**
 * Stands in for systemctl and journalctl where PID 1 is not systemd: starts what the units name, as the user, with the
 * environment and among the files that they name. Restarts nothing: a process that ends is a fault here.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const state = '/run/unsaid';
mkdirSync(state, { recursive: true });
// systemd's, whatever the shell has.
process.umask(0o022);

interface Unit {
  readonly name: string;
  all(key: string): string[];
  last(key: string, fallback?: string): string;
}

const nameOf = (word: string) => word.replace(/\.service$/u, '');
/** Ours, or one of Debian's packages. */
function readUnit(name: string): Unit | null {
  const [template = '', instance = ''] = name.split('@');
  const file = ['/etc/systemd/system', '/lib/systemd/system']
    .map((folder) =>
      join(folder, instance ? `${template}@.service` : name.includes('.') ? name : `${name}.service`),
    )
    .find((path) => existsSync(path));
  if (file === undefined) return null;
  // With the lines that setup.sh adds to a unit of Debian.
  const text = [file, ...globSync(`/etc/systemd/system/${basename(file)}.d/*.conf`)]
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .replaceAll('%i', instance);
  return unitOf(name, text.split('\n'));
}

function unitOf(name: string, lines: readonly string[]): Unit {
  const all = (key: string) =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1).trim());
  return { name, all, last: (key, fallback = '') => all(key).at(-1) ?? fallback };
}

function environmentOf(unit: Unit): Record<string, string> {
  const lines = unit.all('EnvironmentFile').flatMap((path) => {
    const file = path.replace(/^-/u, '');
    return path.startsWith('-') && !existsSync(file) ? [] : readFileSync(file, 'utf8').split('\n');
  });
  const words = unit.all('Environment').flatMap((line) => line.split(' '));
  return Object.fromEntries(
    [...words, ...lines]
      .filter((line) => /^[A-Z]\w*=/u.test(line))
      .map((pair) => [
        pair.slice(0, pair.indexOf('=')),
        pair.slice(pair.indexOf('=') + 1).replaceAll(/^(["'])(.*)\1$/gu, '$2'),
      ]),
  );
}

const isYes = (value: string) => /^(?:yes|true|1|on)$/iu.test(value);

/** The files that the unit lets its process see: mounts of its own, then the user without the rights of root. */
function commandOf(unit: Unit, env: Record<string, string>): string[] {
  const user = unit.last('User', 'root');
  const folders = [
    ...unit.all('StateDirectory').map((name) => join('/var/lib', name)),
    ...unit.all('RuntimeDirectory').map((name) => join('/run', name)),
  ];
  for (const folder of folders) execFileSync('install', ['-d', '-o', user, '-g', user, folder]);
  const writable = [...unit.all('ReadWritePaths').flatMap((line) => line.split(/\s+/u)), ...folders];
  const lines = ['set -e', 'mount --make-rprivate /'];
  if (unit.last('ProtectSystem') === 'strict') {
    for (const path of writable)
      lines.push(
        path.startsWith('-')
          ? `[ ! -e ${path.slice(1)} ] || mount --bind ${path.slice(1)} ${path.slice(1)}`
          : `mount --bind ${path} ${path}`,
      );
    const kept = ['/dev', '/proc', '/sys', ...writable.map((path) => path.replace(/^-/u, ''))].join('|');
    lines.push(
      `awk '$2 !~ "^(${kept})(/|$)" { print $2 }' /proc/self/mounts | while IFS= read -r path; do mount -o remount,bind,ro "$path"; done`,
    );
  }
  if (isYes(unit.last('PrivateTmp'))) lines.push('mount -t tmpfs -o mode=1777 tmpfs /tmp');
  if (isYes(unit.last('ProtectHome')))
    lines.push('for path in /root /home; do mount -t tmpfs -o mode=0 tmpfs $path; done');
  const caps = unit.last('AmbientCapabilities').toLowerCase().replaceAll('cap_', '+').replaceAll(' ', ',');
  const isBounded = unit.all('CapabilityBoundingSet').at(-1) === '';
  const program = unit
    .last('ExecStart')
    .replaceAll(/\$\{?(\w+)\}?/gu, (_, name: string) => env[name] ?? '')
    .split(/\s+/u)
    .filter(Boolean);
  return [
    ...['unshare', '--mount', 'bash', '-c', `${lines.join('\n')}\nexec "$@"`, 'bash', 'setpriv'],
    ...[`--reuid=${user}`, `--regid=${unit.last('Group', user)}`, '--init-groups', '--no-new-privs'],
    ...(caps === '' ? [] : [`--inh-caps=${caps}`, `--ambient-caps=${caps}`]),
    ...(isBounded ? ['--bounding-set=-all'] : []),
    ...program,
  ];
}

function prepare(unit: Unit) {
  const own = environmentOf(unit);
  const home =
    execFileSync('getent', ['passwd', unit.last('User', 'root')], { encoding: 'utf8' }).split(':')[5] ?? '/';
  const options = {
    cwd: unit.last('WorkingDirectory', '/'),
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: home,
      // What stands in for the public authority (machine.sh).
      NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
      ...own,
    },
  };
  return { command: commandOf(unit, own), options };
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

/** Debian's clusters have a command of their own. */
const clusterOf = (name: string) => /^postgresql@(\d+)-(.+)$/u.exec(name);
function runCluster(action: string, [, version = '', name = '']: readonly string[]): void {
  if (isClusterOnline(version, name) === (action === 'start')) return;
  execFileSync('pg_ctlcluster', ['--skip-systemctl-redirect', version, name, action], { stdio: 'inherit' });
}
const isClusterOnline = (version: string, name: string) =>
  execFileSync('pg_lsclusters', ['-h'], { encoding: 'utf8' })
    .split('\n')
    .some((line) => new RegExp(`^${version}\\s+${name}\\s+\\d+\\s+online`, 'u').test(line));

function start(name: string): void {
  const cluster = clusterOf(name);
  if (cluster) return runCluster('start', cluster);
  const unit = readUnit(name);
  if (!unit) throw new Error(`Unit ${name} not found.`);
  if (name.endsWith('.timer') || runningPid(name) !== null) return;
  const {
    command: [file = '', ...args],
    options,
  } = prepare(unit);
  if (unit.last('Type') === 'oneshot') {
    const { status } = spawnSync(file, args, { ...options, stdio: 'inherit' });
    writeFileSync(join(state, `${name}.done`), String(status));
    if (status !== 0) throw new Error(`${name} ended with ${status}`);
    return;
  }
  const log = openSync(join(state, `${name}.log`), 'a');
  const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', log, log] });
  writeFileSync(pidFile(name), String(child.pid));
  child.unref();
}

async function stop(name: string): Promise<void> {
  const cluster = clusterOf(name);
  if (cluster) return runCluster('stop', cluster);
  const pid = runningPid(name);
  if (pid !== null) {
    const limit = Number(readUnit(name)?.last('TimeoutStopSec', '90').replace(/s$/u, '')) * 1000 || 90_000;
    process.kill(pid, 'SIGTERM');
    for (let waited = 0; runningPid(name) !== null && waited < limit; waited += 100) await sleep(100);
    if (runningPid(name) !== null) process.kill(-pid, 'SIGKILL');
  }
  rmSync(pidFile(name), { force: true });
}

function isActive(name: string): boolean {
  const cluster = clusterOf(name);
  if (cluster) return isClusterOnline(cluster[1] ?? '', cluster[2] ?? '');
  return name.endsWith('.timer') ? readUnit(name) !== null : runningPid(name) !== null;
}

/** systemd-run -p KEY=VALUE --setenv=NAME=VALUE COMMAND…: a unit of those lines. */
function runOnce(given: readonly string[]): number {
  const lines: string[] = [];
  let at = 0;
  for (; given[at]?.startsWith('-'); at += 1) {
    const word = given[at] ?? '';
    if (word === '-p') lines.push(given[(at += 1)] ?? '');
    if (word.startsWith('--setenv=')) lines.push(`Environment=${word.slice('--setenv='.length)}`);
  }
  const unit = unitOf('run', [...lines, `ExecStart=${given.slice(at).join(' ')}`]);
  const { command, options } = prepare(unit);
  return spawnSync(command[0] ?? '', command.slice(1), { ...options, stdio: 'inherit' }).status ?? 1;
}

const [program = '', ...words] = process.argv.slice(2);
const isQuiet = words.some((word) => /^(?:-q|--quiet)$/u.test(word));
const [action = '', ...names] = words.filter((word) => !word.startsWith('-')).map(nameOf);
try {
  if (program === 'journalctl') {
    const unit = words.find((word) => word.startsWith('_SYSTEMD_UNIT='))?.split('=')[1];
    const name = nameOf(unit ?? words[words.indexOf('-u') + 1] ?? '');
    for (const log of globSync(`${name}.log`, { cwd: state }))
      process.stdout.write(
        readFileSync(join(state, log), 'utf8')
          .split('\n')
          .slice(unit ? -4 : -500)
          .join('\n'),
      );
  } else if (program === 'systemd-run') {
    process.exitCode = runOnce(words);
  } else if (action === 'daemon-reload' || action === 'enable') {
    for (const name of names) if (!readUnit(name)) throw new Error(`Unit ${name} not found.`);
  } else if (action === 'is-active') {
    const found = names.map(isActive);
    if (!isQuiet) for (const yes of found) console.log(yes ? 'active' : 'failed');
    process.exitCode = found.every(Boolean) ? 0 : 3;
  } else if (action === 'show') console.log(0);
  else if (action === 'reload') {
    for (const name of names) {
      const unit = readUnit(name);
      if (!unit) throw new Error(`Unit ${name} not found.`);
      const command = unit.last('ExecReload').replaceAll('$MAINPID', String(runningPid(name)));
      execFileSync('sh', ['-c', command], { env: { ...process.env, ...environmentOf(unit) } });
    }
  } else if (action === 'start' || action === 'stop' || action === 'restart') {
    if (action !== 'start') for (const name of names) await stop(name);
    if (action !== 'stop') for (const name of names) start(name);
  } else throw new Error(`cannot ${action}`);
} catch (error) {
  console.error(`${program}: ${(error as Error).message}`);
  process.exitCode = 1;
}
