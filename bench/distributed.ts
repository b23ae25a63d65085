/**
 * npm run bench:distributed -- [--size 1000000] [--rounds 300] [--writes 1000]
 *
 * The vents of one PostgreSQL against the same vents on three: hash partitions by vent id, reached by postgres_fdw. Prints
 * p50 of the statements of each call in turns, CPU and WAL of writes on the busiest server, and what fails while one of
 * three is down. docs/adr/0014 decides by it. A million vents take about 20 minutes and 6 GB of disk.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
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

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '300' },
    writes: { type: 'string', default: '1000' },
  },
});
const [size, rounds, writes] = [values.size, values.rounds, values.writes].map(Number) as [
  number,
  number,
  number,
];
const workers = 8;
const mostTimes: Record<string, number> = {
  feed: 1.3,
  detail: 1.3,
  'own vents, by the directory': 2,
  'own vents, asking every server': 2,
  search: 2,
};
const writeRounds = 5;
const hotReactions = 200;
const mostOfOne = 0.5;

const open = (servers: readonly TempPostgres[]) => {
  const all = servers.map(({ url }) =>
    openDatabases({
      services: new Set(['api']),
      databaseUrl: url,
      roleUrls: { content: url },
      poolSize: workers,
      timeoutMs: 2000,
      logger: createLogger('error'),
    }),
  );
  return {
    handles: all.map(({ content }) => content),
    isDistributed: servers.length > 1,
    retries: 0,
    close: () => Promise.all(all.map((one) => one.close())),
  };
};
const p50 = (times: readonly number[]) =>
  percentile(
    times.toSorted((a, b) => a - b),
    0.5,
  );

async function measureReads(sides: readonly Side[], targets: Targets): Promise<Target[]> {
  const rows = [];
  const bars: Target[] = [];
  for (const [name, read] of Object.entries(reads)) {
    const times: number[][] = sides.map(() => []);
    for (let n = -30; n < rounds; n += 1)
      for (const index of n % 2 === 0 ? [0, 1] : [1, 0]) {
        const begunAt = performance.now();
        await read(sides[index] as Side, n + 30, targets);
        if (n >= 0) times[index]?.push(performance.now() - begunAt);
      }
    const [one = NaN, three = NaN] = times.map(p50);
    const most = mostTimes[name] ?? NaN;
    rows.push([name, one.toFixed(2), three.toFixed(2), (three / one).toFixed(2)]);
    bars.push({
      what: `p50 of ${name}, three over one`,
      wanted: `${most} at most`,
      measured: (three / one).toFixed(2),
      isReached: three / one <= most,
    });
  }
  console.log(markdownTable(['statements of a call, p50 ms', 'one', 'three', 'ratio'], rows));
  return bars;
}

/** Clients react to one vent at once, without the queue of the api, which joins them. */
async function measureHotVent(sides: readonly Side[], ventId: bigint): Promise<void> {
  const times: number[][] = sides.map(() => []);
  const perSecond: number[][] = sides.map(() => []);
  const before = sides.map(({ retries }) => retries);
  for (let round = 0; round < writeRounds; round += 1)
    for (const [index, side] of sides.entries()) {
      const measured = await measureCalls({ count: hotReactions, workers, readCpu: () => [] }, (n) =>
        react(side, n, ventId),
      );
      times[index]?.push(...measured.times);
      perSecond[index]?.push(measured.perSecond);
    }
  console.log(
    markdownTable(
      [`reactions to one vent, ${workers} clients`, 'one', 'three'],
      [
        ['p50, ms', ...times.map((list) => p50(list).toFixed(1))],
        ['a second', ...perSecond.map((list) => grouped(median(list)))],
        [
          'begun again for each',
          ...sides.map(({ retries }, n) =>
            ((retries - (before[n] ?? 0)) / (writeRounds * hotReactions)).toFixed(2),
          ),
        ],
      ],
    ),
  );
}

async function measureWrites(
  sides: readonly Side[],
  servers: readonly (readonly TempPostgres[])[],
  ids: readonly bigint[],
): Promise<Target[]> {
  const walOf = ({ url }: TempPostgres) =>
    Number(psql(url, `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn`));
  const found = sides.map(() => ({
    cpu: [] as number[][],
    wal: [] as number[][],
    perSecond: [] as number[],
  }));
  // The first round is not counted: connections and plans are made in it.
  for (let round = -1; round < writeRounds; round += 1)
    for (const [index, side] of sides.entries()) {
      const own = servers[index] ?? [];
      for (const { url } of own) psql(url, 'checkpoint');
      const before = own.map(walOf);
      const { cpuMs, perSecond } = await measureCalls(
        { count: writes, workers, readCpu: () => own.map((server) => cpuOfTree(server.pid())) },
        (n) => write(side, n + 1 + (round + 1) * writes, ids),
      );
      if (round < 0) continue;
      found[index]?.cpu.push(cpuMs.map((ms) => ms * 1000));
      found[index]?.wal.push(own.map((server, n) => (walOf(server) - (before[n] ?? 0)) * (1000 / writes)));
      found[index]?.perSecond.push(perSecond);
    }
  const each = (lists: readonly number[][]) =>
    (lists[0] ?? []).map((_, server) => median(lists.map((list) => list[server] ?? NaN)));
  const shown = (list: readonly number[], unit: number) =>
    list.map((value) => (value / unit).toFixed(2)).join('; ');
  const [one, three] = found as [(typeof found)[0], (typeof found)[0]];
  const bars = (['cpu', 'wal'] as const).map((kind): Target => {
    const share = Math.max(...each(three[kind])) / (each(one[kind])[0] ?? NaN);
    return {
      what: `${kind === 'cpu' ? 'CPU' : 'WAL bytes'} of 1,000 writes on the busiest of three, over one`,
      wanted: `${mostOfOne} at most`,
      measured: share.toFixed(2),
      isReached: share <= mostOfOne,
    };
  });
  console.log(
    markdownTable(
      ['1,000 writes, by server', 'one', 'three'],
      [
        ['CPU, s', shown(each(one.cpu), 1000), shown(each(three.cpu), 1000)],
        ['WAL, MB', shown(each(one.wal), 1e6), shown(each(three.wal), 1e6)],
        ['writes a second', grouped(median(one.perSecond)), grouped(median(three.perSecond))],
      ],
    ),
  );
  return bars;
}

