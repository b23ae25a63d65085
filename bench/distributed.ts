/**
 * npm run bench:distributed -- [--size 1000000] [--rounds 300]
 *
 * The vents of one PostgreSQL against the same vents on three: hash partitions by vent id, reached by postgres_fdw. Prints
 * p50 of the statements of each call in turns, CPU and WAL of writes on the busiest server, and what fails while one of
 * three is down. docs/adr/0014 decides by it. A million vents take 12 GB of disk, and on a busy machine an hour.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../testkit/options.ts';
import { openDatabases } from '../server/src/platform/db.ts';
import { createLogger } from '../server/src/platform/logger.ts';
import type { TempPostgres } from '../testkit/temp-postgres.ts';
import { cpuOfTree, measureCalls } from '../tools/cpu.ts';
import { percentile } from './lib/client.ts';
import { react, reads, vent, write, type Side, type Targets } from './lib/distributed/calls.ts';
import { startOne, startThree } from './lib/distributed/servers.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { psql } from './lib/psql.ts';
import { grouped, median, targetTable, type Target } from './lib/section.ts';

const { size, rounds } = readOptions({ size: 1_000_000, rounds: 300 });
const workers = 8;
const writes = 1000;
const writeRounds = 3;
const hotReactions = 100;
const mostOfOne = 0.5;
const mostTimes = (name: string) => (name === 'feed' || name === 'detail' ? 1.3 : 2);

function open(servers: readonly TempPostgres[]) {
  const options = { services: new Set(['api']), poolSize: workers, timeoutMs: 30_000 };
  const all = servers.map(({ url }) =>
    openDatabases({
      ...options,
      databaseUrl: url,
      roleUrls: { content: url },
      logger: createLogger('error'),
    }),
  );
  return {
    servers,
    handles: all.map(({ content }) => content),
    isDistributed: servers.length > 1,
    retries: 0,
    close: () => Promise.all(all.map((one) => one.close())),
  };
}
type OpenSide = ReturnType<typeof open>;

const p50 = (times: readonly number[]) =>
  percentile(
    times.toSorted((a, b) => a - b),
    0.5,
  );
const cpuOf = ({ servers }: OpenSide) => servers.map((server) => cpuOfTree(server.pid()));
const sum = (list: readonly number[]) => list.reduce((all, one) => all + one, 0);
const atMost = (what: string, most: number, measured: number): Target => ({
  what,
  wanted: `${most} at most`,
  measured: String(Number(measured.toFixed(2))),
  isReached: measured <= most,
});

async function measureReads(sides: readonly OpenSide[], targets: Targets): Promise<Target[]> {
  const rows = [];
  const bars = [];
  for (const [name, read] of Object.entries(reads)) {
    const times: number[][] = sides.map(() => []);
    let before: number[] = [];
    for (let n = -30; n < rounds; n += 1) {
      if (n === 0) before = sides.map((side) => sum(cpuOf(side)));
      for (const index of n % 2 === 0 ? [0, 1] : [1, 0]) {
        const begunAt = performance.now();
        await read(sides[index] as Side, n + 30, targets);
        if (n >= 0) times[index]?.push(performance.now() - begunAt);
      }
    }
    const cpu = sides.map((side, n) => ((sum(cpuOf(side)) - (before[n] ?? NaN)) * 1000) / rounds);
    const [one = NaN, three = NaN] = times.map(p50);
    rows.push([name, ...[one, three, three / one, ...cpu].map((value) => value.toFixed(2))]);
    bars.push(atMost(`p50 of ${name}, three over one`, mostTimes(name), three / one));
  }
  const head = ['statements of a call', 'p50 ms, one', 'three', 'ratio', 'CPU ms, one', 'all three'];
  console.log(markdownTable(head, rows));
  return bars;
}

/** Clients react to one vent at once, without the queue of the api, which joins them. */
async function measureHotVent(sides: readonly OpenSide[], ventId: bigint): Promise<void> {
  const before = sides.map(({ retries }) => retries);
  const times: number[][] = sides.map(() => []);
  for (let round = 0; round < writeRounds; round += 1)
    for (const [index, side] of sides.entries()) {
      const options = { count: hotReactions, workers, readCpu: () => [] };
      times[index]?.push(...(await measureCalls(options, (n) => react(side, n, ventId))).times);
    }
  const again = sides.map(({ retries }, n) => (retries - (before[n] ?? 0)) / (writeRounds * hotReactions));
  const rows = [
    ['p50, ms', ...times.map((list) => p50(list).toFixed(1))],
    ['begun again, for each reaction', ...again.map((times) => times.toFixed(2))],
  ];
  console.log(`\n${markdownTable([`reactions to one vent, ${workers} clients`, 'one', 'three'], rows)}`);
}

