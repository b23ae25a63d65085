/**
 * npm run measure:costs: the CPU time of one call in the api, PostgreSQL and Redis, and the bytes of one row on disk. Uses temporary
 * stores, so that no other load is counted. docs/capacity.md is computed from its output.
 */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuOf, cpuOfTree, measureCalls } from './cpu.ts';
import { killChildren } from '../testkit/child-processes.ts';
import { startServer } from '../testkit/server-process.ts';
import { startTempPostgres } from '../testkit/temp-postgres.ts';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { call, confirm, run, say, signIn, type Person } from './drills.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [users, vents] = [20_000, 100_000];
const postgres = await startTempPostgres({ user: 'unsaid', settings: [] });

try {
  const redis = await startTempRedis();
  const outboxFile = join(postgres.folder, 'outbox.jsonl');
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    REDIS_TIMEOUT_MS: '2000',
    SMS_OUTBOX_FILE: outboxFile,
    LIMITS_SCALE: '100000',
    SERVICES: 'api',
    LOG_LEVEL: 'info',
    SEED_TEXTS: 'benchmark',
  };
  run([process.execPath, `${root}server/src/bin/migrate.ts`], env);
  run(
    [process.execPath, `${root}server/seed/main.ts`, '--users', String(users), '--vents', String(vents)],
    env,
  );
  postgres.sql('vacuum analyze');
  say(`${users} people, ${vents} vents`);
  const sizes = postgres
    .sql(
      `select schemaname || '.' || relname, pg_total_relation_size(relid) / greatest(n_live_tup, 1), n_live_tup
         from pg_stat_user_tables where n_live_tup > 1000 order by 1`,
    )
    .split('\n')
    .map((line) => line.split('|'));

  const { origin, child } = await startServer({ env: { ...process.env, ...env }, logFile: '/dev/null' });
  const costs: string[][] = [];
  const readCpu = () => [
    cpuOf(child.pid ?? 0).seconds,
    cpuOfTree(postgres.pid()),
    cpuOf(redis.pid()).seconds,
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
  const randomPerson = () => people[randomInt(people.length)] as Person;
  const made: string[] = [];
  const newVent = (n: number) => ({
    title: `Cost ${n}`,
    text: `What does it cost to say this? ${n} `.repeat(6),
    emotion: 'Sad',
  });
  await measure('the feed, cached', 3000, () => call(randomPerson(), 'GET', '/api/vent/all'));
  await measure('the feed, uncached', 1500, () => call(randomPerson(), 'GET', '/api/vent/all?limit=9'));
  await measure('a vent', 500, async (n) => {
    const { vent } = await call(randomPerson(), 'POST', '/api/vent/create', newVent(n));
    made.push((vent as { _id: string })._id);
  });
  await measure('a comment', 500, () =>
    call(randomPerson(), 'POST', '/api/vent/comment', {
      ventId: made[randomInt(made.length)],
      text: 'I hear you',
    }),
  );
  await measure('a comment as Anonymous', 500, () =>
    call(randomPerson(), 'POST', '/api/vent/comment', {
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
    call(randomPerson(), 'POST', '/api/vent/react', {
      ventId: made[randomInt(made.length)],
      reactionType: 'hug',
    }),
  );
  await measure('a search', 300, () => call(randomPerson(), 'GET', '/api/vent/search?query=cost'));
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
  console.log(`\nmemory of the api afterwards: ${memory.toFixed(0)} MB`);
} finally {
  await killChildren();
  await postgres.remove();
}
