import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { repo, testEnv } from '../test-env.ts';

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

/** The dump without the rows of one table. */
function withoutTable(dump: string, table: string): string {
  const begin = dump.indexOf(`COPY ${table} `);
  return begin < 0 ? dump : dump.slice(0, begin) + dump.slice(dump.indexOf('\n\\.\n', begin));
}

export async function sweep(canary: Canary, dist = `${repo}web/dist`): Promise<string[]> {
  const dump = execFileSync('pg_dump', ['--no-owner', testEnv.databaseUrl], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
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
