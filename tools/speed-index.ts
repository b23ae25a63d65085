/**
 * npm run speed: how fast this machine is now, so that times of two machines, or of one machine on two days, can be
 * compared. A fixed piece of work runs on both cores at once, in Node (parsing, hashing, sorting) and in PostgreSQL
 * (small statements that insert, read and sort, as the tests send them). 1.00 is the machine on which the limits of CI
 * were set: at 0.50 everything takes twice as long. It judges nothing; it stands beside the times.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import pg from 'pg';
import { readOptions, stopWithout } from '../testkit/options.ts';

const cores = 2;
/** What the work takes on the reference machine, in milliseconds. */
const reference: Times = { node: 1000, postgres: 1400 };

function workInNode(): number {
  const begunAt = performance.now();
  const people = Array.from({ length: 400 }, (_, n) => ({
    n,
    name: `person ${n}`,
    words: `${n} `.repeat(40),
  }));
  for (let round = 0; round < 1500; round += 1) {
    const copy = JSON.parse(JSON.stringify(people)) as typeof people;
    const hash = createHash('sha256');
    for (const { name } of copy.toSorted((a, b) => a.words.localeCompare(b.words, 'en'))) hash.update(name);
    hash.digest();
  }
  return performance.now() - begunAt;
}

async function workInPostgres(): Promise<number> {
  const client = new pg.Client({
    connectionString:
      process.env['DATABASE_URL']?.replace(/\/unsaid\b/u, '/postgres') ?? 'postgres:///postgres',
  });
  await client.connect();
  const begunAt = performance.now();
  await client.query('create temp table speed (id bigint primary key, body text not null)');
  for (let n = 0; n < 3000; n += 1) {
    await client.query({
      name: 'insert',
      text: 'insert into speed select $1::bigint * 10 + k, md5(k::text) from generate_series(1, 5) k',
      values: [n],
    });
    await client.query({
      name: 'select',
      text: 'select id, body from (select * from speed order by id desc limit 50) newest order by body limit 5',
    });
  }
  await client.end();
  return performance.now() - begunAt;
}

interface Times {
  readonly node: number;
  readonly postgres: number;
}

async function measureOnEachCore(): Promise<Times[]> {
  const measureOne = async () => {
    const worker = new Worker(new URL(import.meta.url));
    const [times] = (await once(worker, 'message')) as [Times];
    return times;
  };
  return Promise.all(Array.from({ length: cores }, measureOne));
}

if (isMainThread) {
  readOptions({});
  const times = await measureOnEachCore().catch(() =>
    stopWithout('PostgreSQL cannot be reached: see DATABASE_URL'),
  );
  const indexOf = (part: keyof Times) => reference[part] / Math.max(...times.map((one) => one[part]));
  const [node, postgres] = [indexOf('node'), indexOf('postgres')];
  console.log(
    `speed index ${Math.sqrt(node * postgres).toFixed(2)} (Node ${node.toFixed(2)}, PostgreSQL ${postgres.toFixed(2)})`,
  );
} else {
  const node = workInNode();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a worker has no origin
  parentPort?.postMessage({ node, postgres: await workInPostgres() });
}
