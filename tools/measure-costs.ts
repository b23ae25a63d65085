/**
 * npm run measure:costs -- [--users 20000] [--vents 100000]: the CPU time of one call in the api, PostgreSQL and Redis, and
 * the bytes of one row on disk. Beside a write is what its rows cost bare: one prepared statement of the same driver for
 * each row, in a transaction of this process. Uses temporary stores, so that no other load is counted.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { cpuOf, cpuOfTree, measureCalls } from './cpu.ts';
import { readOptions } from '../testkit/options.ts';
import { killChildren } from '../testkit/child-processes.ts';
import { startServer } from '../testkit/server-process.ts';
import { startTempPostgres } from '../testkit/temp-postgres.ts';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { call, confirm, run, say, signIn, type Person } from './drills.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { users, vents } = readOptions({ users: 20_000, vents: 100_000 });
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
         from pg_stat_user_tables where n_live_tup > ${vents / 100} order by 1`,
    )
    .split('\n')
    .map((line) => line.split('|'));

  const { origin, child } = await startServer({ env: { ...process.env, ...env }, logFile: '/dev/null' });
  const costs: string[][] = [];
  async function cpuOfCalls(pid: number | undefined, count: number, one: (n: number) => Promise<unknown>) {
    const readCpu = () => [cpuOf(pid ?? 0).seconds, cpuOfTree(postgres.pid()), cpuOf(redis.pid()).seconds];
    for (let n = 0; n < 100; n += 1) await one(-1 - n);
    return (await measureCalls({ count, workers: 8, readCpu }, one)).cpuMs;
  }
  const bare = new pg.Pool({
    connectionString: postgres.url,
    max: 8,
    options: '-c plan_cache_mode=force_generic_plan',
  });
  /** A statement for each row, and what it takes. */
  type Rows = Readonly<Record<string, readonly unknown[]>>;
  const writeBare = async (rows: Rows) => {
    const client = await bare.connect();
    await client.query('begin');
    for (const [text, values] of Object.entries(rows))
      await client.query({ name: text.slice(0, 60), text, values: [...values] });
    await client.query('commit');
    client.release();
  };
  async function measure(
    name: string,
    count: number,
    one: (n: number) => Promise<unknown>,
    rowsOf?: (n: number) => Rows,
  ): Promise<void> {
    const cpuMs = await cpuOfCalls(child.pid, count, one);
    const spent = cpuMs.map((ms) => ms.toFixed(2));
    const bareMs = rowsOf && (await cpuOfCalls(process.pid, count, (n) => writeBare(rowsOf(n))));
    const times = (bareMs ?? [])
      .slice(0, 2)
      .map((ms, n) => `${ms.toFixed(2)} (${((cpuMs[n] ?? 0) / ms).toFixed(1)})`);
    costs.push([name, String(count), ...spent, ...(bareMs ? times : ['', ''])]);
    say(`${name}: ${spent.join(' ')}${bareMs ? `, bare ${times.join(' ')}` : ''}`);
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
  const keys = (count: number) => Array.from({ length: count }, () => randomBytes(16));
  await measure(
    'a vent',
    500,
    async (n) => {
      const { vent } = await call(randomPerson(), 'POST', '/api/vent/create', newVent(n));
      made.push((vent as { _id: string })._id);
    },
    (n) => {
      const id = 10_000_000 + n;
      const { title, text } = newVent(n);
      return {
        'insert into content.taken_slots (taken_key) values ($1)': keys(1),
        [`insert into content.vents (id, speaker, slot_key, emotion, title, body, created_at)
          values ($1, $2, $3, 'Sad', $4, $5, date_trunc('minute', now()))`]: [id, ...keys(2), title, text],
        'insert into content.vent_stats (vent_id) values ($1)': [id],
        [`insert into content.vent_search (vent_id, words)
          values ($1, to_tsvector('simple', content.folded($2)))`]: [id, `${title} ${text}`],
      };
    },
  );
  const { rows: newest } = await bare.query<{ id: string }>(
    'select id from content.vents order by id desc limit 500',
  );
  const anyVent = () => newest[randomInt(newest.length)]?.id;
  await measure(
    'a comment',
    500,
    () =>
      call(randomPerson(), 'POST', '/api/vent/comment', {
        ventId: made[randomInt(made.length)],
        text: 'I hear you',
      }),
    (n) => {
      const id = anyVent();
      return {
        'insert into content.taken_slots (taken_key) values ($1)': keys(1),
        'update content.vent_stats set comments = comments + 1 where vent_id = $1': [id],
        [`insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on)
          values ($1, $2, 'named', $3, $4, 'I hear you', current_date)`]: [id, 10_000 + n, ...keys(2)],
      };
    },
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
  await measure(
    'a reaction',
    500,
    () =>
      call(randomPerson(), 'POST', '/api/vent/react', {
        ventId: made[randomInt(made.length)],
        reactionType: 'hug',
      }),
    () => {
      const id = anyVent();
      return {
        "insert into content.reactions (vent_id, reactor_key, kind) values ($1, $2, 'hug')": [id, ...keys(1)],
        'update content.vent_stats set hug = hug + 1 where vent_id = $1': [id],
      };
    },
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
  await bare.end();
  const memory =
    Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

  console.log(
    '\n| call | times | api, ms | PostgreSQL, ms | Redis, ms | bare: driver, ms | bare: PostgreSQL, ms |\n| --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const row of costs) console.log(`| ${row.join(' | ')} |`);
  console.log('\n| table | bytes a row, with indexes | rows |\n| --- | --- | --- |');
  for (const row of sizes) console.log(`| ${row.join(' | ')} |`);
  console.log(`\nmemory of the api afterwards: ${memory.toFixed(0)} MB`);
} finally {
  await killChildren();
  await postgres.remove();
}
