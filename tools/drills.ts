/** Shared by the drills: commands, a log with times, and a small client of the API that signs in. */
import { execFileSync, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnChild } from '../testkit/child-processes.ts';
import { waitUntil } from '../testkit/wait-until.ts';

type Env = Readonly<Record<string, string | undefined>>;

const begun = performance.now();
export function say(text: string): void {
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${text}`);
}

export function run([file = '', ...args]: readonly string[], env: Env = {}): string {
  const options = { encoding: 'utf8', env: { ...process.env, ...env }, stdio: 'pipe' } as const;
  return execFileSync(file, args, options).trim();
}

export function start(
  [file = '', ...args]: readonly string[],
  env: Env = {},
  { stderr = 'inherit' }: { readonly stderr?: 'inherit' | 'ignore' } = {},
): ChildProcess {
  return spawnChild(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', stderr] });
}

export interface Person {
  readonly origin: string;
  readonly token: string;
}

/** One call of the API. Throws on an error status. */
export async function call(
  { origin, token }: Person,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Signs in with the code from the outbox file, or with that of `testNumber` and its neighbours. */
export async function signIn(origin: string, phone: string, outboxFile?: string): Promise<Person> {
  const answer = await answerCode(origin, phone, outboxFile, {
    path: '/api/auth/verify-otp',
    purpose: 'signin',
  });
  const text = await answer.text();
  const { token } = (answer.ok ? JSON.parse(text) : {}) as { token?: string };
  if (!token) throw new Error(`no session: ${answer.status} ${text}`);
  return { origin, token };
}

/** Reauthenticates with a fresh code. */
export async function confirm({ origin, token }: Person, phone: string, outboxFile?: string): Promise<void> {
  const answer = await answerCode(origin, phone, outboxFile, {
    path: '/api/auth/reauth',
    purpose: 'reauth',
    token,
  });
  if (!answer.ok) throw new Error(`not confirmed: ${answer.status}`);
}

async function answerCode(
  origin: string,
  phone: string,
  outboxFile: string | undefined,
  { path, purpose, token }: { readonly path: string; readonly purpose: string; readonly token?: string },
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const sentTo = () =>
    (outboxFile !== undefined && existsSync(outboxFile) ? readFileSync(outboxFile, 'utf8') : '')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { to: string; code: string })
      .filter(({ to }) => to === phone);
  const sentBefore = sentTo().length;
  const asked = await fetch(`${origin}/api/auth/request-otp`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ phone, purpose }),
  });
  const cookie = asked.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  if (!asked.ok) throw new Error(`no code: ${asked.status} ${await asked.text()}`);
  if (outboxFile !== undefined) await waitUntil('a code', () => sentTo().length > sentBefore);
  return fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { ...headers, cookie: cookie.join('; ') },
    body: JSON.stringify({ phone, otp: sentTo().at(-1)?.code ?? '123456' }),
  });
}

/** A number of `npm run shipped` that needs no SMS. Its code is 123456. */
export const testNumber = '+919900000002';
/** The one that setup.sh tries. Whoever replaces the list of those numbers keeps it. */
export const setUpNumber = '+919900000001';
/**
 * Goes on only on a machine of `npm run shipped`, with everything started; anywhere else it makes one, which runs this drill
 * again. `settings` are lines of the server's settings beside those of setup.sh.
 */
export const isOnMachine = existsSync('/trial/authority.crt');
export function onMachine(
  layout: 'units' | 'compose',
  settings: Readonly<Record<string, string>> = {},
  words: readonly string[] = process.argv.slice(2),
): void {
  if (isOnMachine) return;
  const [, script = ''] = process.argv;
  const args = [
    fileURLToPath(new URL('shipped.ts', import.meta.url)),
    layout,
    '--only',
    'node',
    `tools/${basename(script)}`,
    ...words,
  ];
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  const { status } = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, SHIPPED_SETTINGS: lines.join('') },
  });
  process.exit(status ?? 1);
}