async function measureWrites(sides: readonly OpenSide[], ids: readonly bigint[]): Promise<Target[]> {
  const walOf = ({ servers }: OpenSide) =>
    servers.map(({ url }) => Number(psql(url, `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn`)));
  const found = sides.map(() => ({
    cpu: [] as number[][],
    wal: [] as number[][],
    perSecond: [] as number[][],
  }));
  // The first round is not counted: connections and plans are made in it.
  for (let round = 0; round <= writeRounds; round += 1)
    for (const [index, side] of sides.entries()) {
      for (const { url } of side.servers) psql(url, 'checkpoint');
      const before = walOf(side);
      const { cpuMs, perSecond } = await measureCalls(
        { count: writes, workers, readCpu: () => cpuOf(side) },
        (n) => write(side, n + round * writes, ids),
      );
      if (round === 0) continue;
      found[index]?.cpu.push(cpuMs.map((ms) => (ms * writes) / 1000));
      found[index]?.wal.push(walOf(side).map((now, n) => (now - (before[n] ?? 0)) / 1e6));
      found[index]?.perSecond.push([perSecond]);
    }
  const byServer = (lists: readonly number[][]) =>
    (lists[0] ?? []).map((_, server) => median(lists.map((list) => list[server] ?? NaN)));
  const kinds = { cpu: 'CPU, s', wal: 'WAL, MB', perSecond: 'writes a second' } as const;
  const bars: Target[] = [];
  const rows = (['cpu', 'wal', 'perSecond'] as const).map((kind) => {
    const [one = [], three = []] = found.map((lists) => byServer(lists[kind]));
    if (kind !== 'perSecond')
      bars.push(
        atMost(
          `${kinds[kind]} of 1,000 writes, the busiest of three over one`,
          mostOfOne,
          Math.max(...three) / (one[0] ?? NaN),
        ),
      );
    return [kinds[kind], ...[one, three].map((list) => list.map((value) => value.toFixed(2)).join('; '))];
  });
  console.log(`\n${markdownTable(['1,000 writes, by server', 'one', 'three'], rows)}`);
  return bars;
}

/** While writers go on, one of three is killed and comes back. */
async function kill(three: readonly TempPostgres[], dead: number, targets: Targets): Promise<Target> {
  const side = open(three.filter((_, n) => n !== dead));
  const acknowledged: bigint[] = [];
  const over = new AbortController();
  let refused = 0;
  const writers = Array.from({ length: 4 }, async (_, first) => {
    for (let n = first; !over.signal.aborted; n += 1)
      await vent(side, n).then(
        (id) => acknowledged.push(id),
        () => sleep(20, (refused += 1)),
      );
  });
  await sleep(3000);
  await three[dead]?.killHard();
  await sleep(1000);
  const [acknowledgedBefore, refusedBefore] = [acknowledged.length, refused];
  const rows: string[][] = [];
  for (const [name, read] of Object.entries(reads)) {
    let failed = 0;
    for (let n = 0; n < 60; n += 1) await read(side, n, targets).catch(() => (failed += 1));
    rows.push([name, `${failed} of 60`]);
  }
  const tried = acknowledged.length - acknowledgedBefore + refused - refusedBefore;
  rows.push(['writing a vent', `${refused - refusedBefore} of ${tried}`]);
  await three[dead]?.start();
  await sleep(2000);
  over.abort();
  await Promise.all(writers);
  await side.close();
  const count = (text: string) => Number(psql(three[0]?.url ?? '', `select count(*) from ${text}`));
  const list = `unnest('{${acknowledged.join()}}'::bigint[]) as id`;
  const written = `select id from content.vents where id >= (select min(id) from ${list})`;
  const lost = count(`${list} where id not in (${written})`);
  const [hidden, dangling] = [
    count(`(${written}) as vent where id not in (select id from content.newest)`),
    count(`content.newest where id >= (select min(id) from ${list}) and id not in (${written})`),
  ];
  console.log(
    `\n${markdownTable([`server ${dead} is down${dead === 0 ? ', which has the newest ids' : ''}`, 'failed'], rows)}`,
  );
  console.log(
    `\n${acknowledged.length} vents acknowledged; ${hidden} stored ones are not in the feed, ${dangling} of the feed are not stored.`,
  );
  return atMost(`acknowledged vents lost, server ${dead} killed`, 0, lost);
}

const begunAt = performance.now();
const one = await startOne(size);
const three: TempPostgres[] = [];
try {
  await startThree(one, three);
  const bytes = [one, ...three].map(({ url }) => Number(psql(url, `select pg_database_size('unsaid')`)));
  console.log(
    `${grouped(size)} vents loaded in ${((performance.now() - begunAt) / 60_000).toFixed(0)} minutes; GB on one and on each of three: ${bytes.map((b) => (b / 1e9).toFixed(2)).join('; ')}.\n`,
  );
  const sample = (what: string, rest: string) =>
    psql(one.url, `select ${what} from content.vents where state = 'visible' ${rest}`).split('\n');
  const targets: Targets = {
    ids: sample('id', 'order by created_at desc, id desc limit 5000').map(BigInt),
    slots: sample(`encode(slot_key, 'hex')`, 'order by hashint8(id) limit 10000').map((hex) =>
      Buffer.from(hex, 'hex'),
    ),
  };
  const sides = [open([one]), open(three)];
  const bars = await measureReads(sides, targets);
  await measureHotVent(sides, targets.ids[0] ?? 0n);
  bars.push(...(await measureWrites(sides, targets.ids)));
  for (const side of sides) await side.close();
  for (const dead of [2, 0]) {
    const kept = await kill(three, dead, targets);
    if (!kept.isReached) process.exitCode = 1;
    bars.push(kept);
  }
  console.log(`\n${targetTable(bars)}\n\nLoad average ${loadavg()[0]?.toFixed(1)}.`);
} finally {
  for (const server of [one, ...three]) await server.remove();
}
process.exit();
