import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** URLs of PostgreSQL and Redis, found or started by services.sh. */

export interface Services {
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
}

export function findServices(): Services {
  const found = execFileSync('bash', [fileURLToPath(new URL('services.sh', import.meta.url))], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = found.trim().split('\n');
  const { DATABASE_URL, REDIS_URL } = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ) as Partial<Services>;
  if (!DATABASE_URL || !REDIS_URL)
    throw new Error('tools/services.sh printed no DATABASE_URL or no REDIS_URL');
  return { DATABASE_URL, REDIS_URL };
}

/** Another database of the same server. */
export function urlOfDatabase(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}
