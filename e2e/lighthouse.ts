/**
 * npm run build && npm run lighthouse: Lighthouse audits of the first pages, as a mid-range phone on a slow connection
 * loads them from the built web on our own server. Not part of CI: the speed it measures depends on the machine.
 */
import { execFileSync, spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import lighthouse, { type Flags, type RunnerResult } from 'lighthouse';
import { launch, type Page } from 'puppeteer-core';
import { wholeChromiumLaunch } from './chromium.ts';
import { codesSentTo } from './outbox.ts';
import { repo, testEnv } from './test-env.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(values.runs);
const { origin } = testEnv;

const pages = [
  { path: '/login', isSignedIn: false },
  { path: '/vents', isSignedIn: true },
  { path: '/matches', isSignedIn: true },
] as const;

type Lhr = RunnerResult['lhr'];

interface Figure {
  readonly name: string;
  readonly read: (lhr: Lhr) => number;
  readonly show: (value: number) => string;
  readonly isMet?: (value: number) => boolean;
}

const score = (category: string) => (lhr: Lhr) => Math.round((lhr.categories[category]?.score ?? 0) * 100);
const audit = (id: string) => (lhr: Lhr) => lhr.audits[id]?.numericValue ?? Number.NaN;
const inMs = (value: number) => `${Math.round(value)} ms`;

const figures: readonly Figure[] = [
  { name: 'accessibility', read: score('accessibility'), show: String, isMet: (value) => value === 100 },
  { name: 'best practices', read: score('best-practices'), show: String, isMet: (value) => value >= 95 },
  { name: 'performance', read: score('performance'), show: String, isMet: (value) => value >= 90 },
  {
    name: 'CLS',
    read: audit('cumulative-layout-shift'),
    show: (value) => value.toFixed(3),
    isMet: (value) => value <= 0.02,
  },
  { name: 'FCP', read: audit('first-contentful-paint'), show: inMs },
  { name: 'LCP', read: audit('largest-contentful-paint'), show: inMs },
  { name: 'TBT', read: audit('total-blocking-time'), show: inMs },
  { name: 'Speed Index', read: audit('speed-index'), show: inMs },
];

const isReady = () =>
  fetch(`${origin}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts the server of the journeys; returns the function that stops it. */
async function startServer(): Promise<() => Promise<void>> {
  if (await isReady()) throw new Error(`${origin} is in use: set another E2E_PORT`);
  const server = spawn(process.execPath, ['start-server.ts'], {
    cwd: import.meta.dirname,
    // One server is enough. The countries are those of production.
    env: { ...process.env, E2E_WORKERS: '1', SMS_COUNTRIES: 'IN' },
    stdio: 'inherit',
  });
  const gone = new Promise<void>((done) => server.once('exit', () => done()));
  const stop = async () => {
    server.kill('SIGTERM');
    await gone;
  };
  for (let tries = 0; !(await isReady()); tries += 1) {
    if (server.exitCode !== null) throw new Error('the server did not start: see reports/e2e/server-0.log');
    if (tries === 120) {
      await stop();
      throw new Error('the server took more than a minute');
    }
    await new Promise((done) => setTimeout(done, 500));
  }
  return stop;
}

/** A new browser profile: no storage, no cache, no service worker. */
async function withNewBrowser<T>(use: (page: Page) => Promise<T>): Promise<T> {
  const browser = await launch({ ...wholeChromiumLaunch, defaultViewport: null });
  try {
    return await use(await browser.newPage());
  } finally {
    await browser.close();
  }
}

/** Signs in with the number of a seeded account; returns the token. */
async function signIn(): Promise<string> {
  const phone = '+919900000001';
  return withNewBrowser(async (page) => {
    await page.goto(`${origin}/login`);
    const call = (path: string, body: object) =>
      page.evaluate(
        async (path, body) => {
          const headers = { 'content-type': 'application/json' };
          return (await (await fetch(path, { method: 'POST', headers, body })).json()) as { token: string };
        },
        path,
        JSON.stringify(body),
      );
    await call('/api/auth/request-otp', { phone });
    let otp: string | undefined;
    while (otp === undefined) {
      await new Promise((done) => setTimeout(done, 100));
      otp = (await codesSentTo(phone)).at(-1);
    }
    return (await call('/api/auth/verify-otp', { phone, otp })).token;
  });
}

/**
 * Run once, on a tall phone: a button that lies half beneath the bar at the bottom is taken for a target that is too
 * small, although it can be scrolled.
 */
const forAccessibility: Flags = {
  onlyCategories: ['accessibility'],
  screenEmulation: { mobile: true, width: 412, height: 4000, deviceScaleFactor: 1.75, disabled: false },
};
const forSpeed: Flags = { onlyCategories: ['best-practices', 'performance'] };

/** Retries when the trace came back without its beginning (NO_NAVSTART), which says nothing about the page. */
async function measure(path: string, token: string | undefined, extra: Flags): Promise<Lhr> {
  for (let turn = 0; turn < 3; turn += 1) {
    const lhr = await measureOnce(path, token, extra);
    if (!lhr.runtimeError) return lhr;
  }
  throw new Error(`${path} could not be measured`);
}

async function measureOnce(path: string, token: string | undefined, extra: Flags): Promise<Lhr> {
  return withNewBrowser(async (page) => {
    await page.evaluateOnNewDocument((token) => {
      if (!location.protocol.startsWith('http')) return;
      // The splash lasts five seconds by design, once on a device. The audit is about the page behind it.
      sessionStorage.setItem('unsaid.splash', 'seen');
      if (token) localStorage.setItem('unsaid.token', token);
    }, token);
    const flags: Flags = {
      logLevel: 'error',
      // The token stays in storage. The profile is new anyway.
      disableStorageReset: true,
      ...extra,
    };
    const result = await lighthouse(`${origin}${path}`, flags, undefined, page);
    if (!result) throw new Error(`no result for ${path}`);
    if (result.lhr.runtimeError) return result.lhr;
    const shown = new URL(result.lhr.finalDisplayedUrl).pathname;
    if (shown !== path) throw new Error(`asked for ${path}, was shown ${shown}`);
    return result.lhr;
  });
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN;

/** The failed audits of the categories that must be perfect, and the elements they name. */
function faultsOf(lhr: Lhr): string[] {
  return ['accessibility', 'best-practices'].flatMap((category) =>
    (lhr.categories[category]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (lhr.audits[id]?.score ?? 1) < 1)
      .map(({ id }) => {
        const { title = '', details } = lhr.audits[id] ?? {};
        const places = details?.type === 'table' ? details.items.map(({ node }) => selectorOf(node)) : [];
        return `${category}: ${id}: ${title} ${places.join(', ')}`;
      }),
  );
}

const selectorOf = (node: unknown) =>
  typeof node === 'object' && node !== null && 'selector' in node ? String(node.selector) : '';

const stop = await startServer();
try {
  // A small community, so that the pages are not empty.
  execFileSync(process.execPath, [`${repo}server/seed/main.ts`], {
    env: testEnv.server,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const token = await signIn();
  const table: Record<string, Record<string, string>> = {};
  const faults = new Set<string>();
  const power: number[] = [];
  for (const { path, isSignedIn } of pages) {
    const as = isSignedIn ? token : undefined;
    const looked = await measure(path, as, forAccessibility);
    const timed: Lhr[] = [];
    for (let run = 0; run < runs; run += 1) timed.push(await measure(path, as, forSpeed));
    table[path] = Object.fromEntries(
      figures.map(({ name, read, show, isMet }) => {
        const value = name === 'accessibility' ? read(looked) : median(timed.map(read));
        const isMissed = isMet?.(value) === false;
        if (isMissed) process.exitCode = 1;
        return [name, show(value) + (isMissed ? ' (missed)' : '')];
      }),
    );
    for (const lhr of [looked, ...timed]) {
      power.push(lhr.environment.benchmarkIndex);
      for (const fault of faultsOf(lhr)) faults.add(`${path} ${fault}`);
    }
  }
  console.log(`Lighthouse, mobile, median of ${runs} runs, each in a new browser:`);
  console.table(table);
  // Speed is simulated from this machine's own; the simulation expects an index of about 1,000 or more.
  console.log(`benchmark index of this machine: ${Math.round(median(power))}`);
  for (const fault of faults) console.log(fault);
} finally {
  await stop();
}
