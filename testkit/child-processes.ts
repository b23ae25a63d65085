import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

const children = new Set<ChildProcess>();

/** All that a child gets of our own environment: where programs are, and where Node keeps what it has compiled. */
export const bareEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};

/** `spawn`, for processes that must not outlive this one. */
export function spawnChild(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Sends a signal and waits for the end of the process. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

export async function killChildren(): Promise<void> {
  await Promise.all([...children].map((child) => endChild(child, 'SIGKILL')));
}

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
