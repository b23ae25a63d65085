/**
 * npm run build && npm run lighthouse: Lighthouse audits of the first pages, as a mid-range phone on a slow connection
 * loads them from the built web on our own server, in turns with two pages that are the floor: the feed without any
 * script, and the same rendered by react-dom alone. Scores depend on the machine, so they are printed; counts, bytes and
 * the ratio to the floor decide. --runs 5; --only /vents,/inbox; --against <checkout> measures another built checkout in
 * the same turns; --save writes docs/data/phone.json.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { brotliCompressSync } from 'node:zlib';
import lighthouse, { type Flags, type RunnerResult } from 'lighthouse';
import { readOptions } from '../testkit/options.ts';
import { median, needBrowser, saveFigures, startSite, withBrowser, type Site } from './measuring.ts';
import { repo } from './test-env.ts';

const {
  runs,
  only: paths,
  against,
  save,
} = readOptions({
  runs: 5,
  only: ['/login', '/vents', '/matches', '/inbox', '/'],
  against: '',
  save: false,
});
needBrowser();

type Lhr = RunnerResult['lhr'];

interface NetworkRequest {
  readonly networkRequestTime: number;
  readonly transferSize: number;
  readonly resourceType: string;
}

const score = (category: string) => (lhr: Lhr) => Math.round((lhr.categories[category]?.score ?? 0) * 100);
const audit = (id: string) => (lhr: Lhr) => lhr.audits[id]?.numericValue ?? Number.NaN;
function itemsOf(lhr: Lhr, id: string): readonly unknown[] {
  const { details } = lhr.audits[id] ?? {};
  return details && 'items' in details ? details.items : [];
}

/** What was asked for before the largest paint, as it was loaded here. */
function beforeLargestPaint(lhr: Lhr): readonly NetworkRequest[] {
  const [metrics] = itemsOf(lhr, 'metrics') as readonly { observedLargestContentfulPaint: number }[];
  const requests = itemsOf(lhr, 'network-requests') as readonly NetworkRequest[];
  const paintedAt = metrics?.observedLargestContentfulPaint ?? 0;
  return requests.filter(({ networkRequestTime }) => networkRequestTime <= paintedAt);
}
const bytesOf = (all: readonly NetworkRequest[]) =>
  all.reduce((sum, { transferSize }) => sum + transferSize, 0);

interface Figure {
  readonly name: string;
  readonly read: (lhr: Lhr) => number;
  readonly show?: (value: number) => string;
  readonly isMet?: (value: number) => boolean;
}
const inMs = (value: number) => `${Math.round(value)} ms`;
const inKb = (value: number) => `${(value / 1000).toFixed(1)} kB`;

const figures: readonly Figure[] = [
  { name: 'performance', read: score('performance') },
  { name: 'accessibility', read: score('accessibility'), isMet: (value) => value === 100 },
  { name: 'best practices', read: score('best-practices'), isMet: (value) => value >= 95 },
  {
    name: 'CLS',
    read: audit('cumulative-layout-shift'),
    show: (value) => value.toFixed(3),
    isMet: (value) => value < 0.0005,
  },
  { name: 'FCP', read: audit('first-contentful-paint'), show: inMs },
  { name: 'LCP', read: audit('largest-contentful-paint'), show: inMs },
  { name: 'TBT', read: audit('total-blocking-time'), show: inMs },
  { name: 'main thread', read: audit('mainthread-work-breakdown'), show: inMs },
  { name: 'requests', read: (lhr) => beforeLargestPaint(lhr).length, isMet: (value) => value <= 30 },
  {
    name: 'bytes',
    read: (lhr) => bytesOf(beforeLargestPaint(lhr)),
    show: inKb,
    isMet: (value) => value <= 270_000,
  },
];

/** The most that a page may take, over the same rendered by react-dom alone in the same run. A busy machine stretches CPU. */
const ratios = { LCP: 1.6, 'main thread': Infinity } as const;

const floors = ['without scripts', 'react-dom alone'] as const;

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
async function measure(url: string, storage: Site['storage'], extra: Flags): Promise<Lhr> {
  for (let turn = 0; turn < 3; turn += 1) {
    const lhr = await measureOnce(url, storage, extra);
    if (!lhr.runtimeError) return lhr;
  }
  throw new Error(`${url} could not be measured`);
}

