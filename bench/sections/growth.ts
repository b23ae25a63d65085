import {
  getVent,
  listComments,
  listVents,
  searchVents,
  ventWeather,
  type ResponseOf,
} from '@unsaid/contract';
import { wordAt } from '../../server/seed/benchmark-texts.ts';
import { percentile, type Answer } from '../lib/client.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { grouped, type Section, type Target } from '../lib/section.ts';
import { nameOf } from '../lib/vent-databases.ts';
import { startVentServer, type VentServer } from '../lib/vent-server.ts';

/** The same read calls at every size, alternating request by request, so that noise affects all sizes alike. */

type Ask = () => Promise<Answer<unknown>>;

/** Not measured: compiles the code and fills the page cache. */
const warmUps = 20;
/** Stops after this, so that a busy machine makes fewer requests. */
const mostMs = 300_000;
const fewestRequests = 30;
const mostGrowth = 1.15;
const mostSearchMs = 20;

/** The request of the search page: twenty results and whether there are more. */
export const searches: Record<string, string> = {
  'search: in 1 of 5 (feel)': 'feel',
  'search: a Hindi word (नींद)': 'नींद',
  'search: a hashtag (#neet)': '#neet',
  'search: in 1 of 40': wordAt(10),
  'search: in 1 of 400': wordAt(100),
  'search: in 1 of 4,000': wordAt(1000),
  'search: in 1 of 40,000': wordAt(10_000),
  'search: no match': 'zzzzz',
  'search: prefix of many words (k)': 'k',
  'search: a frequent and a rare word': `feel ${wordAt(10_000)}`,
  'search: two words, each in 1 of 400': `${wordAt(100)} ${wordAt(101)}`,
  'search: two words, each in 1 of 40': `${wordAt(10)} ${wordAt(11)}`,
};

async function callsOf({ client, token }: VentServer): Promise<Record<string, Ask>> {
  const list = (query: Record<string, string>) => client.call(listVents, { token, query });
  const page = async (query: Record<string, string>): Promise<ResponseOf<typeof listVents>> =>
    (await list(query)).body;
  const id = (await page({ page: '9' })).vents[0]?._id ?? '';
  const loved =
    (await page({ limit: '100' })).vents.toSorted((a, b) => b.commentCount - a.commentCount)[0]?._id ?? '';
  return {
    'feed, page 1': () => list({ page: '1' }),
    'feed, page 10': () => list({ page: '10' }),
    // A page size that the pager does not use is not cached.
    'feed, page 1, uncached': () => list({ page: '1', limit: '6' }),
    'feed, page 10, uncached': () => list({ page: '10', limit: '6' }),
    'feed, older': () => list({ before: id }),
    trending: () => list({ sort: 'trending' }),
    detail: () => client.call(getVent, { token, params: { id } }),
    'my vents': () => list({ mine: 'true', limit: '50' }),
    'my vents with a word': () => list({ mine: 'true', limit: '50', query: 'feel' }),
    'comments of a vent': () => client.call(listComments, { token, params: { id: loved }, query: {} }),
    weather: () => client.call(ventWeather, { token }),
    ...Object.fromEntries(
      Object.entries(searches).map(([name, query]) => [
        name,
        () => client.call(searchVents, { token, query: { query, limit: '20' } }),
      ]),
    ),
    // The feed has a pager: it finds ten pages of five to count them.
    ...Object.fromEntries(
      ['search: in 1 of 400', 'search: two words, each in 1 of 40'].map((name) => [
        `${name}, on the feed`,
        () =>
          client.call(searchVents, { token, query: { query: searches[name] ?? '', limit: '5', page: '1' } }),
      ]),
    ),
  };
}

async function time(name: string, ask: Ask): Promise<number> {
  const begunAt = performance.now();
  const { status } = await ask();
  const took = performance.now() - begunAt;
  // 503 after the timeout of 2 s counts with its time.
  if (status !== 200 && status !== 503) throw new Error(`${name}: ${status}`);
  return took;
}

/** Word frequencies in a sample, to show that they are the same in the cloned vents as in the seeded ones. */
function sharesOf({ server }: VentServer, words: readonly string[]): Map<string, number> {
  const list = words.map((word) => `'${word}'`).join();
  const [[size = '1'] = []] = server.sql(
    `select greatest(reltuples, 1) from pg_class where oid = 'content.vent_search'::regclass`,
  );
  const percent = Math.min(100, (100 * 50_000) / Number(size));
  const rows = server.sql(
    `select word, avg((words @@ to_tsquery('simple', word))::int)
       from (select words from content.vent_search tablesample system (${percent}) repeatable (1)) as sample
      cross join unnest(array[${list}]) as asked (word) group by word`,
  );
  return new Map(rows.map(([word = '', share]) => [word, Number(share)]));
}

