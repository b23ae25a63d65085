/**
 * npm run build && npm run lighthouse: what a mid-range phone on a slow connection makes of the pages people
 * meet first, by the built web on our own server. Not part of CI: what it measures of speed is this machine, too.
 */
import { execFileSync, spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import lighthouse, { type Flags, type RunnerResult } from 'lighthouse';
import { launch, type Page } from 'puppeteer-core';
import { chromiumLaunch } from './chromium.ts';
import { codesSentTo } from './outbox.ts';
import { origin, repo, serverEnv } from './stage.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(values.runs);

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

/** The stage of the journeys; gives what ends it. */
async function startStage(): Promise<() => Promise<void>> {
  if (await isReady()) throw new Error(`somebody is at ${origin} already: give another E2E_PORT`);
  const server = spawn(process.execPath, ['start-server.ts'], {
    cwd: import.meta.dirname,
    // As production has it unless told otherwise.
    env: { ...process.env, SMS_COUNTRIES: 'IN' },
    stdio: 'inherit',
  });
  const gone = new Promise<void>((done) => server.once('exit', () => done()));
  const stop = async () => {
    server.kill('SIGTERM');
    await gone;
  };
  for (let tries = 0; !(await isReady()); tries += 1) {
    if (server.exitCode !== null) throw new Error('the server did not come up: see reports/e2e/server.log');
    if (tries === 120) {
      await stop();
      throw new Error('the server took more than a minute');
    }
    await new Promise((done) => setTimeout(done, 500));
  }
  return stop;
}

/** A browser nobody has used: nothing kept, nothing cached, no service worker. */
async function withNewBrowser<T>(use: (page: Page) => Promise<T>): Promise<T> {
  const browser = await launch({ ...chromiumLaunch, defaultViewport: null });
  try {
    return await use(await browser.newPage());
  } finally {
    await browser.close();
  }
}

/** As one of the seeded, with a number that a seed gives. */
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
 * Once is enough, and on a tall phone: what happens to lie half beneath the bar at the bottom, and is scrolled out
 * from under it, is taken for a target that is too small.
 */
const forAccessibility: Flags = {
  onlyCategories: ['accessibility'],
  screenEmulation: { mobile: true, width: 412, height: 4000, deviceScaleFactor: 1.75, disabled: false },
};
const forSpeed: Flags = { onlyCategories: ['best-practices', 'performance'] };

/** A trace now and then comes back without its beginning (NO_NAVSTART). That says nothing of the page: once more. */
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
      // The splash is five seconds by design, once in a tab. What is judged is the page that stays.
      sessionStorage.setItem('unsaid.splash', 'seen');
      if (token) localStorage.setItem('unsaid.token', token);
    }, token);
    const flags: Flags = {
      logLevel: 'error',
      // Else the token would be swept away; the profile is new anyway.
      disableStorageReset: true,
      ...extra,
    };
    const result = await lighthouse(`${origin}${path}`, flags, undefined, page);
    if (!result) throw new Error(`nothing came back for ${path}`);
    if (result.lhr.runtimeError) return result.lhr;
    const shown = new URL(result.lhr.finalDisplayedUrl).pathname;
    if (shown !== path) throw new Error(`asked for ${path}, was shown ${shown}`);
    return result.lhr;
  });
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN;

/** What cost points in a category that has to be whole, and where. */
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

const stop = await startStage();
try {
  // A small community, so that there is something on the pages.
  execFileSync(process.execPath, [`${repo}server/src/bin/seed.ts`], {
    env: serverEnv,
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
  // Speed is simulated from what this machine did; about 1,000 or more is a machine that the simulation expects.
  console.log(`power of this machine by Lighthouse's own index: ${Math.round(median(power))}`);
  for (const fault of faults) console.log(fault);
} finally {
  await stop();
}
