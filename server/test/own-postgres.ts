import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** A PostgreSQL of one's own: to be killed, filled and starved without harm to anybody else's. */

const postgresBin = execFileSync('bash', ['-c', 'ls -d /usr/lib/postgresql/*/bin | tail -1'], {
  encoding: 'utf8',
}).trim();
/** PostgreSQL refuses to run as root. */
const isRoot = userInfo().uid === 0;

function asPostgres(command: string, args: readonly string[]): string {
  const path = join(postgresBin, command);
  return isRoot
    ? execFileSync('runuser', ['-u', 'postgres', '--', path, ...args], { encoding: 'utf8', stdio: 'pipe' })
    : execFileSync(path, [...args], { encoding: 'utf8', stdio: 'pipe' });
}

export interface OwnPostgres {
  readonly port: number;
  readonly url: string;
  readonly dataFolder: string;
  start(): Promise<void>;
  /** As the kernel does when memory runs out: at once, the whole of it. */
  killHard(): Promise<void>;
  sql(text: string): string;
  remove(): void;
}

/** `folder` where the data shall lie, such as a small tmpfs. */
export async function createPostgres(folder?: string): Promise<OwnPostgres> {
  const port = await freePort();
  const home = folder ?? mkdtempSync(join(tmpdir(), 'unsaid-postgres-'));
  const dataFolder = join(home, 'data');
  mkdirSync(dataFolder, { recursive: true });
  chmodSync(home, 0o755);
  if (isRoot) execFileSync('chown', ['-R', 'postgres', home]);
  asPostgres('initdb', ['-D', dataFolder, '-U', 'owner', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8']);
  writeFileSync(
    join(dataFolder, 'postgresql.auto.conf'),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${home}'`,
      'max_connections = 60',
      'synchronous_commit = on',
      'max_wal_size = 64MB',
      'min_wal_size = 32MB',
      "log_min_messages = 'fatal'",
    ].join('\n'),
  );
  const urlOf = (database: string) => `postgres://owner@127.0.0.1:${port}/${database}`;
  const ask = (database: string, text: string) =>
    execFileSync('psql', [urlOf(database), '-qAtc', text], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const isUp = () => {
    try {
      return ask('postgres', 'select 1') === '1';
    } catch {
      return false;
    }
  };
  async function start(): Promise<void> {
    // Killed hard, its children need a moment to notice and to let go of the shared memory.
    for (let turn = 0; turn < 100; turn += 1) {
      try {
        asPostgres('pg_ctl', ['-D', dataFolder, '-W', '-l', join(home, 'log'), 'start']);
        break;
      } catch {
        await pause(100);
      }
    }
    for (let turn = 0; !isUp(); turn += 1) {
      if (turn === 300) throw new Error('PostgreSQL does not start');
      await pause(100);
    }
  }
  await start();
  ask('postgres', 'create database unsaid');
  return {
    port,
    url: urlOf('unsaid'),
    dataFolder,
    start,
    async killHard() {
      const [pid = ''] = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
      rmSync(join(dataFolder, 'postmaster.pid'), { force: true });
      await pause(300);
    },
    sql: (text) => ask('unsaid', text),
    remove() {
      try {
        asPostgres('pg_ctl', ['-D', dataFolder, '-m', 'immediate', 'stop']);
      } catch {
        // It may lie dead already.
      }
      rmSync(folder ? dataFolder : home, { recursive: true, force: true });
    },
  };
}
