/**
 * npm run bench:replace-key -- [--vents 100000]
 * How long it takes to replace a leaked master key, on a copy of the database of `npm run bench`. Prints what the command
 * prints: rows a second of each part, and for how long nothing could be written.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from '../server/src/config.ts';
import { psql } from './lib/psql.ts';
import { copyDatabase, dropDatabase, nameOf, prepareVents, services, urlOf } from './lib/vent-databases.ts';

const { values } = parseArgs({ options: { vents: { type: 'string', default: '100000' } } });
const vents = Number(values.vents);
await prepareVents([vents], { isFresh: false });
const name = `unsaid_bench_replace_${process.pid}`;
copyDatabase(nameOf(vents), name);
try {
  const count = (table: string) => psql(urlOf(name), `select count(*) from ${table}`);
  for (const table of ['identity.users', 'content.vents', 'content.comments', 'content.reactions'])
    console.log(`${table}: ${count(table)} rows`);
  const [leaked] = readConfig({ NODE_ENV: 'test' }).masterKeys;
  const ring = `2:${randomBytes(32).toString('base64')},1:${leaked?.bytes.toString('base64')}:retired`;
  const keys = fileURLToPath(new URL('../server/src/bin/keys.ts', import.meta.url));
  execFileSync(process.execPath, [keys, 'replace'], {
    stdio: 'inherit',
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      DATABASE_URL: urlOf(name),
      REDIS_URL: services.REDIS_URL,
      REDIS_PREFIX: `${name}:`,
      MASTER_KEYS: ring,
    },
  });
} finally {
  dropDatabase(name);
}
