import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestOtp, verifyOtp } from '@unsaid/contract';
import { findServices, urlOfDatabase } from '../../tools/services.ts';
import type { Client } from './client.ts';

/** The real server as a process of its own, on a database of its own, gone when the measurement is. */

const repo = fileURLToPath(new URL('../..', import.meta.url));

export interface Stage {
  readonly port: number;
  readonly pid: number;
  readonly databaseUrl: string;
  /** One statement, its rows as lines of columns parted by `|`. */
  sql(text: string): string[][];
  /** The newest code that was sent to a number; null while none has arrived. */
  codeFor(phone: string): string | null;
  log(): string;
  stop(): Promise<void>;
}

const psql = (url: string, text: string) => execFileSync('psql', [url, '-qAtc', text], { encoding: 'utf8' });

/** `kept` names a database that was there before and stays; `tree` another checkout whose server it shall be. */
export async function startStage(
  name: string,
  port: number,
  env: Record<string, string> = {},
  kept?: string,
  tree = repo,
): Promise<Stage> {
  const database = kept ?? `unsaid_bench_${name}_${process.pid}`;
  const services = findServices();
  const databaseUrl = urlOfDatabase(services.DATABASE_URL, database);
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-bench-'));
  const outbox = join(folder, 'outbox.jsonl');
  const serverEnv = {
    PATH: process.env['PATH'],
    NODE_ENV: 'test',
    HOME: process.env['HOME'],
    USER: process.env['USER'],
    ...services,
    DATABASE_URL: databaseUrl,
    REDIS_PREFIX: `${database}:`,
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(port + 1),
    PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
    SMS_OUTBOX_FILE: outbox,
    LIMITS_SCALE: '1000000',
    PHONE_INDEX_COST: '4',
    LOG_LEVEL: 'warn',
    ...env,
  };
  // Past whatever relay the server itself is given: this waits, and a relay in this process would stand still.
  const migrated = { env: { ...serverEnv, DATABASE_URL: databaseUrl }, stdio: 'ignore' } as const;
  // What was kept for another checkout is as that one needs it.
  if (kept === undefined || tree === repo)
    execFileSync(process.execPath, [join(tree, 'server/src/bin/migrate.ts')], migrated);
  let output = '';
  const server: ChildProcess = spawn(process.execPath, [join(tree, 'server/src/bin/api.ts')], {
    cwd: folder,
    env: serverEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server.stdout?.on('data', (part: Buffer) => (output += part.toString()));
  server.stderr?.on('data', (part: Buffer) => (output += part.toString()));
  const ended = new Promise<void>((resolve) => void server.on('exit', () => resolve()));
  // Also when the measurement itself breaks.
  const endToo = () => void server.kill('SIGKILL');
  process.once('exit', endToo);

  async function stop(): Promise<void> {
    server.kill('SIGTERM');
    await ended;
    process.off('exit', endToo);
    if (!kept)
      psql(
        urlOfDatabase(services.DATABASE_URL, 'postgres'),
        `drop database if exists ${database} with (force)`,
      );
    rmSync(folder, { recursive: true, force: true });
  }

  for (let wait = 0; ; wait += 1) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) break;
    if (wait > 300 || server.exitCode !== null) {
      await stop();
      throw new Error(`the server did not start:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    port,
    pid: server.pid ?? 0,
    databaseUrl,
    sql: (text) =>
      psql(databaseUrl, text)
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('|')),
    codeFor(phone) {
      if (!existsSync(outbox)) return null;
      // The last line may still be on its way.
      const lines = readFileSync(outbox, 'utf8').split('\n').slice(0, -1);
      const line = lines.findLast((one) => one.includes(`"to":"${phone}"`));
      return line === undefined ? null : (JSON.parse(line) as { code: string }).code;
    },
    log: () => output,
    stop,
  };
}

/** Through the front door; a machine that has just started all this may need a second try. */
export async function signIn(stage: Stage, client: Client, phone: string): Promise<string> {
  for (let turn = 0; turn < 50; turn += 1) {
    if (turn % 25 === 0) await client.call(requestOtp, { body: { phone } });
    const otp = stage.codeFor(phone);
    const answer = otp === null ? null : await client.call(verifyOtp, { body: { phone, otp } });
    if (answer?.status === 200) return answer.body.token;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`nobody could sign in:\n${stage.log()}`);
}
