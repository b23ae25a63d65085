import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request } from '@playwright/test';
import { Redis } from 'ioredis';
import { metricsPort, repo, testEnv } from '../test-env.ts';

/** Searches log, database, Redis and build for data that must not be stored there. */

export interface Canary {
  readonly phone: string;
  readonly codes: readonly string[];
  readonly token: string;
  /** Something a person wrote; only its own table may hold it. */
  readonly text: string;
  readonly textTable: string;
}

function spellings(canary: Canary): RegExp[] {
  const national = canary.phone.slice(3);
  const plain = [
    canary.phone,
    national,
    `${national.slice(0, 5)} ${national.slice(5)}`,
    canary.phone.slice(1),
  ];
  const hashed = ['md5', 'sha1', 'sha256'].flatMap((algorithm) =>
    [canary.phone, canary.phone.slice(1), national].flatMap((form) => {
      const digest = createHash(algorithm).update(form).digest();
      return [digest.toString('hex'), digest.toString('base64'), digest.toString('base64url')];
    }),
  );
  const encoded = [canary.phone, national, canary.token].flatMap((form) => [
    Buffer.from(form).toString('hex'),
    Buffer.from(form).toString('base64').replace(/=+$/u, ''),
  ]);
  const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  return [
    ...[...plain, ...hashed, ...encoded, canary.token].map((text) => new RegExp(escape(text), 'iu')),
    // A code is six digits. Part of a longer number or of the fraction of a second is a coincidence.
    ...canary.codes.map((code) => new RegExp(`(?<![0-9.])${code}(?![0-9])`, 'u')),
  ];
}

async function readRedis(): Promise<string> {
  const redis = new Redis(testEnv.redisUrl);
  const lines: string[] = [];
  for (const key of await redis.keys(`${testEnv.redisPrefix}*`)) {
    const type = await redis.type(key);
    lines.push(key);
    if (type === 'string') lines.push((await redis.get(key)) ?? '');
    else if (type === 'hash') lines.push(JSON.stringify(await redis.hgetall(key)));
    else if (type === 'zset') lines.push(...(await redis.zrange(key, '0', '-1')));
    else if (type === 'set') lines.push(...(await redis.smembers(key)));
    else lines.push(`unread: ${type}`);
  }
  await redis.quit();
  return lines.join('\n');
}

function readFiles(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:br|gz|woff2)$/u.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

/** All databases: one, or one for each schema. */
const dumpAll = () =>
  testEnv.ownerUrls
    .map((url) => execFileSync('pg_dump', ['--no-owner', url], { encoding: 'utf8', maxBuffer: 1 << 28 }))
    .join('\n');

/** The dump without the rows of one table. */
function withoutTable(dump: string, table: string): string {
  const begin = dump.indexOf(`COPY ${table} `);
  return begin < 0 ? dump : dump.slice(0, begin) + dump.slice(dump.indexOf('\n\\.\n', begin));
}

export async function sweep(canary: Canary, dist = `${repo}web/dist`): Promise<string[]> {
  const dump = dumpAll();
  const places = {
    log: readFileSync(testEnv.log, 'utf8'),
    dump,
    redis: await readRedis(),
    built: readFiles(dist),
  };
  const hits: string[] = [];
  for (const [place, content] of Object.entries(places)) {
    if (content.length === 0) hits.push(`${place} is empty, so nothing was searched`);
    for (const pattern of spellings(canary))
      if (pattern.test(content)) hits.push(`${place}: ${pattern.source}`);
    const elsewhere = place === 'dump' ? withoutTable(content, canary.textTable) : content;
    if (elsewhere.includes(canary.text)) hits.push(`${place}: the text`);
  }
  return hits;
}

/** Words that a stored or sent trace of the crisis card would have: its name, its parts, its helplines. */
const cardWords =
  /crisis|dismiss|hidden[A-Z_-]|someone.?else|self.?harm(?!"\} 0)|suicid|helpline|tele.?manas|(?<![\da-f])14416(?![\da-f])|grounding|urgent/iu;

/** What a browser keeps of one person's visit, as one text for each place. */
async function readBrowser(page: Page): Promise<Record<string, string>> {
  const cookies = JSON.stringify(await page.context().cookies());
  const kept = await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const cached: string[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const { url } of await cache.keys()) cached.push(`${name} ${url}`);
    }
    // A browser gives the keys in any order.
    const inOrder = (storage: Storage) => JSON.stringify(Object.entries(storage).toSorted());
    return {
      localStorage: inOrder(localStorage),
      sessionStorage: inOrder(sessionStorage),
      indexedDB: JSON.stringify(databases),
      // The files of a release, the same for everybody, may have these words in their names.
      caches: JSON.stringify(cached.filter((one) => !one.includes('/assets/'))),
      'history.state': JSON.stringify(history.state),
      'window.name': window.name,
      title: document.title,
      url: location.href,
    };
  });
  return { ...kept, cookies };
}

