/**
 * npm run bench:compare -- --old /another/checkout [--vents 1000000] [--requests 200] [--seconds 3] [--drop]: the same
 * calls on two checkouts, each with its own server, schema and seed, in turns, request by request. Beside the seeded
 * people there are three with 1, 100 and 5,000 vents of their own, a fifth of what they ever wrote deleted, among
 * those of everybody else. The two databases take up to 20 minutes to fill and are kept; `--drop` takes them away.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import {
  commentOnVent,
  createVent,
  exportData,
  getVent,
  listComments,
  listVents,
  react,
  ventWeather,
  ventsSince,
} from '@unsaid/contract';
import { wordAt } from '../server/src/vents/vents.seed.ts';
import { createClient, percentile, type Answer, type Client } from './lib/client.ts';
import { authors, fillSide, sidesOf, startSide, type Side } from './lib/compared.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { openSessions } from './lib/open-sessions.ts';
import { grouped, median, targetTable, type Target } from './lib/part.ts';
import { signIn, type Stage } from './lib/stage.ts';
import { dropDatabase, viewerPhone } from './lib/vent-databases.ts';

const { values } = parseArgs({
  options: {
    old: { type: 'string', default: '' },
    vents: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '3' },
    port: { type: 'string', default: '3900' },
    drop: { type: 'boolean', default: false },
  },
});
const vents = Number(values.vents);
const sides = sidesOf(values.old, vents);

type Ask = (n: number) => Promise<Answer<unknown>>;

interface Running {
  readonly stage: Stage;
  readonly client: Client;
  readonly calls: ReadonlyMap<string, Ask>;
  /** Of people who react. */
  readonly tokens: readonly string[];
  readonly ventIds: readonly string[];
  times: Map<string, number[]>;
}

async function start(side: Side, port: number): Promise<Running> {
  const stage = await startSide(side, port);
  const client = createClient(port, clientsAtOnce);
  const viewer = await signIn(stage, client, viewerPhone);
  const page = await client.call(listVents, { token: viewer, query: { limit: '100' } });
  const open = page.body.vents.filter(({ userId }) => userId.allowComments);
  const ventIds = open.map(({ _id }) => _id);
  const at = (n: number) => ventIds[n % ventIds.length] ?? '';
  const discussed = open.toSorted((a, b) => b.commentCount - a.commentCount)[0]?._id ?? '';
  const list = (token: string, query: (n: number) => Record<string, string>) => (n: number) =>
    client.call(listVents, { token, query: query(n) });
  const calls = new Map<string, Ask>([
    ['feed, page 1, kept for a second', list(viewer, () => ({ page: '1' }))],
    ['feed, pages 1 to 10', list(viewer, (n) => ({ page: String(1 + (n % 10)) }))],
    ['feed, pages 1 to 10, made anew', list(viewer, (n) => ({ page: String(1 + (n % 10)), limit: '6' }))],
    ['feed of 100', list(viewer, () => ({ limit: '100' }))],
    ['feed, older', list(viewer, () => ({ before: at(40) }))],
    ['detail', (n) => client.call(getVent, { token: viewer, params: { id: at(n) } })],
    [
      'comments of a vent',
      () => client.call(listComments, { token: viewer, params: { id: discussed }, query: {} }),
    ],
  ]);
  for (const { own, phone } of authors) {
    const token = await signIn(stage, client, phone);
    const mine = (query: Record<string, string>) => list(token, () => ({ mine: 'true', ...query }));
    const { body } = await client.call(listVents, { token, query: { mine: 'true', limit: '50' } });
    const before = body.vents.at(-1)?._id ?? '';
    const { cursor } = (await client.call(ventsSince, { token, query: {} })).body;
    for (const [name, ask] of Object.entries<Ask>({
      'My Vents with pager': mine({ page: '1', limit: '5' }),
      'My Vents, fifty at once': mine({ page: '1', limit: '50' }),
      'My Vents by cursor': mine({ before, limit: '5' }),
      weather: () => client.call(ventWeather, { token }),
      'own search, in 1 of 5': mine({ query: 'feel', page: '1', limit: '5' }),
      'own search, a rare word': mine({ query: wordAt(1000), page: '1', limit: '5' }),
      since: () => client.call(ventsSince, { token, query: cursor ? { cursor } : {} }),
      export: () => client.call(exportData, { token }),
    }))
      calls.set(nameFor(name, own), ask);
  }
  const marker = performance.now();
  calls.set('create a vent', (n) =>
    client.call(createVent, {
      token: viewer,
      body: { title: `Compared ${n}`, text: `Said while measuring, ${marker} ${n}`, emotion: 'Sad' },
    }),
  );
  calls.set('comment', (n) =>
    client.call(commentOnVent, {
      token: viewer,
      body: { ventId: at(n), text: 'I hear you', anonymous: n % 2 === 0 },
    }),
  );
  calls.set('react', (n) =>
    client.call(react, { token: viewer, body: { ventId: at(n), reactionType: 'hug' } }),
  );
  const tokens = openSessions(
    stage.databaseUrl,
    Array.from({ length: clientsAtOnce }, (_, n) => BigInt(1000 + n * 7)),
  );
  return { stage, client, calls, tokens, ventIds, times: new Map() };
}

