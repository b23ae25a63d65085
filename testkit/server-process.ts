import { execFileSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareEnv, endChild, hasEnded, spawnChild } from './child-processes.ts';
import { freePort } from './free-port.ts';
import { waitUntil } from './wait-until.ts';

/** The real server (`server/src/bin/api.ts`) as a child process. */

export const repo = fileURLToPath(new URL('..', import.meta.url));

/** The path of a script of the server, by default in this checkout. */
export const serverScript = (name: 'api' | 'migrate', tree = repo) => join(tree, `server/src/bin/${name}.ts`);

/** `npm run bench:compare` also seeds with checkouts from before the script moved. */
export function seedScript(tree = repo): string {
  const script = join(tree, 'server/seed/main.ts');
  return existsSync(script) ? script : join(tree, 'server/src/bin/seed.ts');
}

type Env = Readonly<Record<string, string | undefined>>;

export interface ServerOptions {
  /** The whole environment of the process. `bareEnv` and the ports are added. */
  readonly env: Env;
  /** The checkout whose server to start. */
  readonly tree?: string | undefined;
  readonly cwd?: string | undefined;
  readonly port?: number | undefined;
  /** Where stdout goes; stderr is then inherited. */
  readonly logFile?: string;
  readonly stdio?: StdioOptions;
}

export interface ServerProcess {
  readonly port: number;
  readonly metricsPort: number;
  readonly origin: string;
  readonly child: ChildProcess;
  /** The output to stdout and stderr, as far as they are piped. */
  output(): string;
  /** Throws if it ends first. */
  untilReady(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the server without waiting for it. */
export async function spawnServer(options: ServerOptions): Promise<ServerProcess> {
  const { env, tree, cwd, logFile, stdio } = options;
  const port = options.port ?? (await freePort());
  const metricsPort = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = spawnChild(process.execPath, [serverScript('api', tree)], {
    cwd,
    env: { ...bareEnv, ...env, PORT: String(port), METRICS_PORT: String(metricsPort) },
    stdio: stdio ?? ['ignore', 'pipe', logFile === undefined ? 'pipe' : 'inherit'],
  });
  let output = '';
  if (logFile === undefined)
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => (output += part.toString()));
  else child.stdout?.pipe(createWriteStream(logFile));
  return {
    port,
    metricsPort,
    origin,
    child,
    output: () => output,
    untilReady: () =>
      waitUntil('the server', () => {
        if (hasEnded(child)) throw new Error(`the server ended before it was ready:\n${output}`);
        return isReady(origin);
      }),
    stop: (signal = 'SIGTERM') => endChild(child, signal),
  };
}

/** Starts the server and waits until it is ready. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const server = await spawnServer(options);
  try {
    await server.untilReady();
  } catch (error) {
    await server.stop('SIGKILL');
    throw error;
  }
  return server;
}

export const isReady = (origin: string) =>
  fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Runs the migrations, and creates the database if it does not exist. */
export function migrate(env: Env, tree?: string): void {
  execFileSync(process.execPath, [serverScript('migrate', tree)], {
    env: { ...bareEnv, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
