/**
 * npm run build && npm run phone: what a first visit asks for, and what somebody with a cheap phone feels after it, in a
 * browser whose processor is slowed six times: how soon a tap is answered (INP), how soon the second visit shows something
 * on slow 3G, and how soon a vent can be read after a tap on the icon. Times depend on the machine, so they are printed;
 * --save writes them to docs/data/phone.json. --only requests; --against <checkout> counts the requests of another built
 * checkout too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { PredefinedNetworkConditions, type Browser, type CDPSession, type Page } from 'puppeteer-core';
import { readOptions } from '../testkit/options.ts';
import { median, needBrowser, saveFigures, startSite, withBrowser, type Site } from './measuring.ts';

const { runs, only, against, save } = readOptions({
  runs: 3,
  only: ['requests', 'taps', 'visits'],
  against: '',
  save: false,
});
needBrowser();
const slowdown = 6;

interface Seen {
  /** Of each interaction since the last look: the time from the finger to the next frame, in ms. */
  interactions: number[];
  /** Since the navigation began, in ms. */
  shellAt?: number;
  ventAt?: number;
}
type Watched = Window & { seen: Seen };

async function openPhone(browser: Browser, { storage }: Site): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width: 360, height: 640, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  await page.evaluateOnNewDocument((storage) => {
    if (!location.protocol.startsWith('http')) return;
    // Signed in, and the first start with its long splash is over.
    if (localStorage.getItem('unsaid.token') === null)
      for (const [key, value] of Object.entries(storage)) localStorage.setItem(key, value);
    localStorage.setItem('unsaid.splash', 'seen');
    const seen: Seen = { interactions: [] };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[])
        if (entry.interactionId) seen.interactions.push(entry.duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
    const look = () => {
      // After the frame that shows it.
      if (document.querySelector('main h1, main [role=status]')) seen.shellAt ??= performance.now();
      const isCovered = document.querySelector('html[data-splash=shown]') !== null;
      if (document.querySelector('article h2, article h3') && !isCovered) seen.ventAt ??= performance.now();
      else requestAnimationFrame(() => setTimeout(look));
    };
    look();
  }, storage);
  return page;
}

/** A first visit as Lighthouse's phone makes it. */
const firstVisit = { slowdown: 4, latency: 150, bytesPerSecond: 1_600_000 / 8 } as const;

interface Asked {
  readonly path: string;
  /** After the first vent was painted, in ms; negative before. */
  readonly at: number;
}

/** All that a first visit asks for until some seconds after the first vent, the service worker's requests among it. */
async function requestsOf(site: Site, path: string): Promise<readonly Asked[]> {
  return withBrowser(async (browser) => {
    const page = await openPhone(browser, site);
    const sent = new Map<string, { readonly url: string; readonly wallTime: number }>();
    const watch = async (devtools: CDPSession, of: string) => {
      devtools.on('Network.requestWillBeSent', ({ requestId, request: { url }, wallTime }) => {
        if (url.startsWith('http')) sent.set(`${of} ${requestId}`, { url, wallTime });
      });
      // Preloaded a moment before, or cached.
      devtools.on('Network.requestServedFromCache', ({ requestId }) => sent.delete(`${of} ${requestId}`));
      devtools.on(
        'Network.responseReceived',
        ({ requestId, response }) =>
          (response.fromDiskCache || response.fromServiceWorker) && sent.delete(`${of} ${requestId}`),
      );
      await devtools.send('Network.enable');
    };
    browser.on('targetcreated', (target) => {
      if (target.type() === 'service_worker')
        void target.createCDPSession().then((devtools) => watch(devtools, 'worker'));
    });
    const devtools = await page.createCDPSession();
    await watch(devtools, 'page');
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: firstVisit.latency,
      downloadThroughput: firstVisit.bytesPerSecond,
      uploadThroughput: firstVisit.bytesPerSecond,
    });
    await page.emulateCPUThrottling(firstVisit.slowdown);
    await page.goto(`${site.origin}${path}`, { waitUntil: 'domcontentloaded' });
    await page.waitForFunction(() => (window as unknown as Partial<Watched>).seen?.ventAt !== undefined, {
      timeout: 60_000,
    });
    await pause(4000);
    const paintedAt = await page.evaluate(
      () => performance.timeOrigin + ((window as unknown as Watched).seen.ventAt ?? Number.NaN),
    );
    return [...sent.values()].map(({ url, wallTime }) => ({
      path: url.replace(site.origin, ''),
      at: wallTime * 1000 - paintedAt,
    }));
  });
}

/** Of each first page with vents: how many requests before the first one is painted, and in the second after it. */
async function countRequests(site: Site): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const path of ['/vents', '/']) {
    const all: (readonly Asked[])[] = [];
    for (let run = 0; run < runs; run += 1) all.push(await requestsOf(site, path));
    const spans = {
      'before the first vent': (at: number) => at <= 0,
      'in the second after it': (at: number) => at > 0 && at <= 1000,
    };
    for (const [name, isIn] of Object.entries(spans)) {
      const lists = all.map((asked) => asked.filter(({ at }) => isIn(at)));
      const middle = lists.toSorted((one, other) => one.length - other.length)[lists.length >> 1] ?? [];
      counts[`${path} ${name}`] = middle.length;
      console.log(`\n${path} ${name}: ${middle.length}`);
      for (const { path: file, at } of middle)
        console.log(`  ${String(Math.round(at)).padStart(6)} ms ${file}`);
    }
  }
  return counts;
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** The slowest answer to what is done, in ms; 16 where all were faster than the browser reports. */
async function answerTo(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => (window as unknown as Watched).seen.interactions.splice(0));
  await act();
  await pause(1500);
  return Math.max(16, ...(await page.evaluate(() => (window as unknown as Watched).seen.interactions)));
}