const nameFor = (name: string, own: number) => `${name}, ${grouped(own)} own`;

/** Long enough that what is kept for a second is kept, short enough that the machine is the same for both. */
const blockSize = 10;

async function measure(running: readonly Running[], requests: number): Promise<void> {
  for (const one of running) one.times = new Map([...one.calls.keys()].map((name) => [name, []]));
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
    }
  }
}

const clientsAtOnce = 16;
const rounds = 5;

/** As many reactions as go, by many people at once, on so many vents. */
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
        if (status !== 200) throw new Error(`a reaction was answered with ${status}`);
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
        const rate = await reactAtOnce(one, on, Number(values.seconds));
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
  /** p50, p95 and the shortest, of the old and of the new. */
  readonly told: readonly (readonly [number, number, number])[];
}

function targetsOf(rows: readonly Row[]): Target[] {
  const find = (name: string) => rows.find((row) => row.name === name)?.told ?? [];
  const asFast = rows
    .filter(({ name }) => name.startsWith('feed') || name === 'detail')
    .map(({ name, told: [before, after] }): Target => {
      const ratio = (after?.[0] ?? NaN) / (before?.[0] ?? NaN);
      return {
        what: `${name}: p50, new over old`,
        wanted: '1.05 at most',
        measured: ratio.toFixed(2),
        isReached: ratio <= 1.05,
      };
    });
  const ofAuthors = authors.flatMap(({ own, most }) =>
    (
      [
        ['My Vents with pager', most.list],
        ['weather', most.weather],
        ['own search, a rare word', most.search],
        ['export', most.export],
      ] as const
    ).map(([name, ms]): Target => {
      const [p50, , min] = find(nameFor(name, own))[1] ?? [NaN, NaN, NaN];
      const measured = `${p50.toFixed(1)} ms (shortest ${min.toFixed(1)})`;
      return {
        what: `${nameFor(name, own)}: p50`,
        wanted: `${ms} ms at most`,
        measured,
        isReached: p50 <= ms,
      };
    }),
  );
  return [...asFast, ...ofAuthors];
}

async function compare(): Promise<void> {
  await Promise.all(sides.map((side, index) => fillSide(side, Number(values.port) + index * 2)));
  const running: Running[] = [];
  try {
    for (const [index, side] of sides.entries())
      running.push(await start(side, Number(values.port) + index * 2));
    await measure(running, 2 * blockSize);
    const before = loadavg()[0] ?? 0;
    await measure(running, Number(values.requests));
    const rows = [...(running[0]?.calls.keys() ?? [])].map((name): Row => {
      const sorted = running.map(({ times }) => (times.get(name) ?? []).toSorted((a, b) => a - b));
      return { name, told: sorted.map((ms) => [percentile(ms, 0.5), percentile(ms, 0.95), ms[0] ?? NaN]) };
    });
    const table = markdownTable(
      ['p50 / p95 / shortest, ms', 'old', 'new', 'new / old: p50', 'shortest'],
      rows.map(({ name, told }) => [
        name,
        ...told.map((ms) => ms.map((one) => one.toFixed(1)).join(' / ')),
        ...([0, 2] as const).map((n) => ((told[1]?.[n] ?? NaN) / (told[0]?.[n] ?? NaN)).toFixed(2)),
      ]),
    );
    console.log(
      `\n${table}\n\n${values.requests} requests of each, one at a time, at ${grouped(vents)} vents.`,
    );
    console.log(`Load average ${before.toFixed(1)} to ${loadavg()[0]?.toFixed(1)}.\n`);
    console.log(
      `${await reactionTable(running)}\n\n${clientsAtOnce} clients, ${rounds} rounds of ${values.seconds} s.\n`,
    );
    console.log(targetTable(targetsOf(rows)));
  } finally {
    for (const { client, stage } of running) {
      client.close();
      await stage.stop();
      stage.sql('delete from identity.sessions');
    }
  }
}

if (values.drop) for (const { database } of sides) dropDatabase(database);
else if (values.old === '') throw new Error('which checkout is the old one? --old /path');
else await compare();
