/**
 * npm run costs: what one call costs, in CPU of the api, of PostgreSQL and of Redis, and what one row costs on disk.
 * The stores are its own, so that nobody else's work is counted. docs/scale.md is reckoned from what it prints.
 */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuOf, cpuOfFamily, measureCalls } from './cpu.ts';
import { freePort } from '../server/test/free-port.ts';
import { call, confirm, run, say, signIn, start, startServer, type Person } from './drills.ts';
import * as postgres from './throwaway-cluster.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [users, vents] = [20_000, 100_000];

try {
  const data = join(postgres.folder, 'data');
  postgres.initCluster(data);
  const cluster = await postgres.startCluster(data);
  const redisPort = await freePort();
  const redis = start([
    'redis-server',
    '--port',
    String(redisPort),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ]);
  redis.stdout?.resume();
  const outboxFile = join(postgres.folder, 'outbox.jsonl');
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: postgres.databaseUrl,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    REDIS_TIMEOUT_MS: '2000',
    SMS_OUTBOX_FILE: outboxFile,
    LIMITS_SCALE: '100000',
    SERVICES: 'api',
    LOG_LEVEL: 'info',
  };
  run([process.execPath, `${root}server/src/bin/migrate.ts`], env);
  run(
    [process.execPath, `${root}server/src/bin/seed.ts`, '--users', String(users), '--vents', String(vents)],
    env,
  );
  postgres.query('vacuum analyze');
  say(`${users} people, ${vents} vents`);
  const sizes = postgres
    .query(
      `select schemaname || '.' || relname, pg_total_relation_size(relid) / greatest(n_live_tup, 1), n_live_tup
         from pg_stat_user_tables where n_live_tup > 1000 order by 1`,
    )
    .split('\n')
    .map((line) => line.split('|'));

  const { origin, child } = await startServer(root, env);
  const costs: string[][] = [];
  const readCpu = () => [
    cpuOf(child.pid ?? 0).seconds,
    cpuOfFamily(cluster.pid ?? 0),
    cpuOf(redis.pid ?? 0).seconds,
  ];
  async function measure(name: string, count: number, one: (n: number) => Promise<unknown>): Promise<void> {
    for (let n = 0; n < 3; n += 1) await one(-1 - n);
    const { cpuMs } = await measureCalls({ count, workers: 8, readCpu }, one);
    const spent = cpuMs.map((ms) => ms.toFixed(2));
    costs.push([name, String(count), ...spent]);
    say(`${name}: ${spent.join(' ')}`);
  }

  const people: (Person & { readonly phone: string })[] = [];
  await measure('signing in, both calls', 150, async () => {
    const phone = `+9198${randomInt(10_000_000, 99_999_999)}`;
    people.push({ ...(await signIn(origin, phone, outboxFile)), phone });
  });
  const somebody = () => people[randomInt(people.length)] as Person;
  const made: string[] = [];
  const say1 = (n: number) => ({
    title: `Cost ${n}`,
    text: `What does it cost to say this? ${n} `.repeat(6),
    emotion: 'Sad',
  });
  await measure('the feed, kept for a second', 3000, () => call(somebody(), 'GET', '/api/vent/all'));
  await measure('the feed, made anew', 1500, () => call(somebody(), 'GET', '/api/vent/all?limit=9'));
  await measure('a vent', 500, async (n) => {
    const { vent } = await call(somebody(), 'POST', '/api/vent/create', say1(n));
    made.push((vent as { _id: string })._id);
  });
  await measure('a comment', 500, () =>
    call(somebody(), 'POST', '/api/vent/comment', {
      ventId: made[randomInt(made.length)],
      text: 'I hear you',
    }),
  );
  await measure('a comment as Anonymous', 500, () =>
    call(somebody(), 'POST', '/api/vent/comment', {
      ventId: made[randomInt(made.length)],
      text: 'I hear you',
      anonymous: true,
    }),
  );
  const confirmed = people.slice(0, 10);
  for (const person of confirmed) await confirm(person, person.phone, outboxFile);
  await measure('an export', 300, () =>
    call(confirmed[randomInt(confirmed.length)] as Person, 'GET', '/api/auth/export'),
  );
  await measure('a reaction', 500, () =>
    call(somebody(), 'POST', '/api/vent/react', {
      ventId: made[randomInt(made.length)],
      reactionType: 'hug',
    }),
  );
  await measure('a search', 300, () => call(somebody(), 'GET', '/api/vent/search?query=cost'));
  for (const person of people)
    await call(person, 'PUT', '/api/auth/update-details', { feelings: ['Anxious', 'Sad'] });
  let asking = 0;
  await measure('suggestions, the first time', 100, () =>
    call(people[asking++ % people.length] as Person, 'GET', '/api/match/suggestions'),
  );
  await measure('suggestions, again', 500, () =>
    call(people[randomInt(90)] as Person, 'GET', '/api/match/suggestions'),
  );
  const memory =
    Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

  console.log('\n| call | times | api, ms | PostgreSQL, ms | Redis, ms |\n| --- | --- | --- | --- | --- |');
  for (const row of costs) console.log(`| ${row.join(' | ')} |`);
  console.log('\n| table | bytes a row, with indexes | rows |\n| --- | --- | --- |');
  for (const row of sizes) console.log(`| ${row.join(' | ')} |`);
  console.log(`\nthe api's memory after all of it: ${memory.toFixed(0)} MB`);
} finally {
  await postgres.cleanUp();
}
