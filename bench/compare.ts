/**
 * npm run bench:compare -- --old /another/checkout [--vents 1000000] [--requests 200] [--only feed,detail] [--seconds 3]
 *   [--drop]
 *
 * The same calls on two checkouts, each with its own server, schema and seed, alternating request by request. Authors
 * have 1, 100 and 5,000 vents of the last 80 days among those of other people, from 50,000 vents on; a fifth of what they
 * wrote is deleted.
 * Filling the two databases takes up to an hour. They are kept; `--drop` deletes them.
 */
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { readOptions, stopAtUsage } from '../testkit/options.ts';
import { react } from '@unsaid/contract';
import { serverScript } from '../testkit/server-process.ts';
import { createClient, percentile, type Client } from './lib/client.ts';
import { createBackendMeter, runSeconds } from './lib/cpu-meters.ts';
import { callsOf, nameFor, type Ask } from './lib/compared-calls.ts';
import { authorsOf, fillSide, sidesOf, startSide, type Side } from './lib/compared.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { findPeople, openSessions } from './lib/open-sessions.ts';
import { grouped, median, targetTable, type Target } from './lib/section.ts';
import { signIn, type TestServer } from './lib/test-server.ts';
import { dropDatabase, viewerPhone } from './lib/vent-databases.ts';

const values = readOptions({
  old: '',
  vents: 1_000_000,
  requests: 200,
  only: '',
  seconds: 3,
  drop: false,
});
const { vents } = values;
if (!values.drop && (values.old === '' || !existsSync(serverScript('api', values.old))))
  stopAtUsage('--old is wanted: the folder of another checkout');
const sides = sidesOf(resolve(values.old), vents);

interface Running {
  readonly server: TestServer;
  readonly client: Client;
  readonly calls: ReadonlyMap<string, Ask>;
  /** Tokens of the people who react. */
  readonly tokens: readonly string[];
  readonly ventIds: readonly string[];
  /** CPU seconds of api and PostgreSQL so far. */
  readCpu(): number;
  times: Map<string, number[]>;
  cpu: Map<string, number>;
}

async function start(side: Side): Promise<Running> {
  const server = await startSide(side);
  const client = createClient(server.port, clientsAtOnce);
  const viewer = await signIn(server, client, viewerPhone);
  const { calls: all, ventIds } = await callsOf(server, client, { viewer, vents });
  const isWanted = ([name]: [string, Ask]) => values.only.split(',').some((begin) => name.startsWith(begin));
  const calls = new Map([...all].filter(isWanted));
  const tokens = await openSessions(server.databaseUrl, findPeople(server.databaseUrl, clientsAtOnce));
  const backends = createBackendMeter(server.databaseUrl);
  const readCpu = () => runSeconds(server.pid) + backends.seconds();
  return { server, client, calls, tokens, ventIds, readCpu, times: new Map(), cpu: new Map() };
}

/** Long enough for the 1 s cache to be hit, short enough for both sides to see the same load. */
const blockSize = 10;

async function measure(running: readonly Running[], requests: number): Promise<void> {
  for (const one of running) {
    one.times = new Map([...one.calls.keys()].map((name) => [name, []]));
    one.cpu = new Map();
  }
  let before = running.map(({ readCpu }) => readCpu());
  for (let from = 0; from < requests; from += blockSize) {
    for (const name of running[0]?.calls.keys() ?? []) {
      for (let n = from; n < from + blockSize; n += 1) {
        for (const { calls, times } of n % 2 === 0 ? running : running.toReversed()) {
          const askedAt = performance.now();
          const { status, body } = await (calls.get(name) as Ask)(n);
          times.get(name)?.push(performance.now() - askedAt);
          if (status >= 300) throw new Error(`${name}: ${status} ${body.code}`);
        }
      }
      const after = running.map(({ readCpu }) => readCpu());
      for (const [index, { cpu }] of running.entries())
        cpu.set(name, (cpu.get(name) ?? 0) + (after[index] ?? 0) - (before[index] ?? 0));
      before = after;
    }
  }
}

const clientsAtOnce = 16;
const rounds = 5;

/** Throughput of concurrent reactions on `on` vents. */
async function reactAtOnce(
  { client, tokens, ventIds }: Running,
  on: number,
  seconds: number,
): Promise<number> {
  const begunAt = performance.now();
  let count = 0;
  await Promise.all(
    tokens.map(async (token, position) => {
      for (let turn = position; performance.now() < begunAt + seconds * 1000; turn += 1) {
        const ventId = ventIds[(turn * 7) % Math.min(on, ventIds.length)] ?? '';
        const { status } = await client.call(react, { token, body: { ventId, reactionType: 'heart' } });
        if (status !== 200) throw new Error(`react: ${status}`);
        count += 1;
      }
    }),
  );
  return count / ((performance.now() - begunAt) / 1000);
}

