import { execFileSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endChild, hasEnded, spawnChild } from './child-processes.ts';
import { freePort } from './free-port.ts';
import { waitUntil } from './wait-until.ts';

const exec = (command: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  execFileSync(command[0] ?? '', command.slice(1), { encoding: 'utf8', stdio: 'pipe', env }).trim();

/** The newest installed PostgreSQL. */
export const postgresBin = exec(['bash', '-c', 'ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1']);
const isRoot = userInfo().uid === 0;
/** Prefix of a command that runs as postgres: PostgreSQL refuses to run as root. It execs, so the pid is the command's. */
export const asPostgres = isRoot
  ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups']
  : ['env'];

/** A temporary PostgreSQL cluster on its own port: tests can kill it, fill its disk and delete its data. */
export interface TempPostgres {
  readonly port: number;
  /** The database `unsaid`. */
  readonly url: string;
  /** For psql and other programs of libpq. */
  readonly libpq: Readonly<Record<'PGHOST' | 'PGPORT' | 'PGUSER', string>>;
  readonly version: string;
  /** Belongs to postgres. */
  readonly folder: string;
  readonly dataFolder: string;
  pid(): number;
  /** Starts the server unless it runs, on its own data folder or on another one. */
  start(dataFolder?: string): Promise<void>;
  /** Starts it again as a standby of nobody: it can be read and not written. */
  startAsStandby(): Promise<void>;
  /** SIGKILL of the postmaster, as the kernel does when memory runs out. */
  killHard(): Promise<void>;
  sql(text: string, database?: string): string;
  isUp(): boolean;
  remove(): Promise<void>;
}

interface TempPostgresOptions {
  /** An existing folder for the data, such as a small tmpfs. */
  readonly folder?: string;
  readonly user?: string;
  /** By default a free one. */
  readonly port?: number;
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
}

/** A standby that streams from a temporary primary, on its own port. */
export interface TempStandby extends Pick<
  TempPostgres,
  'port' | 'url' | 'pid' | 'sql' | 'killHard' | 'remove'
> {
  start(): Promise<void>;
}

const smallSettings = [
  'max_connections = 60',
  'synchronous_commit = on',
  'max_wal_size = 64MB',
  'min_wal_size = 32MB',
  "log_min_messages = 'fatal'",
];

/** The server of a folder, and psql on it. */
function serverOn({ port, folder, user }: { port: number; folder: string; user: string }) {
  const libpq = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: user };
  const query = (text: string, database: string, env: NodeJS.ProcessEnv = {}) =>
    exec(['psql', '-XqAt', '-d', database, '-c', text], { ...process.env, ...libpq, ...env });
  const isRunning = (isStandby: boolean) => {
    try {
      return query('select pg_is_in_recovery()', 'postgres') === (isStandby ? 't' : 'f');
    } catch {
      return false;
    }
  };
  let server: ChildProcess | null = null;
  return {
    libpq,
    query,
    isRunning,
    pid: () => server?.pid ?? 0,
    start: (dataFolder: string, isStandby = false) =>
      waitUntil('PostgreSQL', () => {
        // After SIGKILL the backends keep the shared memory for a moment. A postmaster started meanwhile exits:
        // retry.
        if (!server || hasEnded(server))
          server = spawnChild(
            asPostgres[0] as string,
            [
              ...[...asPostgres.slice(1), `${postgresBin}/postgres`, '-D', dataFolder],
              ...['-p', String(port), '-k', folder, '-h', '127.0.0.1'],
            ],
            { stdio: 'ignore' },
          );
        return isRunning(isStandby);
      }),
    async end(signal: NodeJS.Signals) {
      if (server) await endChild(server, signal);
    },
  };
}

/** A copy of the primary as it is now, which follows it. */
export async function startTempStandby(primary: TempPostgres): Promise<TempStandby> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-standby-'));
  const data = join(folder, 'data');
  chmodSync(folder, 0o755);
  if (isRoot) exec(['chown', 'postgres', folder]);
  const slot = `standby_${port}`;
  exec([...asPostgres, `${postgresBin}/pg_basebackup`, '-D', data, '-R', '-C', '-S', slot, '-c', 'fast'], {
    ...process.env,
    ...primary.libpq,
  });
  const { query, pid, start, end } = serverOn({ port, folder, user: primary.libpq.PGUSER });
  await start(data, true);
  return {
    port,
    url: primary.url.replace(`:${primary.port}/`, `:${port}/`),
    pid,
    start: () => start(data, true),
    killHard: () => end('SIGKILL'),
    sql: (text, database = 'unsaid') => query(text, database),
    async remove() {
      await end('SIGQUIT');
      await sleep(300);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startTempPostgres({
  folder: given,
  user = 'owner',
  port: wanted,
  settings = smallSettings,
}: TempPostgresOptions = {}): Promise<TempPostgres> {
  const port = wanted ?? (await freePort());
  const folder = given ?? mkdtempSync(join(tmpdir(), 'unsaid-postgres-'));
  const ownData = join(folder, 'data');
  chmodSync(folder, 0o755);
  if (isRoot) exec(['chown', 'postgres', folder]);
  exec([
    ...[...asPostgres, `${postgresBin}/initdb`, '-D', ownData, '-U', user, '--auth=trust'],
    ...['--encoding=UTF8', '--locale=C.UTF-8', '--data-checksums'],
  ]);
  appendFileSync(join(ownData, 'postgresql.conf'), `\n${settings.join('\n')}\n`);

  const { libpq, query, isRunning, pid, start, end } = serverOn({ port, folder, user });
  /** Ready for writes, not only for reads during recovery. */
  const isUp = () => isRunning(false);
  await start(ownData);
  // Does not wait for a standby that the settings may name.
  query('create database unsaid', 'postgres', { PGOPTIONS: '-c synchronous_commit=local' });
  return {
    port,
    url: `postgres://${user}@127.0.0.1:${port}/unsaid`,
    libpq,
    version: exec([`${postgresBin}/postgres`, '--version']).split(' ')[2] ?? '',
    folder,
    dataFolder: ownData,
    pid,
    start: (dataFolder = ownData) => start(dataFolder),
    async startAsStandby() {
      await end('SIGINT');
      writeFileSync(join(ownData, 'standby.signal'), '');
      await start(ownData, true);
    },
    killHard: () => end('SIGKILL'),
    sql: (text, database = 'unsaid') => query(text, database),
    isUp,
    async remove() {
      // Immediate shutdown: the postmaster ends its backends.
      await end('SIGQUIT');
      // Backends of a killed postmaster end a moment later.
      await sleep(300);
      rmSync(given === undefined ? folder : ownData, { recursive: true, force: true });
    },
  };
}
