import { execFileSync, type ChildProcess } from 'node:child_process';
import { endChild, spawnChild } from './child-processes.ts';
import { freePort } from './free-port.ts';
import { waitUntil } from './wait-until.ts';

/** A temporary redis-server on its own port: tests can kill, fill and flush it. */
export interface TempRedis {
  readonly port: number;
  readonly url: string;
  pid(): number;
  start(): Promise<void>;
  killHard(): Promise<void>;
  /** One command by redis-cli. */
  command(...words: string[]): string;
  remove(): Promise<void>;
}

export async function startTempRedis(options: readonly string[] = []): Promise<TempRedis> {
  const port = await freePort();
  let server: ChildProcess | null = null;
  const command = (...words: string[]) =>
    execFileSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const isUp = () => {
    try {
      return command('ping') === 'PONG';
    } catch {
      return false;
    }
  };
  async function start(): Promise<void> {
    server = spawnChild(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options],
      { stdio: 'ignore' },
    );
    await waitUntil('Redis', isUp);
  }
  async function killHard(): Promise<void> {
    if (server) await endChild(server, 'SIGKILL');
    server = null;
  }
  await start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    pid: () => server?.pid ?? 0,
    start,
    killHard,
    command,
    remove: killHard,
  };
}