async function measureTaps(site: Site): Promise<Record<string, number>> {
  return withBrowser(async (browser) => {
    const page = await openPhone(browser, site);
    await page.goto(`${site.origin}/vents`);
    await page.waitForSelector('article');
    // The person reads first: what loads after the content is loaded.
    await pause(5000);
    await page.emulateCPUThrottling(slowdown);
    const tap = (selector: string) => async () => {
      const element = await page.waitForSelector(selector, { visible: true });
      await element?.evaluate((one) => one.scrollIntoView({ block: 'center' }));
      await pause(300);
      await element?.tap();
    };
    const taps: Record<string, number> = {};
    taps['react'] = await answerTo(page, tap('article button[aria-pressed=false]'));
    taps['open comments'] = await answerTo(page, tap('article button[aria-label^=Comments]'));
    const field = await page.waitForSelector('[role=dialog] textarea', { visible: true });
    await field?.tap();
    await pause(1500);
    taps['type a line'] = await answerTo(page, () => page.keyboard.type('I hear you.', { delay: 150 }));
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { hidden: true });
    taps['open the composer'] = await answerTo(page, tap('main section button[aria-expanded=false]'));
    // The bar at the bottom is away while somebody types.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.waitForSelector('nav[aria-label="Quick links"]', { visible: true });
    taps['change the tab'] = await answerTo(page, tap('nav[aria-label="Quick links"] a[href="/matches"]'));
    return taps;
  });
}

interface Visit {
  readonly shellAt: number;
  readonly ventAt: number;
}

/** A new start of the browser, with what the first visit left: files in the cache, a service worker, storage. */
async function visitAgain(site: Site, folder: string, isSlow: boolean): Promise<Visit> {
  return withBrowser(async (browser) => {
    const page = await openPhone(browser, site);
    if (isSlow) await page.emulateNetworkConditions(PredefinedNetworkConditions['Slow 3G']);
    else await page.emulateCPUThrottling(slowdown);
    // The address of the installed application's icon.
    await page.goto(`${site.origin}/`, { waitUntil: 'domcontentloaded' });
    const isRead = () => (window as unknown as Partial<Watched>).seen?.ventAt !== undefined;
    await page.waitForFunction(isRead, { timeout: 60_000 });
    const { shellAt = Number.NaN, ventAt = Number.NaN } = await page.evaluate(
      () => (window as unknown as Watched).seen,
    );
    return { shellAt, ventAt };
  }, folder);
}

async function measureVisits(site: Site) {
  const folder = mkdtempSync(`${tmpdir()}/phone-`);
  try {
    await withBrowser(async (browser) => {
      const page = await openPhone(browser, site);
      await page.goto(`${site.origin}/`);
      const isCached = async () => {
        const script = await (await fetch('/sw.js')).text();
        const { core } = JSON.parse(/= (\{"version".*\});/u.exec(script)?.[1] ?? '{}') as { core: string[] };
        const [name] = await caches.keys();
        const cached = name === undefined ? [] : await (await caches.open(name)).keys();
        return navigator.serviceWorker.controller !== null && cached.length >= core.length;
      };
      await page.waitForFunction(isCached, { polling: 500, timeout: 120_000 });
      await pause(3000);
    }, folder);
    const slow: Visit[] = [];
    const fromIcon: Visit[] = [];
    for (let run = 0; run < runs; run += 1) {
      slow.push(await visitAgain(site, folder, true));
      fromIcon.push(await visitAgain(site, folder, false));
    }
    const middle = (visits: readonly Visit[], name: keyof Visit) =>
      Math.round(median(visits.map((one) => one[name])));
    return {
      'second visit on slow 3G: the page': middle(slow, 'shellAt'),
      'second visit on slow 3G: a vent': middle(slow, 'ventAt'),
      'from the icon: the page': middle(fromIcon, 'shellAt'),
      'from the icon: a vent to read': middle(fromIcon, 'ventAt'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const site = await startSite();
try {
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  console.log(`median of ${runs} runs, load ${load}`);
  const figures: Record<string, Record<string, number>> = {};
  if (only.includes('requests')) {
    console.log(
      `\nRequests of a first visit, processor slowed ${firstVisit.slowdown} times, 1.6 Mbit/s (bars: 15 and 12):`,
    );
    figures['requests'] = await countRequests(site);
  }
  if (only.includes('requests') && against !== '') {
    const other = await startSite(against, 1);
    console.log(`\n${against}:`);
    try {
      await countRequests(other);
    } finally {
      await other.stop();
    }
  }
  if (only.includes('taps')) {
    const all: Record<string, number>[] = [];
    for (let run = 0; run < runs; run += 1) all.push(await measureTaps(site));
    const taps = Object.fromEntries(
      Object.keys(all[0] ?? {}).map((name) => [name, median(all.map((one) => one[name] ?? Number.NaN))]),
    );
    figures['taps'] = taps;
    console.log(`\nA tap answered, processor slowed ${slowdown} times (bar: 200 ms):`);
    for (const [name, value] of Object.entries(taps))
      console.log(
        `  ${name.padEnd(36)} ${value} ms${value > 200 ? ' (over)' : ''}   ${all.map((one) => one[name]).join(' ')}`,
      );
  }
  if (only.includes('visits')) {
    const visits = await measureVisits(site);
    figures['visits'] = visits;
    console.log(
      `\nThe second visit (bar: 1500 ms on slow 3G; from the icon the processor is slowed ${slowdown} times):`,
    );
    for (const [name, value] of Object.entries(visits)) console.log(`  ${name.padEnd(36)} ${value} ms`);
  }
  if (save) saveFigures('phone', { runs, load, ...figures });
} finally {
  await site.stop();
}