/** Ids, times and tokens differ by visit. What is left is the shape of what was kept. */
const shapeOf = (text: string) =>
  text
    // Random: they may have no digit.
    .replaceAll(/"(key|by|of)":"\w+"/gu, '"$1":"*"')
    .replaceAll(/\/avatars\/[\w-]+\.svg/gu, '/avatars/*.svg')
    .replaceAll(/[\w-]*\d[\w-]*|[A-Za-z_-]{16,}|\p{Uppercase}[\w-]{9,}/gu, '*')
    .replaceAll(/\*+/gu, '*');

export interface Visit {
  readonly kept: Record<string, string>;
  /** Method, path and body of every request, the files of the release included. */
  readonly sent: readonly string[];
  readonly logged: readonly string[];
  readonly counted: readonly string[];
}

const readLog = () => readFileSync(testEnv.log, 'utf8');

async function readMetrics(): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort(testEnv.port)}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith('unsaid_'));
}

/** The body without the spaces that fill it up (lengths.spec.ts). */
const describeRequest = (request: Request) => {
  const { pathname } = new URL(request.url());
  return `${request.method()} ${pathname} ${request.postData()?.trimEnd() ?? ''}`;
};

/** Makes a visit and records all that it left behind, in the browser and on the server. */
export async function recordVisit(page: Page, visit: () => Promise<void>): Promise<Visit> {
  const sent: string[] = [];
  const record = (request: Request) => sent.push(describeRequest(request));
  page.on('request', record);
  const logBefore = readLog().length;
  const countedBefore = new Set(await readMetrics());
  await visit();
  page.off('request', record);
  return {
    sent,
    kept: await readBrowser(page),
    logged: readLog().slice(logBefore).split('\n').filter(Boolean),
    counted: (await readMetrics()).filter((line) => !countedBefore.has(line)),
  };
}

/** Places where a visit left a word of the card. */
export async function sweepForCard({ kept, sent, logged, counted }: Visit): Promise<string[]> {
  const dump = dumpAll();
  const places: Record<string, readonly string[]> = {
    ...Object.fromEntries(Object.entries(kept).map(([place, text]) => [place, [text]])),
    requests: sent.filter((one) => !one.startsWith('GET /assets/')),
    log: logged,
    metrics: counted,
    redis: (await readRedis()).split('\n'),
    // What people wrote is in two tables; other journeys write there too.
    dump: ['content.vents', 'content.comments', 'content.vent_search'].reduce(withoutTable, dump).split('\n'),
  };
  return Object.entries(places).flatMap(([place, lines]) =>
    lines
      // A reason of reports, which a reporter chose.
      .filter((line) => cardWords.test(line.replaceAll('encourages_self_harm', '')))
      .map((line) => `${place}: ${line}`),
  );
}

/** What differs between two visits that did the same, apart from ids, times and the words written. */
export function compareVisits(one: Visit, other: Visit, words: readonly string[]): string[] {
  const plain = (text: string) => words.reduce((left, word) => left.replaceAll(word, '<words>'), text);
  const shapes = (visit: Visit): Record<string, string> => ({
    ...Object.fromEntries(Object.entries(visit.kept).map(([place, text]) => [place, shapeOf(plain(text))])),
    // A page that is slow may ask again for what it reads. What it writes is counted, but for the live connection: that
    // follows a beat of its own (live-schedule.test.ts).
    requests: visit.sent
      .filter((text) => !text.includes(' /api/live/'))
      .map((text) => (text.startsWith('GET /assets/') ? text : shapeOf(plain(text))))
      .filter((text, index, all) => !text.startsWith('GET ') || all.indexOf(text) === index)
      .toSorted()
      .join('\n'),
    // Which calls were logged and with which fields. Files may come from the browser's cache or not.
    log: visit.logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => /^\/api\/(?!live\/)/u.test(String(line['route'])))
      .map((line) => JSON.stringify([line['route'], line['status'], Object.keys(line).toSorted()]))
      .filter((line, index, all) => all.indexOf(line) === index)
      .toSorted()
      .join('\n'),
    metrics: [...new Set(visit.counted.map((line) => line.replace(/ [^ ]+$/u, '')))]
      // Jobs run by the clock, and a cache is hit or missed by it.
      .filter((name) => !/^unsaid_(?:live|job|cache)_|\/api\/live\//u.test(name))
      .filter((name) => /_total/u.test(name))
      .toSorted()
      .join('\n'),
  });
  const [left, right] = [shapes(one), shapes(other)];
  return Object.keys(left)
    .filter((place) => left[place] !== right[place])
    .map((place) => `${place}:\n${left[place]}\n---\n${right[place]}`);
}
