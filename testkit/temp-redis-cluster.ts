import { execFileSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endChild, spawnChild } from './child-processes.ts';
import { freePort } from './free-port.ts';
import { waitUntil } from './wait-until.ts';

/** A temporary Redis Cluster on its own ports: tests can kill its nodes. */
export interface TempRedisCluster {
  /** The URLs of all nodes, as in REDIS_URL. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /** One command by redis-cli, sent to the node that has the key. */
  command(...words: string[]): string;
  /** The node that serves a slot now. */
  masterOf(slot: number): ClusterNode;
  pids(): number[];
  remove(): Promise<void>;
}

export interface ClusterNode {
  readonly port: number;
  start(): void;
  signal(signal: NodeJS.Signals): void;
  killHard(): Promise<void>;
}

const masters = 3;
const slots = 16_384;
const firstSlot = (master: number) => Math.ceil((slots * master) / masters);

interface Place {
  readonly id: string;
  readonly port: number;
  readonly busPort: number;
  readonly master: number;
  readonly isReplica: boolean;
}

/** What `redis-cli --cluster create` would agree on, written beforehand: negotiating it takes longer than the tests. */
function configOf(places: readonly Place[], self: Place): string {
  const lines = places.map((place) => {
    const flags = `${place === self ? 'myself,' : ''}${place.isReplica ? 'slave' : 'master'}`;
    const of = place.isReplica ? (places[place.master]?.id ?? '-') : '-';
    const range = place.isReplica ? '' : ` ${firstSlot(place.master)}-${firstSlot(place.master + 1) - 1}`;
    return `${place.id} 127.0.0.1:${place.port}@${place.busPort} ${flags} ${of} 0 0 ${place.master + 1} connected${range}`;
  });
  return `${lines.join('\n')}\nvars currentEpoch ${masters} lastVoteEpoch 0\n`;
}

export async function startTempRedisCluster({
  replicas = 1,
  nodeTimeoutMs = 1000,
}: { readonly replicas?: number; readonly nodeTimeoutMs?: number } = {}): Promise<TempRedisCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-redis-cluster-'));
  const places: Place[] = [];
  for (let n = 0; n < masters * (1 + replicas); n += 1)
    places.push({
      id: randomBytes(20).toString('hex'),
      port: await freePort(),
      busPort: await freePort(),
      master: n % masters,
      isReplica: n >= masters,
    });
  const children = new Map<Place, ChildProcess>();

  function start(place: Place): void {
    children.set(
      place,
      spawnChild(
        'redis-server',
        [
          ...['--port', String(place.port), '--bind', '127.0.0.1', '--dir', join(folder, place.id)],
          ...['--save', '', '--appendonly', 'no', '--loglevel', 'warning', '--repl-diskless-sync-delay', '0'],
          ...['--cluster-enabled', 'yes', '--cluster-port', String(place.busPort)],
          ...['--cluster-node-timeout', String(nodeTimeoutMs), '--cluster-require-full-coverage', 'no'],
        ],
        { stdio: 'ignore' },
      ),
    );
  }
  for (const place of places) {
    mkdirSync(join(folder, place.id));
    writeFileSync(join(folder, place.id, 'nodes.conf'), configOf(places, place));
    start(place);
  }

  const ask = (port: number, ...words: string[]): string => {
    try {
      return execFileSync('redis-cli', ['-c', '-p', String(port), ...words], {
        encoding: 'utf8',
        stdio: 'pipe',
      }).trim();
    } catch {
      return '';
    }
  };
  const isReady = ({ port, isReplica }: Place) =>
    /cluster_state:ok/u.test(ask(port, 'cluster', 'info')) &&
    (isReplica
      ? /master_link_status:up/u.test(ask(port, 'info', 'replication'))
      : ask(port, 'info', 'replication').includes(`connected_slaves:${replicas}`));
  await waitUntil('the Redis Cluster', () => places.every(isReady));

  const nodes = places.map((place): ClusterNode => ({
    port: place.port,
    start: () => start(place),
    signal: (signal) => void children.get(place)?.kill(signal),
    async killHard() {
      const child = children.get(place);
      if (child) await endChild(child, 'SIGKILL');
      children.delete(place);
    },
  }));
  const someone = () =>
    places.find((place) => children.has(place) && ask(place.port, 'ping') === 'PONG')?.port ?? 0;
  return {
    url: places.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    nodes,
    command: (...words) => ask(someone(), ...words),
    masterOf(slot) {
      const lines = ask(someone(), 'cluster', 'nodes').split('\n');
      const served = lines.find((line) => {
        const [, , flags = '', , , , , , ...ranges] = line.split(' ');
        return (
          flags.includes('master') &&
          !flags.includes('fail') &&
          ranges.some((range) => {
            const [from = 0, to = from] = range.split('-').map(Number);
            return from <= slot && slot <= to;
          })
        );
      });
      const port = Number(/:(\d+)@/u.exec(served ?? '')?.[1]);
      const found = nodes.find((node) => node.port === port);
      if (!found) throw new Error(`no master has slot ${slot}`);
      return found;
    },
    pids: () => [...children.values()].flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
    async remove() {
      await Promise.all(
        [...children.values()].map(async (child) => {
          child.kill('SIGCONT');
          await endChild(child, 'SIGKILL');
        }),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
