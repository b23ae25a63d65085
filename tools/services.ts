import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stopWithout } from '../testkit/options.ts';

/** URLs of PostgreSQL and Redis, found or started by services.sh. */

export interface Services {
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
}

let found: Services | undefined;

/** Ends the script where one of them cannot be reached. */
export function findServices(): Services {
  try {
    return (found ??= findBoth());
  } catch {
    return stopWithout('PostgreSQL or Redis cannot be reached: see DATABASE_URL and REDIS_URL');
  }
}

function findBoth(): Services {
  const printed = execFileSync('bash', [fileURLToPath(new URL('services.sh', import.meta.url))], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = printed.trim().split('\n');
  const { DATABASE_URL = '', REDIS_URL = '' } = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ) as Partial<Services>;
  // Those that are given may be gone.
  execFileSync('psql', [urlOfDatabase(DATABASE_URL, 'postgres'), '-wXqc', 'select 1'], { stdio: 'ignore' });
  execFileSync('redis-cli', ['-u', REDIS_URL, 'ping'], { stdio: 'ignore' });
  return { DATABASE_URL, REDIS_URL };
}

/** Another database of the same server. */
export function urlOfDatabase(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}
