import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reauthenticate, requestOtp, verifyOtp } from '@unsaid/contract';
import { freePort } from '../../testkit/free-port.ts';
import { migrate, repo, startServer } from '../../testkit/server-process.ts';
import { waitUntil } from '../../testkit/wait-until.ts';
import { deleteKeys } from '../../testkit/leftovers.ts';
import { findServices, urlOfDatabase } from '../../tools/services.ts';
import type { Client } from './client.ts';
import { psql } from './psql.ts';
import { dropDatabase } from './vent-databases.ts';

/** The real server as a child process, on a database that is dropped with it unless it was given. */
export interface TestServer {
  readonly port: number;
  readonly pid: number;
  readonly databaseUrl: string;
  /** One statement; rows as lists of columns. */
  sql(text: string): string[][];
  /** The newest code sent to a number, null if none has arrived. */
  codeFor(phone: string): string | null;
  log(): string;
  stop(): Promise<void>;
}

interface TestServerOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** An existing database, which stays. */
  readonly database?: string;
  /** Another checkout whose server to start. */
  readonly tree?: string | undefined;
}

export async function startTestServer(
  name: string,
  { env = {}, database: given, tree }: TestServerOptions = {},
): Promise<TestServer> {
  const database = given ?? `unsaid_bench_${name}_${process.pid}`;
  const services = findServices();
  const databaseUrl = urlOfDatabase(services.DATABASE_URL, database);
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-bench-'));
  const outbox = join(folder, 'outbox.jsonl');
  const port = await freePort();
  const serverEnv = {
    NODE_ENV: 'test',
    HOME: process.env['HOME'],
    USER: process.env['USER'],
    ...services,
    DATABASE_URL: databaseUrl,
    REDIS_PREFIX: `${database}:`,
    HOST: '127.0.0.1',
    PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
    SMS_OUTBOX_FILE: outbox,
    LIMITS_SCALE: '1000000',
    PHONE_INDEX_COST: '4',
    LOG_LEVEL: 'warn',
    ...env,
  };
  // By the direct URL: a relay in this process cannot answer while this call blocks. A database that was given for
  // another checkout has that checkout's schema already.
  if (given === undefined || (tree ?? repo) === repo)
    migrate({ ...serverEnv, DATABASE_URL: databaseUrl }, tree);
  const server = await startServer({ env: serverEnv, cwd: folder, port, tree });
  return {
    port,
    pid: server.child.pid ?? 0,
    databaseUrl,
    sql: (text) =>
      psql(databaseUrl, text)
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('|')),
    codeFor(phone) {
      if (!existsSync(outbox)) return null;
      // The last line may be incomplete.
      const lines = readFileSync(outbox, 'utf8').split('\n').slice(0, -1);
      const line = lines.findLast((one) => one.includes(`"to":"${phone}"`));
      return line === undefined ? null : (JSON.parse(line) as { code: string }).code;
    },
    log: server.output,
    async stop() {
      await server.stop();
      if (given === undefined) dropDatabase(database);
      else deleteKeys(services.REDIS_URL, `${database}:`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Signs in with a code. Requests a second code if the first does not arrive within half a second. */
export async function signIn(server: TestServer, client: Client, phone: string): Promise<string> {
  for (let turn = 0; turn < 50; turn += 1) {
    if (turn % 25 === 0) await client.call(requestOtp, { body: { phone } });
    const otp = server.codeFor(phone);
    const response = otp === null ? null : await client.call(verifyOtp, { body: { phone, otp } });
    if (response?.status === 200) return response.body.token;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`sign-in failed:\n${server.log()}`);
}

/** Proves by a fresh code that it is still the owner of the number. */
export async function reauthenticateBy(
  { server, client, phone }: { readonly server: TestServer; readonly client: Client; readonly phone: string },
  token: string,
): Promise<void> {
  const before = server.codeFor(phone);
  await client.call(requestOtp, { token, body: { phone, purpose: 'reauth' } });
  await waitUntil('a code', () => ![null, before].includes(server.codeFor(phone)));
  await client.call(reauthenticate, { token, body: { phone, otp: server.codeFor(phone) ?? '' } });
}