async function reactionTable(running: readonly Running[]): Promise<string> {
  const rows: string[][] = [];
  for (const on of [1, 100]) {
    const rates = running.map((): number[] => []);
    for (let round = -1; round < rounds; round += 1)
      for (const [index, one] of running.entries()) {
        const rate = await reactAtOnce(one, on, values.seconds);
        if (round >= 0) rates[index]?.push(rate);
      }
    const ratios = (rates[1] ?? []).map((rate, round) => rate / (rates[0]?.[round] ?? NaN));
    rows.push([
      on === 1 ? 'one vent' : `${on} vents`,
      ...rates.map((list) => grouped(median(list))),
      median(ratios).toFixed(2),
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    ]);
  }
  return markdownTable(['reactions a second on', 'old', 'new', 'new / old', 'of a round'], rows);
}

interface Row {
  readonly name: string;
  /** p50, p95, minimum and CPU in milliseconds, of the old and the new checkout. */
  readonly figures: readonly (readonly [number, number, number, number])[];
}

function targetsOf(rows: readonly Row[]): Target[] {
  const find = (name: string) => rows.find((row) => row.name === name)?.figures ?? [];
  const asFast = rows
    .filter(({ name }) => name.startsWith('feed') || name === 'detail')
    .map(({ name, figures: [before, after] }): Target => {
      const [ratio = NaN, ofCpu = NaN] = [0, 3].map((n) => (after?.[n] ?? NaN) / (before?.[n] ?? NaN));
      return {
        what: `${name}: p50, new over old`,
        wanted: '1.05 at most',
        measured: `${ratio.toFixed(2)} (of CPU ${ofCpu.toFixed(2)})`,
        isReached: ratio <= 1.05,
      };
    });
  const ofAuthors = authorsOf(vents).flatMap(({ own, most }) =>
    (
      [
        ['My Vents with pager', most.list],
        ['weather', most.weather],
        ['own search, a rare word', most.search],
        ['export', most.export],
      ] as const
    ).map(([name, ms]): Target => {
      const [p50, , min, cpu] = find(nameFor(name, own))[1] ?? [NaN, NaN, NaN, NaN];
      const measured = `${p50.toFixed(1)} ms (min ${min.toFixed(1)}, CPU ${cpu.toFixed(1)})`;
      return {
        what: `${nameFor(name, own)}: p50`,
        wanted: `${ms} ms at most`,
        measured,
        isReached: p50 <= ms,
      };
    }),
  );
  return [...asFast, ...ofAuthors].filter(({ measured }) => !measured.includes('NaN'));
}

async function compare(): Promise<void> {
  for (const side of sides) await fillSide(side);
  const running: Running[] = [];
  try {
    for (const side of sides) running.push(await start(side));
    await measure(running, 2 * blockSize);
    const before = loadavg()[0] ?? 0;
    await measure(running, values.requests);
    const rows = [...(running[0]?.calls.keys() ?? [])].map((name): Row => {
      const figures = running.map(({ times, cpu }): Row['figures'][number] => {
        const ms = (times.get(name) ?? []).toSorted((a, b) => a - b);
        const ofCpu = ((cpu.get(name) ?? NaN) * 1000) / ms.length;
        return [percentile(ms, 0.5), percentile(ms, 0.95), ms[0] ?? NaN, ofCpu];
      });
      return { name, figures };
    });
    const table = markdownTable(
      ['p50 / p95 / min / CPU, ms', 'old', 'new', 'new / old: p50', 'min', 'CPU'],
      rows.map(({ name, figures }) => [
        name,
        ...figures.map((ms) => ms.map((one) => one.toFixed(1)).join(' / ')),
        ...([0, 2, 3] as const).map((n) => ((figures[1]?.[n] ?? NaN) / (figures[0]?.[n] ?? NaN)).toFixed(2)),
      ]),
    );
    console.log(
      `\n${table}\n\n${values.requests} requests of each, one at a time, at ${grouped(vents)} vents. CPU of api and PostgreSQL per request.`,
    );
    console.log(`Load average ${before.toFixed(1)} to ${loadavg()[0]?.toFixed(1)}.\n`);
    console.log(
      `${await reactionTable(running)}\n\n${clientsAtOnce} clients, ${rounds} rounds of ${values.seconds} s.\n`,
    );
    console.log(targetTable(targetsOf(rows)));
  } finally {
    for (const { client, server } of running) {
      client.close();
      await server.stop();
      server.sql('delete from identity.sessions');
    }
  }
}

if (values.drop) for (const { database } of sides) dropDatabase(database);
else await compare();