function shareTable(sizes: readonly number[], servers: readonly VentServer[]): string {
  const words = ['feel', 'नींद', 'neet', ...[10, 100, 1000].map(wordAt)];
  const shares = servers.slice(0, sizes.length).map((server) => sharesOf(server, words));
  return markdownTable(
    ['share of vents with', ...sizes.map(grouped)],
    words.map((word) => [word, ...shares.map((share) => `${(100 * (share.get(word) ?? NaN)).toFixed(3)} %`)]),
  );
}

export const measureGrowth: Section = async (context) => {
  const { sizes, requests, against } = context;
  const largest = sizes.at(-1) ?? 0;
  const columns = [...sizes.map(grouped), ...(against === null ? [] : [`${grouped(largest)}, before`])];
  const servers: VentServer[] = [];
  try {
    for (const size of sizes) servers.push(await startVentServer(context, nameOf(size)));
    if (against !== null)
      servers.push(
        await startVentServer(context, nameOf(largest), { tree: against, env: { REDIS_PREFIX: 'before:' } }),
      );
    const calls = await Promise.all(servers.map(callsOf));
    const names = Object.keys(calls[0] ?? {});
    const times = new Map(names.map((name) => [name, servers.map((): number[] => [])]));
    const begunAt = performance.now();
    let asked = 0;
    for (let n = -warmUps; n < requests; n += 1) {
      if (n >= fewestRequests && performance.now() - begunAt > mostMs) break;
      asked = n + 1;
      for (const name of names) {
        // Alternating order: the second one on the same database finds its pages in memory.
        const turn = [...calls.entries()];
        for (const [index, asks] of n % 2 === 0 ? turn : turn.toReversed()) {
          const took = await time(name, asks[name] as Ask);
          if (n >= 0) times.get(name)?.[index]?.push(took);
        }
      }
    }
    const rows = names.map((name) => {
      const sorted = (times.get(name) ?? []).map((list) => list.toSorted((a, b) => a - b));
      const p50 = sorted.map((list) => percentile(list, 0.5));
      const p99 = sorted.map((list) => percentile(list, 0.99));
      return { name, p50, p99, growth: (p50[sizes.length - 1] ?? NaN) / (p50[0] ?? NaN) };
    });
    const table = markdownTable(
      ['p50 / p99, ms', ...columns, 'growth of p50'],
      rows.map(({ name, p50, p99, growth }) => [
        name,
        ...p50.map((ms, index) => `${ms.toFixed(2)} / ${(p99[index] ?? NaN).toFixed(2)}`),
        growth.toFixed(2),
      ]),
    );
    return {
      text: `${table}\n\n${asked} requests of each, one at a time.\n\n${shareTable(sizes, servers)}`,
      targets: targetsOf(sizes, rows),
    };
  } finally {
    for (const server of servers) {
      await server.close();
      server.server.sql('delete from identity.sessions');
    }
  }
};

function targetsOf(
  sizes: readonly number[],
  rows: readonly { name: string; p50: readonly number[]; growth: number }[],
): Target[] {
  const last = sizes.length - 1;
  const span = `${grouped(sizes.at(-1) ?? 0)} over ${grouped(sizes[0] ?? 0)}`;
  const flat = ['feed, page 1', 'feed, page 1, uncached', 'trending', 'detail', 'my vents'].map(
    (name): Target => {
      const growth = rows.find((row) => row.name === name)?.growth ?? NaN;
      return {
        what: `${name}: p50 at ${span}`,
        wanted: `${mostGrowth} at most`,
        measured: growth.toFixed(2),
        isReached: growth <= mostGrowth,
      };
    },
  );
  const worst = rows
    .filter(({ name }) => name.startsWith('search'))
    .toSorted((a, b) => (b.p50[last] ?? 0) - (a.p50[last] ?? 0))[0];
  const ms = worst?.p50[last] ?? NaN;
  return [
    ...flat,
    {
      what: `worst p50 of search at ${grouped(sizes.at(-1) ?? 0)} (${worst?.name ?? ''})`,
      wanted: `${mostSearchMs} ms at most`,
      measured: `${ms.toFixed(1)} ms`,
      isReached: ms <= mostSearchMs,
    },
  ];
}
