/** What lighthouse.ts and phone.ts share: a server with a small community, somebody who was here before, and browsers. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { launch, type Browser } from 'puppeteer-core';
import { deleteKeys, dropDatabase } from '../testkit/leftovers.ts';
import { stopWithout } from '../testkit/options.ts';
import { wholeChromiumLaunch } from './chromium.ts';
import { waitForCode } from './outbox.ts';
import { createTestEnv, repo } from './test-env.ts';

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Ends the script where the browser is missing, before anything is opened. */
export function needBrowser(path = wholeChromiumLaunch.executablePath): void {
  if (!existsSync(path)) stopWithout(`${path} is missing`);
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

/** A new profile, or the one in a folder: no storage, no cache, no service worker before. */
export async function withBrowser<T>(
  use: (browser: Browser) => Promise<T>,
  userDataDir?: string,
): Promise<T> {
  const browser = await launch({
    ...wholeChromiumLaunch,
    defaultViewport: null,
    ...(userDataDir && { userDataDir }),
  });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

export interface Site {
  readonly origin: string;
  /** What the browser of somebody who is signed in has stored. */
  readonly storage: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

const isUp = (origin: string) =>
  fetch(`${origin}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Serves the built web of a checkout on a database of its own. Several checkouts take different places. */
export async function startSite(checkout = repo, place = 0): Promise<Site> {
  const { origin, port, server: env, ownerUrls, redisUrl, redisPrefix } = createTestEnv(place);
  if (!existsSync(`${checkout}/web/dist/index.html`)) stopWithout('the web is not built: npm run build');
  if (await isUp(origin)) stopWithout(`${origin} is in use: set another E2E_PORT`);
  const server = spawn(process.execPath, ['start-server.ts'], {
    cwd: `${checkout}/e2e`,
    // One server is enough. The countries are those of production.
    env: { ...process.env, E2E_PORT: String(port), E2E_WORKERS: '1', SMS_COUNTRIES: 'IN' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = new Promise<void>((done) => server.once('exit', () => done()));
  const stop = async () => {
    server.kill('SIGTERM');
    await gone;
    for (const url of ownerUrls) dropDatabase(url);
    deleteKeys(redisUrl, redisPrefix);
  };
  for (let tries = 0; !(await isUp(origin)); tries += 1) {
    if (server.exitCode !== null) throw new Error(`the server of ${checkout} did not start`);
    if (tries === 240) throw new Error('the server took more than two minutes');
    await pause(500);
  }
  try {
    // A small community, so that the pages are not empty.
    execFileSync(process.execPath, [`${checkout}/server/seed/main.ts`], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const storage = await signIn(origin, `${checkout}/reports/e2e/outbox-0.jsonl`);
    return { origin, storage, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Signs in with the number of a seeded account, opens the inbox once, and returns what the browser stores then. */
async function signIn(origin: string, outbox: string): Promise<Record<string, string>> {
  const phone = '+919900000001';
  return withBrowser(async (browser) => {
    const page = await browser.newPage();
    await page.goto(`${origin}/login`);
    const call = (path: string, body: object) =>
      page.evaluate(
        async (path, body) => {
          const headers = { 'content-type': 'application/json' };
          const response = await fetch(path, { method: 'POST', headers, body });
          return (await response.json()) as { token: string; user: { _id: string } };
        },
        path,
        JSON.stringify(body),
      );
    await call('/api/auth/request-otp', { phone });
    const otp = await waitForCode(phone, outbox);
    const { token, user } = await call('/api/auth/verify-otp', { phone, otp });
    await page.evaluate(
      (token, accountId) => {
        localStorage.setItem('unsaid.account', accountId);
        localStorage.setItem('unsaid.token', token);
      },
      token,
      user._id,
    );
    await page.goto(`${origin}/inbox`);
    await page.waitForFunction(() =>
      Object.keys(localStorage).some((key) => key.startsWith('unsaid.inbox.')),
    );
    return page.evaluate((): Record<string, string> => ({ ...localStorage }));
  });
}

const figuresFile = `${repo}docs/data/phone.json`;

/** The figures of docs/phone.md. Each command replaces its own part. */
export function saveFigures(part: string, figures: object): void {
  const all = existsSync(figuresFile)
    ? (JSON.parse(readFileSync(figuresFile, 'utf8')) as Record<string, unknown>)
    : {};
  writeFileSync(figuresFile, `${JSON.stringify({ ...all, [part]: figures }, null, 2)}\n`);
}
