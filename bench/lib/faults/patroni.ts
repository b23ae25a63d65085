import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../testkit/free-port.ts';
import { asPostgres, postgresBin } from '../../../testkit/temp-postgres.ts';
import { waitUntil } from '../../../testkit/wait-until.ts';
import { onCleanup } from './cleanup.ts';

/**
 * Three PostgreSQL servers under Patroni with etcd; HAProxy routes to the leader. Debian packages, in a temporary folder
 * and on free ports.
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
  /** On the leader. */
  sql(text: string): string;
  /** A leader and two replicas, one of them synchronous. */
  untilWhole(): Promise<void>;
  /** SIGKILL of Patroni and all of PostgreSQL, as in a power failure. */
  killMachine(node: Node): void;
  bringBack(node: Node): void;
  /** Stops Patroni only; its PostgreSQL continues. */
  freeze(node: Node): void;
  thaw(node: Node): void;
  switchOver(): Promise<void>;
  /** The tables that differ between the servers after replication has caught up. */
  differences(tables: readonly string[]): Promise<string[]>;
}

/** By program, their Debian packages. */
export const clusterPrograms = { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy' };

const isRoot = userInfo().uid === 0;

interface ClusterPaths {
  readonly folder: string;
  readonly etcdPort: number;
}

/** As JSON, which is valid YAML. */
function configOf({ name, port, restPort, dataFolder }: Node, { folder, etcdPort }: ClusterPaths): string {
  return JSON.stringify({
    scope: 'unsaid',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // etcd API v2: with v3, the leader of Patroni 3.0.2 writes its key without checking that it still owns it. A leader
    // that was frozen would then take the lead back from its successor.
    etcd: { host: `127.0.0.1:${etcdPort}` },
    watchdog: { mode: 'off' },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 5,
        retry_timeout: 5,
        synchronous_mode: true,
        // Without a standby, writes are refused instead of stored once.
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, use_slots: true },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: dataFolder,
      bin_dir: postgresBin,
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

/** The postmaster and its children. */
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
    // The process has ended already.
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
  onCleanup(async () => {
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
  await waitUntil('etcd', () =>
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
    await waitUntil('a leader', async () => {
      const leads = await Promise.all(nodes.map((node) => answers(node, '/primary')));
      found = nodes[leads.indexOf(true)];
      return found !== undefined;
    });
    if (!found) throw new Error('no leader');
    return found;
  }

  const sql = (text: string) => psql(port, 'unsaid', text);

  /** By PostgreSQL and by Patroni: only members that Patroni lists can become leader. */
  async function isWhole(): Promise<boolean> {
    const { restPort } = await leader();
    const told = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(1000) });
    const { members } = (await told.json()) as { members: { readonly role: string }[] };
    const roles = members.map(({ role }) => role).toSorted();
    const streaming = `select count(*) from pg_stat_replication where state = 'streaming'`;
    return roles.join() === 'leader,replica,sync_standby' && psql(port, 'postgres', streaming) === '2';
  }

  const untilWhole = () => waitUntil('a whole cluster', () => isWhole().catch(() => false));

  // The first one alone: it initializes the database that the others copy.
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
        await waitUntil(`${node.name} to catch up`, () => {
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
