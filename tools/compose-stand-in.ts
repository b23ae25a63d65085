/**
 * Stands in for docker in the restore drill, on a machine without a daemon: runs the commands of services of
 * deploy/compose.yaml as processes, with their environment and users. Paths of volumes and names of hosts are replaced by
 * those of this machine; images, networks and confinement are not tried.
 *   down | up -d | run --rm -T SERVICE | volume rm -f unsaid_VOLUME
 * COMPOSE_STATE is the folder with .env, server.env, volumes and process ids; COMPOSE_PORT that of PostgreSQL.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { asPostgres, postgresBin } from '../testkit/temp-postgres.ts';
import { repo } from '../testkit/server-process.ts';

interface Service {
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly string[];
  readonly volumes?: readonly string[];
}

const state = process.env['COMPOSE_STATE'] ?? '';
const postgresPort = process.env['COMPOSE_PORT'] ?? '';
const readEnv = (file: string) =>
  Object.fromEntries(
    [...readFileSync(join(state, file), 'utf8').matchAll(/^([A-Z]\w*)=(.*)$/gmu)].map(
      ([, name = '', value = '']) => [name, value] as const,
    ),
  );
const env = readEnv('.env');
const text = readFileSync(`${repo}deploy/compose.yaml`, 'utf8').replaceAll(
  /\$\{(\w+):[-?]([^}]*)\}/gu,
  (found, name: string, rest: string) => env[name] ?? (found.includes(':-') ? rest : fail(`no ${name}`)),
);
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };

function fail(message: string): never {
  console.error(`compose: ${message}`);
  process.exit(1);
}

const volume = (name: string) => join(state, 'volumes', name);
function pathsOf({ volumes = [] }: Service): [string, string][] {
  return volumes.map((line) => {
    const [from = '', to = ''] = line.split(':');
    if (from.startsWith('./')) return [to, join(repo, 'deploy', from)];
    if (from.startsWith('/')) return [to, from];
    if (!existsSync(volume(from))) {
      mkdirSync(volume(from), { recursive: true });
      execFileSync('chown', ['postgres:', volume(from)]);
    }
    return [to, volume(from)];
  });
}

/** Names inside the containers become those of this machine. */
function translate(service: Service, value: string): string {
  let here = value;
  for (const [inside, outside] of pathsOf(service))
    here = here.replace(new RegExp(`^(.*=)?${inside}(?=/|$)`, 'u'), `$1${outside}`);
  return here
    .replaceAll('@postgres:5432', `@127.0.0.1:${postgresPort}`)
    .replace(/^redis:\/\/redis:6379$/u, env['REDIS_URL'] ?? '')
    .replace(/^postgres$/u, '127.0.0.1');
}

function commandOf(name: string): {
  readonly argv: string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
} {
  const service = services[name] ?? fail(`no such service: ${name}`);
  const words = [...(service.entrypoint ?? []), ...(service.command ?? ['node', 'server/src/bin/api.ts'])];
  const [program = '', ...args] = words;
  const asUser = words.includes('node') ? [] : asPostgres;
  const own = Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([key, value]) => [key, translate(service, value)]),
  );
  return {
    // psql's -U postgres is a login, not a host.
    argv: [
      ...asUser,
      program === 'postgres' ? `${postgresBin}/postgres` : program,
      ...args.map((word, at) => (args[at - 1] === '-U' ? word : translate(service, word))),
    ],
    env: {
      PATH: process.env['PATH'],
      PGPORT: postgresPort,
      ...own,
      // Last, unlike compose: the drill's ports and mode.
      ...Object.assign({}, ...(service.env_file ?? []).map(readEnv)),
    },
    cwd: words.includes('node') ? repo : '/',
  };
}

const pidFile = (name: string) => join(state, `${name}.pid`);
function startService(
  name: string,
  more: readonly string[] = [],
  ready?: () => boolean,
): Promise<void> | undefined {
  if (existsSync(pidFile(name))) return undefined;
  const { argv, env: own, cwd } = commandOf(name);
  const log = openSync(join(state, `${name}.log`), 'a');
  const child = spawn(argv[0] ?? '', [...argv.slice(1), ...more], {
    env: own,
    cwd,
    detached: true,
    stdio: ['ignore', log, log],
  });
  writeFileSync(pidFile(name), String(child.pid));
  child.unref();
  return ready ? until(ready) : undefined;
}
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(100);
}
function runService(name: string): void {
  const { argv, env: own, cwd } = commandOf(name);
  const { status } = spawnSync(argv[0] ?? '', argv.slice(1), { env: own, cwd, stdio: 'inherit' });
  if (status !== 0) fail(`${name} ended with ${status}`);
}

/** What the image of PostgreSQL does before its command: a new cluster where the volume is empty. */
function initDatabase(): void {
  const { environment = {}, ...service } = services['postgres'] ?? {};
  const data = pathsOf(service)[0]?.[1] ?? '';
  if (readdirSync(data).length > 0) return;
  const file = join(state, 'superuser');
  writeFileSync(file, `${environment['POSTGRES_PASSWORD'] ?? ''}\n`);
  execFileSync('chown', ['postgres:', file]);
  const initdb = [
    `${postgresBin}/initdb`,
    '-D',
    data,
    '-U',
    'postgres',
    '--pwfile',
    file,
    '--auth-local=trust',
  ];
  const options = (environment['POSTGRES_INITDB_ARGS'] ?? '').split(' ');
  execFileSync(asPostgres[0] ?? '', [...asPostgres.slice(1), ...initdb, ...options]);
  const single = [`${postgresBin}/postgres`, '--single', '-D', data, 'postgres'];
  execFileSync(asPostgres[0] ?? '', [...asPostgres.slice(1), ...single], {
    input: `create database ${environment['POSTGRES_DB'] ?? ''}\n`,
  });
}

async function up(): Promise<void> {
  pathsOf(services['postgres'] ?? {});
  initDatabase();
  const place = ['-D', volume('postgres'), '-p', postgresPort, '-k', state];
  const isOpen = () => spawnSync('pg_isready', ['-q', '-h', '127.0.0.1', '-p', postgresPort]).status === 0;
  await startService('postgres', place, isOpen);
  runService('logins');
  for (const name of ['backup-log', 'backup']) void startService(name);
  runService('migrate');
  for (const name of ['worker', 'api']) void startService(name);
}

async function down(): Promise<void> {
  for (const name of ['api', 'worker', 'backup', 'backup-log', 'postgres']) {
    if (!existsSync(pidFile(name))) continue;
    const pid = Number(readFileSync(pidFile(name), 'utf8'));
    const isThere = () => spawnSync('kill', ['-0', String(pid)]).status === 0;
    if (isThere()) process.kill(name === 'postgres' ? pid : -pid, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
    await until(() => !isThere());
    rmSync(pidFile(name));
  }
  // Redis writes nothing to disk.
  execFileSync('redis-cli', ['-u', env['REDIS_URL'] ?? '', 'flushall'], { stdio: 'ignore' });
}

const words = process.argv.slice(2).filter((word) => !/^-|compose|\.yaml$/u.test(word));
if (words[0] === 'down') await down();
else if (words[0] === 'up') await up();
else if (words[0] === 'run') runService(words[1] ?? '');
else if (words[0] === 'volume')
  rmSync(volume((words[2] ?? '').replace(/^unsaid_/u, '')), { recursive: true, force: true });
else fail(`unknown: ${words.join(' ')}`);
