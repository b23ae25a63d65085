import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../server/test/free-port.ts';
import { until } from '../../../tools/drills.ts';
import { haveProgram } from './programs.ts';
import { atTheEnd } from './undo.ts';

/**
 * Three PostgreSQL under Patroni with etcd, and HAProxy in front, which leads to whoever holds the lead. All of it
 * Debian's, in a folder and on ports of its own.
 */

export interface Node {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly dataFolder: string;
}

export interface Cluster {
  /** Through HAProxy. */
  readonly url: string;
  readonly nodes: readonly Node[];
  leader(): Promise<Node>;
  /** On whoever holds the lead. */
  sql(text: string): string;
  /** A leader, and two that follow it, one of them in step with every commit. */
  untilWhole(): Promise<void>;
  /** As when its machine loses its power: Patroni and all of PostgreSQL, at once. */
  killMachine(node: Node): void;
  bringBack(node: Node): void;
  /** Patroni alone stands still; its PostgreSQL goes on. */
  freeze(node: Node): void;
  thaw(node: Node): void;
  switchOver(): Promise<void>;
  /** The tables that are not the same everywhere, once everybody has caught up. */
  differences(tables: readonly string[]): Promise<string[]>;
}

const programs = { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy' };

/** What cannot be had here. */
export function missingPrograms(): string[] {
  return Object.entries(programs).flatMap(([program, debianPackage]) =>
    haveProgram(program, debianPackage) ? [] : [debianPackage],
  );
}

const isRoot = userInfo().uid === 0;
/** PostgreSQL refuses to run as root, and so does Patroni's care of it. Takes the other's place, so that the pid is its own. */
const asPostgres = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : ['env'];
const bin = execFileSync('bash', ['-c', 'ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1'], {
  encoding: 'utf8',
}).trim();

interface Places {
  readonly folder: string;
  readonly etcdPort: number;
}

/** JSON is YAML too. */
function configOf({ name, port, restPort, dataFolder }: Node, { folder, etcdPort }: Places): string {
  return JSON.stringify({
    scope: 'unsaid',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // By etcd's second api: by the third, the leader of Patroni 3.0.2 writes its key without asking whether it still
    // is its own, and one that slept at the wrong moment would take the lead back from another.
    etcd: { host: `127.0.0.1:${etcdPort}` },
    watchdog: { mode: 'off' },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 5,
        retry_timeout: 5,
        synchronous_mode: true,
        // With no standby left writes are refused rather than kept in one place.
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, use_slots: true },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: dataFolder,
      bin_dir: bin,
      pgpass: join(folder, `${name}.pgpass`),
      authentication: { superuser: { username: 'owner' }, replication: { username: 'follower' } },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
      ],
      parameters: {
        unix_socket_directories: folder,
        max_connections: 150,
        max_wal_size: '128MB',
        log_min_messages: 'fatal',
      },
    },
  });
}

