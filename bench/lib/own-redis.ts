import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { freePort } from '../../server/test/free-port.ts';
import { until } from '../../tools/drills.ts';

/** A Redis of one's own: to be killed, filled and flushed without harm to anybody else's. */

export interface OwnRedis {
  readonly port: number;
  start(): Promise<void>;
  killHard(): Promise<void>;
  ask(...words: string[]): string;
  remove(): Promise<void>;
}

export async function createRedis(): Promise<OwnRedis> {
  const port = await freePort();
  let server: ChildProcess | null = null;
  const ask = (...words: string[]) =>
    execFileSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const isUp = () => {
    try {
      return ask('ping') === 'PONG';
    } catch {
      return false;
    }
  };
  async function start(): Promise<void> {
    server = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdio: 'ignore' },
    );
    await until('Redis', isUp);
  }
  async function killHard(): Promise<void> {
    if (!server) return;
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
    server = null;
  }
  await start();
  // Also when what uses it breaks.
  process.once('exit', () => server?.kill('SIGKILL'));
  return { port, start, killHard, ask, remove: killHard };
}