/** While writers go on, one of three is killed and comes back. */
async function kill(three: readonly TempPostgres[], dead: number, targets: Targets): Promise<Target[]> {
  const side = open(three.filter((_, n) => n !== dead));
  const acknowledged: bigint[] = [];
  let isOver = false;
  let refused = 0;
  const writers = Array.from({ length: 4 }, async (_, n) => {
    for (; !isOver; n += 4)
      try {
        acknowledged.push(await vent(side, n));
      } catch {
        refused += 1;
        await sleep(20);
      }
  });
  await sleep(3000);
  await three[dead]?.killHard();
  const during = acknowledged.length;
  await sleep(1000);
  const failures: string[][] = [];
  for (const [name, read] of Object.entries(reads)) {
    let failed = 0;
    for (let n = 0; n < 60; n += 1) await read(side, n, targets).catch(() => (failed += 1));
    failures.push([name, `${failed} of 60`]);
  }
  const written = acknowledged.length - during;
  failures.push(['vents written; refused', `${written}; ${refused}`]);
  await three[dead]?.start();
  await sleep(2000);
  isOver = true;
  await Promise.all(writers);
  await side.close();
  const url = three[0]?.url ?? '';
  const list = `'{${acknowledged.join()}}'::bigint[]`;
  const count = (text: string) => Number(psql(url, `select count(*) from ${text}`));
  const lost = acknowledged.length - count(`content.vents where id = any(${list})`);
  const born = `id > (select min(id) from unnest(${list}) as id)`;
  const outOfFeed = count(`content.vents where ${born} and id not in (select id from content.newest)`);
  const ghosts = count(
    `content.newest where ${born} and id not in (select id from content.vents where ${born})`,
  );
  const withoutVent = count(
    `content.slot_directory where vent_${born} and vent_id not in (select id from content.vents where ${born})`,
  );
  console.log(
    `\n${markdownTable([`server ${dead} is down${dead === 0 ? ', which has the newest ids' : ''}`, 'failed'], failures)}
${grouped(acknowledged.length)} vents acknowledged. Of all: ${outOfFeed} outside of the newest ids, ${ghosts} newest ids without a vent, ${withoutVent} lines of the directory without a vent.`,
  );
  return [
    {
      what: `acknowledged vents lost, server ${dead} killed`,
      wanted: '0',
      measured: String(lost),
      isReached: lost === 0,
    },
  ];
}

const begunAt = performance.now();
const one = await startOne(size);
const three = await startThree(one);
try {
  const bytes = [one, ...three].map(({ url }) => Number(psql(url, `select pg_database_size('unsaid')`)));
  console.log(
    `${grouped(size)} vents loaded in ${((performance.now() - begunAt) / 60_000).toFixed(0)} minutes; GB on one and on each of three: ${bytes.map((b) => (b / 1e9).toFixed(2)).join('; ')}.\n`,
  );
  const newest = psql(
    one.url,
    `select id from content.vents where state = 'visible' order by created_at desc, id desc limit 5000`,
  );
  const slots = psql(
    one.url,
    `select encode(slot_key, 'hex') from content.vents tablesample bernoulli (${(100 * 10_000) / size}) where state = 'visible'`,
  );
  const targets: Targets = {
    ids: newest.split('\n').map(BigInt),
    slots: slots.split('\n').map((hex) => Buffer.from(hex, 'hex')),
  };
  const sides = [open([one]), open(three)];
  const bars = await measureReads(sides, targets);
  await measureHotVent(sides, targets.ids[0] ?? 0n);
  bars.push(...(await measureWrites(sides, [[one], three], targets.ids)));
  for (const side of sides) await side.close();
  for (const dead of [2, 0]) bars.push(...(await kill(three, dead, targets)));
  console.log(`\n${targetTable(bars)}\n\nLoad average ${loadavg()[0]?.toFixed(1)}.`);
} finally {
  for (const server of [one, ...three]) await server.remove();
}
process.exit(0);
