import { loadavg } from 'node:os';
import { getSelf, listInbox, markInboxSeen, ventsSince, type Endpoint } from '@unsaid/contract';
import { readConfig } from '../../server/src/config.ts';
import { buildDeps } from '../../server/src/deps.ts';
import type { ContentDb } from '../../server/src/platform/db.ts';
import { preparedSql } from '../../server/src/platform/prepared-sql.ts';
import type { Person } from '../../server/src/kernel/person-keys.ts';
import { cpuOf, measureCalls } from '../../tools/cpu.ts';
import { findServices } from '../../tools/services.ts';
import { createClient, percentile, type Client } from '../lib/client.ts';
import { createBackendMeter } from '../lib/cpu-meters.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { findAccount } from '../lib/open-sessions.ts';
import { psql } from '../lib/psql.ts';
import { grouped, type BenchContext, type Section } from '../lib/section.ts';
import { signIn, startTestServer } from '../lib/test-server.ts';
import { copyDatabase, dropDatabase, nameOf, urlOf } from '../lib/vent-databases.ts';

/**
 * The inbox of people with 1, 100 and 5,000 vents and as many comments on vents of others, at every size. Each runs on a
 * copy of the database, in which they take over vents and comments that are spread over the whole time.
 */

const amounts = [1, 100, 5000];
const mostMs = 10;
/** Requests before the measurement, until the code is compiled. */
const warmUps = 100;

const people = amounts.map((amount, n) => ({ amount, phone: `+91991000000${n}` }));
/** Nobody has more than half of all vents. */
const peopleOf = (vents: number) => people.filter(({ amount }) => 2 * amount <= vents);

/** Random vents and comments get the slot keys of this person, the oldest the first. */
async function takeOver(db: ContentDb, person: Person, amount: number): Promise<void> {
  const numbers = Array.from({ length: amount }, (_, n) => n + 1);
  await preparedSql`
    with chosen as (select slot_key, id from content.vents where state = 'visible'
                     order by md5(slot_key) limit ${amount}::int),
         numbered as (select slot_key, row_number() over (order by id) as n from chosen)
    update content.vents as item set slot_key = given.key
      from numbered
      join unnest(${person.slotKeys('vent', numbers)}::bytea[]) with ordinality as given (key, n) using (n)
     where item.slot_key = numbered.slot_key`.rows(db);
  await preparedSql`
    with chosen as (select slot_key, vent_id, no from content.comments where voice <> 'author'
                     order by md5(slot_key) limit ${amount}::int),
         numbered as (select slot_key, row_number() over (order by vent_id, no) as n from chosen)
    update content.comments as item set slot_key = given.key
      from numbered
      join unnest(${person.slotKeys('comment', numbers)}::bytea[]) with ordinality as given (key, n) using (n)
     where item.slot_key = numbered.slot_key`.rows(db);
  const taken = [...person.takenKeys('vent', numbers), ...person.takenKeys('comment', numbers)];
  await preparedSql`insert into content.taken_slots select * from unnest(${taken}::bytea[])`.rows(db);
}

async function fill(url: string, token: string, amount: number): Promise<void> {
  const config = readConfig({ NODE_ENV: 'test', ...findServices(), DATABASE_URL: url, LOG_LEVEL: 'warn' });
  const deps = await buildDeps({ ...config, databaseTimeoutMs: 0 });
  try {
    await takeOver(deps.databases.content, deps.persons(await findAccount(deps, token)), amount);
  } finally {
    await deps.close();
  }
}

interface Meter {
  readonly client: Client;
  readonly requests: number;
  /** Of the api and of PostgreSQL, in seconds: depends less on other load than the times. */
  readCpu(): number[];
}

async function measureReader({ client, requests, readCpu }: Meter, token: string) {
  const measure = async (endpoint: Endpoint, input: object) => {
    const call = async () => {
      const { status } = await client.call(endpoint, { token, ...input });
      if (status !== 200) throw new Error(`${endpoint.path}: ${status}`);
    };
    for (let n = 0; n < warmUps; n += 1) await call();
    const { times, cpuMs } = await measureCalls({ count: requests, workers: 1, readCpu }, call);
    return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), cpuMs };
  };
  const { lines, cursor } = (await client.call(listInbox, { token, query: {} })).body;
  const shown = lines.map(({ key }) => key);
  const seen = (await client.call(markInboxSeen, { token, body: { cursor, shown } })).body.cursor;
  return {
    lines: lines.length,
    first: await measure(listInbox, { query: {} }),
    again: await measure(listInbox, { query: { cursor: seen } }),
    mark: await measure(markInboxSeen, { body: { cursor, shown } }),
    since: await measure(ventsSince, { query: { cursor: seen } }),
    // A session check and one row: a baseline for the speed of the machine.
    own: await measure(getSelf, {}),
  };
}

async function measureSize(size: number, { requests, redis }: BenchContext) {
  const database = `unsaid_bench_inbox_${process.pid}`;
  copyDatabase(nameOf(size), database);
  try {
    const server = await startTestServer(database, {
      database,
      env: { SERVICES: 'api', REDIS_URL: redis.url },
    });
    const client = createClient(server.port, 1);
    try {
      const readers: { amount: number; token: string }[] = [];
      for (const { amount, phone } of peopleOf(size)) {
        const token = await signIn(server, client, phone);
        await fill(urlOf(database), token, amount);
        readers.push({ amount, token });
      }
      psql(urlOf(database), 'vacuum analyze');
      const backends = createBackendMeter(urlOf(database));
      const readCpu = () => [cpuOf(server.pid).seconds, backends.seconds()];
      const rows = [];
      for (const { amount, token } of readers)
        rows.push({ size, amount, ...(await measureReader({ client, requests, readCpu }, token)) });
      return rows;
    } finally {
      client.close();
      await server.stop();
    }
  } finally {
    dropDatabase(database);
  }
}

interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly cpuMs: readonly number[];
}

const both = ({ p50, p99 }: Measured) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
const cpu = ({ cpuMs }: Measured) => cpuMs.map((ms) => ms.toFixed(1)).join(' + ');

export const measureInbox: Section = async (context) => {
  const rows = [];
  for (const size of context.sizes) rows.push(...(await measureSize(size, context)));
  const table = markdownTable(
    [
      'vents',
      'own vents and comments',
      'lines',
      'without a cursor, p50 / p99 ms',
      'with one',
      'of it CPU of api + PostgreSQL',
      'mark as seen',
      'since',
      'own profile',
    ],
    rows.map(({ size, amount, lines, first, again, mark, since, own }) => [
      grouped(size),
      grouped(amount),
      String(lines),
      both(first),
      both(again),
      cpu(again),
      ...[mark, since, own].map(both),
    ]),
  );
  return {
    text: `${table}\n\n${context.requests} calls each, one at a time; load average ${loadavg()[0]?.toFixed(1)}.`,
    targets: rows.map(({ size, amount, first, again }) => {
      const slower = Math.max(first.p50, again.p50);
      return {
        what: `p50 of the inbox with ${grouped(amount)} vents and comments among ${grouped(size)}`,
        wanted: `${mostMs} ms at most`,
        measured: `${slower.toFixed(1)} ms`,
        isReached: slower <= mostMs,
      };
    }),
  };
};