async function measureOnce(url: string, storage: Site['storage'], extra: Flags): Promise<Lhr> {
  return withBrowser(async (browser) => {
    const page = await browser.newPage();
    await page.evaluateOnNewDocument((storage) => {
      if (!location.protocol.startsWith('http')) return;
      // The splash lasts five seconds by design, once on a device. The audit is about the page behind it.
      sessionStorage.setItem('unsaid.splash', 'seen');
      for (const [key, value] of Object.entries(storage)) localStorage.setItem(key, value);
    }, storage);
    // The profile is new: nothing has to be cleared, and the token stays.
    const flags: Flags = { logLevel: 'error', disableStorageReset: true, ...extra };
    const result = await lighthouse(url, flags, undefined, page);
    if (!result) throw new Error(`no result for ${url}`);
    if (result.lhr.runtimeError) return result.lhr;
    const shown = result.lhr.finalDisplayedUrl;
    if (shown !== url) throw new Error(`asked for ${url}, was shown ${shown}`);
    return result.lhr;
  });
}

/** Serves the floor beside everything of a site. */
async function startFloor(site: Site): Promise<{ readonly server: Server; readonly origin: string }> {
  const folder = mkdtempSync(`${tmpdir()}/floor-`);
  execFileSync(process.execPath, [`${repo}web/scripts/build-floor.ts`, folder]);
  const { head, body } = await withBrowser(async (browser) => {
    const page = await browser.newPage();
    await page.evaluateOnNewDocument((storage) => {
      sessionStorage.setItem('unsaid.splash', 'seen');
      for (const [key, value] of Object.entries(storage)) localStorage.setItem(key, value);
    }, site.storage);
    await page.goto(`${site.origin}/vents`);
    await page.waitForSelector('article');
    return page.evaluate(() => {
      for (const script of document.querySelectorAll('script, link[rel=modulepreload]')) script.remove();
      for (const style of document.querySelectorAll('body > link')) document.head.append(style);
      const body = document.getElementById('root')?.innerHTML ?? '';
      return { head: document.head.innerHTML, body };
    });
  });
  const pageOf = (content: string, more = '') =>
    `<!doctype html><html lang="en" data-scheme="light"><head>${more}${head}</head><body>${content}</body></html>`;
  const script = readFileSync(`${folder}/floor.js`, 'utf8');
  rmSync(folder, { recursive: true });
  const files: Record<string, readonly [type: string, text: string]> = {
    '/without-scripts': ['text/html', pageOf(`<div id="root">${body}</div>`)],
    '/react-dom-alone': [
      'text/html',
      pageOf(
        `<div id="root"></div><template id="markup">${body}</template><script type="module" src="/floor.js"></script>`,
        '<link rel="modulepreload" href="/floor.js">',
      ),
    ],
    '/floor.js': ['text/javascript', script],
  };
  const server = createServer((incoming, outgoing) => {
    const file = files[incoming.url ?? ''];
    if (file) {
      const [type, text] = file;
      const headers = { 'content-type': `${type}; charset=utf-8`, 'content-encoding': 'br' };
      outgoing.writeHead(200, headers).end(brotliCompressSync(text));
      return;
    }
    const { method, headers } = incoming;
    const passed = request(
      `${site.origin}${incoming.url}`,
      { method: method ?? 'GET', headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` };
}

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

interface Subject {
  readonly name: string;
  readonly url: string;
  readonly storage: Site['storage'];
  /** Of this checkout, and not a floor. */
  readonly isOurs: boolean;
}

const sites: Site[] = [];
let floor: Awaited<ReturnType<typeof startFloor>> | undefined;
try {
  for (const [place, checkout] of [repo, ...(against === '' ? [] : [against])].entries())
    sites.push(await startSite(checkout, place));
  const [own] = sites;
  if (!own) throw new Error('no site');
  floor = await startFloor(own);
  const { origin: floorOrigin } = floor;
  const nothing = {};
  const subjects: readonly Subject[] = [
    ...floors.map((name) => ({
      name,
      url: `${floorOrigin}/${name.replaceAll(' ', '-')}`,
      storage: nothing,
      isOurs: false,
    })),
    ...paths.flatMap((path) =>
      sites.map(({ origin, storage }, place) => ({
        name: place === 0 ? path : `${path} of ${against}`,
        url: origin + path,
        storage: path === '/login' ? nothing : storage,
        isOurs: place === 0,
      })),
    ),
  ];
  const timed = new Map<string, Lhr[]>(subjects.map(({ name }) => [name, []]));
  const looked = new Map<string, Lhr>();
  for (const { name, url, storage, isOurs } of subjects)
    if (isOurs) looked.set(name, await measure(url, storage, forAccessibility));
  // In turns, so that a change of the machine's speed meets all of them.
  for (let run = 0; run < runs; run += 1)
    for (const { name, url, storage } of subjects)
      timed.get(name)?.push(await measure(url, storage, forSpeed));

  const valuesOf = (name: string, figure: Figure) => {
    const seen = figure.name === 'accessibility' ? looked.get(name) : undefined;
    return seen ? [figure.read(seen)] : (timed.get(name) ?? []).map(figure.read);
  };
  const figureOf = (name: string) => figures.find((one) => one.name === name) as Figure;
  const table: Record<string, Record<string, string>> = {};
  const saved: Record<string, Record<string, number>> = {};
  const missed = (isMissed: boolean) => {
    if (isMissed) process.exitCode = 1;
    return isMissed ? ' (missed)' : '';
  };
  for (const { name, isOurs } of subjects) {
    const row: Record<string, string> = (table[name] = {});
    const numbers: Record<string, number> = (saved[name] = {});
    for (const figure of figures) {
      if (figure.name === 'accessibility' && !isOurs) continue;
      const all = valuesOf(name, figure);
      const value = median(all);
      const show = figure.show ?? String;
      numbers[figure.name] = Math.round(value * 1000) / 1000;
      row[figure.name] = show(value) + missed(isOurs && figure.isMet?.(value) === false);
      if (runs > 1 && ['performance', 'LCP', 'TBT'].includes(figure.name))
        row[`${figure.name}, all`] = all.map(Math.round).join(' ');
    }
    if (!isOurs) continue;
    for (const [figure, most] of Object.entries(ratios)) {
      const ratio =
        median(valuesOf(name, figureOf(figure))) / median(valuesOf('react-dom alone', figureOf(figure)));
      numbers[`${figure} over react-dom`] = Math.round(ratio * 100) / 100;
      row[`${figure} over react-dom`] = ratio.toFixed(2) + missed(ratio > most);
    }
  }
  console.log(`Lighthouse, mobile, median of ${runs} runs in turns, each in a new browser:`);
  for (const [name, row] of Object.entries(table)) {
    console.log(`\n${name}`);
    for (const [figure, value] of Object.entries(row)) console.log(`  ${figure.padEnd(26)} ${value}`);
  }
  // Speed is simulated from this machine's own; the simulation expects an index of about 1,000 or more.
  const benchmarkIndex = Math.round(
    median([...timed.values()].flat().map(({ environment }) => environment.benchmarkIndex)),
  );
  const load = loadavg().map((one) => Math.round(one * 10) / 10);
  console.log(`\nbenchmark index of this machine: ${benchmarkIndex}; load: ${load.join(', ')}`);
  for (const fault of new Set(
    [...looked, ...[...timed].flatMap(([name, all]) => all.map((one) => [name, one] as const))].flatMap(
      ([name, lhr]) =>
        subjects.find((one) => one.name === name)?.isOurs
          ? faultsOf(lhr).map((fault) => `${name} ${fault}`)
          : [],
    ),
  ))
    console.log(fault);
  if (save)
    saveFigures('lighthouse', {
      runs,
      benchmarkIndex,
      load: load[0],
      pages: Object.fromEntries(Object.entries(saved).filter(([name]) => !name.includes(' of '))),
    });
} finally {
  floor?.server.closeAllConnections();
  floor?.server.close();
  for (const { stop } of sites) await stop();
}