function haproxyConfig(port: number, nodes: readonly Node[]): string {
  const servers = nodes.map(
    (node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`,
  );
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen postgres
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}

const psql = (port: number, database: string, text: string) =>
  execFileSync('psql', [`postgres://owner@127.0.0.1:${port}/${database}`, '-qAtc', text], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();

async function answers(node: Node, path: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${node.restPort}${path}`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The postmaster and everything it has begun. */
function processesOf({ dataFolder }: Node): number[] {
  try {
    const [postmaster = ''] = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n');
    const children = execFileSync('bash', ['-c', `ps -o pid= --ppid ${Number(postmaster)} || true`], {
      encoding: 'utf8',
    });
    return [Number(postmaster), ...children.split('\n').filter(Boolean).map(Number)];
  } catch {
    return [];
  }
}

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

export async function openCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-cluster-'));
  chmodSync(folder, 0o755);
  const running = new Map<string, ChildProcess>();
  function run(name: string, command: readonly string[]): void {
    const [file = '', ...args] = command;
    const child = spawn(file, args, { cwd: folder, env: { PATH: process.env['PATH'] }, stdio: 'ignore' });
    running.set(name, child);
  }
  const nodes: Node[] = [];
  for (const name of ['one', 'two', 'three'])
    nodes.push({
      name,
      port: await freePort(),
      restPort: await freePort(),
      dataFolder: join(folder, name, 'data'),
    });
  atTheEnd(async () => {
    for (const child of running.values()) child.kill('SIGKILL');
    for (const pid of nodes.flatMap(processesOf)) kill(pid, 'SIGKILL');
    await pause(500);
    rmSync(folder, { recursive: true, force: true });
  });

  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const [etcdUrl, peerUrl] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`];
  run('etcd', [
    ...['etcd', '--name', 'only', '--data-dir', join(folder, 'etcd'), '--enable-v2=true'],
    ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `only=${peerUrl}`, '--log-level', 'error'],
  ]);
  await until('etcd', () =>
    fetch(`${etcdUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  const bringBack = ({ name }: Node) =>
    run(name, [...asPostgres, '/usr/bin/patroni', join(folder, `${name}.yml`)]);
  for (const node of nodes) {
    mkdirSync(join(folder, node.name));
    writeFileSync(join(folder, `${node.name}.yml`), configOf(node, { folder, etcdPort }));
  }
  if (isRoot) execFileSync('chown', ['-R', 'postgres', folder]);

  async function leader(): Promise<Node> {
    let found: Node | undefined;
    await until('a leader', async () => {
      const leads = await Promise.all(nodes.map((node) => answers(node, '/primary')));
      found = nodes[leads.indexOf(true)];
      return found !== undefined;
    });
    if (!found) throw new Error('nobody leads');
    return found;
  }

  const sql = (text: string) => psql(port, 'unsaid', text);

  /** By what PostgreSQL does, and by what Patroni has written down: only whom it has may take the lead. */
  async function isWhole(): Promise<boolean> {
    const { restPort } = await leader();
    const told = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(1000) });
    const { members } = (await told.json()) as { members: { readonly role: string }[] };
    const roles = members.map(({ role }) => role).toSorted();
    const streaming = `select count(*) from pg_stat_replication where state = 'streaming'`;
    return roles.join() === 'leader,replica,sync_standby' && psql(port, 'postgres', streaming) === '2';
  }

  const untilWhole = () => until('a whole cluster', () => isWhole().catch(() => false));

  // The first one alone, so that it is the one that makes the database the others copy.
  const [first, ...others] = nodes;
  if (first) bringBack(first);
  await leader();
  for (const node of others) bringBack(node);
  writeFileSync(join(folder, 'haproxy.cfg'), haproxyConfig(port, nodes));
  run('haproxy', ['/usr/sbin/haproxy', '-db', '-f', join(folder, 'haproxy.cfg')]);
  await untilWhole();
  psql(port, 'postgres', 'create database unsaid');

  return {
    url: `postgres://owner@127.0.0.1:${port}/unsaid`,
    nodes,
    leader,
    sql,
    untilWhole,
    killMachine(node) {
      running.get(node.name)?.kill('SIGKILL');
      for (const pid of processesOf(node)) kill(pid, 'SIGKILL');
    },
    bringBack,
    freeze: (node) => void running.get(node.name)?.kill('SIGSTOP'),
    thaw: (node) => void running.get(node.name)?.kill('SIGCONT'),
    async switchOver() {
      const { name, restPort } = await leader();
      const answer = await fetch(`http://127.0.0.1:${restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: name }),
      });
      if (!answer.ok) throw new Error(`no switchover: ${answer.status} ${await answer.text()}`);
    },
    async differences(tables) {
      const reached = psql(port, 'postgres', 'select pg_current_wal_lsn()');
      const { name } = await leader();
      for (const node of nodes.filter((one) => one.name !== name))
        await until(`${node.name} to catch up`, () => {
          const isThere = `select pg_last_wal_replay_lsn() >= '${reached}'`;
          return psql(node.port, 'postgres', isThere) === 't';
        });
      return tables.filter((table) => {
        const sum = `select count(*) || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') from ${table} as t`;
        return new Set(nodes.map((node) => psql(node.port, 'unsaid', sum))).size > 1;
      });
    },
  };
}
