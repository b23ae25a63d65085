import { execFileSync } from 'node:child_process';

/** What a script deletes before it ends. */

export function dropDatabase(url: string): void {
  const server = new URL(url);
  server.pathname = '/postgres';
  const statement = `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`;
  execFileSync('psql', [server.href, '-Xqc', statement], { stdio: 'ignore' });
}

/** The keys that a server with this prefix left in Redis. */
export function deleteKeys(redisUrl: string, prefix: string): void {
  const script = String.raw`redis-cli -u "$0" --scan --pattern "$1*" | xargs -r -d '\n' redis-cli -u "$0" del`;
  execFileSync('bash', ['-c', script, redisUrl, prefix], { stdio: 'ignore' });
}
