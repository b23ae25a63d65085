/** What the drills share: processes that end with them, a server to talk to, somebody who signs in. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server/test/free-port.ts';

type Env = Readonly<Record<string, string>>;

const begun = performance.now();
export function say(text: string): void {
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${text}`);
}

export async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (let wait = 0; wait < 600; wait += 1) {
    if (await isTrue()) return;
    await sleep(100);
  }
  throw new Error(`waited a minute for ${what}`);
}

export function run([file = '', ...args]: readonly string[], env: Env = {}): string {
  const options = { encoding: 'utf8', env: { ...process.env, ...env }, stdio: 'pipe' } as const;
  return execFileSync(file, args, options).trim();
}

const children = new Set<ChildProcess>();

export function start(
  [file = '', ...args]: readonly string[],
  env: Env = {},
  { stderr = 'inherit' }: { readonly stderr?: 'inherit' | 'ignore' } = {},
): ChildProcess {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', stderr] });
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}

export async function endAll(): Promise<void> {
  const ended = [...children].map((child) => new Promise((resolve) => void child.once('exit', resolve)));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(ended);
}

export interface Person {
  readonly origin: string;
  readonly token: string;
}

interface RunningServer {
  readonly origin: string;
  readonly metricsPort: number;
  readonly child: ChildProcess;
}

/** A server of the given tree, ready; what it logs goes to a file where one is named. */
export async function startServer(tree: string, env: Env, logFile = '/dev/null'): Promise<RunningServer> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = start([process.execPath, `${tree}server/src/bin/api.ts`], {
    ...env,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
  });
  child.stdout?.pipe(createWriteStream(logFile));
  const origin = `http://127.0.0.1:${port}`;
  await until('the server', () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { origin, metricsPort, child };
}

/** One call of the api; a wrong status is an error, with what was answered. */
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

/** Through the front door, with the code that the outbox was given. */
export async function signIn(origin: string, phone: string, outboxFile: string): Promise<Person> {
  const answer = await answerCode(origin, phone, outboxFile, {
    path: '/api/auth/verify-otp',
    purpose: 'signin',
  });
  const { token } = (await answer.json()) as { token?: string };
  if (!token) throw new Error(`no session: ${answer.status}`);
  return { origin, token };
}

/** A fresh code, for what an open session may not do without one. */
export async function confirm({ origin, token }: Person, phone: string, outboxFile: string): Promise<void> {
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
  outboxFile: string,
  { path, purpose, token }: { readonly path: string; readonly purpose: string; readonly token?: string },
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const sentTo = () =>
    (existsSync(outboxFile) ? readFileSync(outboxFile, 'utf8') : '')
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
  if (!asked.ok) throw new Error(`no code: ${asked.status}`);
  await until('a code', () => sentTo().length > sentBefore);
  return fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { ...headers, cookie: cookie.join('; ') },
    body: JSON.stringify({ phone, otp: sentTo().at(-1)?.code }),
  });
}
