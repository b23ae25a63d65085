import { loadavg } from 'node:os';
import { listen, listVents, react } from '@unsaid/contract';
import { measureCalls } from '../../tools/cpu.ts';
import { createClient, percentile } from '../lib/client.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { psql } from '../lib/psql.ts';
import { grouped, type BenchContext, type Section } from '../lib/section.ts';
import { startStatementTap, type Statement } from '../lib/statement-tap.ts';
import { copyDatabase, dropDatabase, nameOf, urlOf } from '../lib/vent-databases.ts';
import { startVentServer } from '../lib/vent-server.ts';

/**
 * The list of vents that wait, and a draw from it, at every size. Each runs on a copy of the database in which 5,000 vents
 * of the last week wait for their first answer and 500 for their second. Older ones stay as they were seeded, in the index.
 */

const waiting = { 0: 5000, 1: 500 };
const most = { listMs: 10, listPages: 60, drawMs: 5, growth: 1.15 };
const fewestHot = 0.95;
const warmUps = 100;

const letWait = `
  with since as (select coalesce(max(id), 0) as id from content.vents where created_at < now() - interval '7 days'),
       recent as (select vent_id, row_number() over (order by vent_id desc) as place
                    from content.vent_stats, since where vent_id > since.id and allow_comments)
  update content.vent_stats as stats
     set answers = case when place <= ${waiting[0]} then 0 when place <= ${waiting[0] + waiting[1]} then 1 else 2 end
    from recent where recent.vent_id = stats.vent_id`;

const isList = ({ text }: Statement) => text.includes('answers < 2') && text.includes('union all');

/** Milliseconds and pages of the statement, as the server sends it. */
function explain(url: string, { text, values }: Statement): { ms: number; pages: number; rows: number } {
  const literals = values.map((value) => `'${value.replaceAll("'", "''")}'`).join();
  const plan = psql(
    url,
    `set plan_cache_mode = force_generic_plan; set jit = off; prepare waiting as ${text};
     explain (analyze, buffers, timing off, format json) execute waiting(${literals})`,
  );
  const [found] = JSON.parse(plan) as {
    Plan: Record<string, number>;
    'Execution Time': number;
  }[];
  const of = (name: string) => found?.Plan[name] ?? NaN;
  return {
    ms: found?.['Execution Time'] ?? NaN,
    pages: of('Shared Hit Blocks') + of('Shared Read Blocks'),
    rows: of('Actual Rows'),
  };
}

async function measureSize(size: number, context: BenchContext) {
  const database = `unsaid_bench_listening_${process.pid}`;
  const url = urlOf(database);
  copyDatabase(nameOf(size), database);
  const tap = await startStatementTap(url);
  try {
    psql(url, letWait);
    psql(url, 'vacuum analyze content.vent_stats');
    const { client, token, server, close } = await startVentServer(context, database, {
      env: { DATABASE_URL: tap.url },
    });
    try {
      const draw = async () => {
        const { status, body } = await client.call(listen, { token, query: { count: '1' } });
        if (status !== 200 || body.vents.length !== 1) throw new Error(`drawn: ${status}`);
      };
      await draw();
      const list = tap.take().find(isList);
      if (!list) throw new Error('the list was not read');
      const lists = Array.from({ length: 30 }, () => explain(url, list));
      const listMs = percentile(
        lists.map(({ ms }) => ms).toSorted((a, b) => a - b),
        0.5,
      );
      for (let n = 0; n < warmUps; n += 1) await draw();
      const { times } = await measureCalls({ count: context.requests, workers: 1, readCpu: () => [] }, draw);
      return {
        size,
        listed: lists[0]?.rows ?? 0,
        listMs,
        listPages: lists.at(-1)?.pages ?? NaN,
        drawMs: percentile(times, 0.5),
        drawP99: percentile(times, 0.99),
        hot: await measureHot(server.port, token, url),
      };
    } finally {
      await close();
    }
  } finally {
    tap.close();
    dropDatabase(database);
  }
}

/** The share of updates of counters that change no index, of reactions to vents that wait. */
async function measureHot(port: number, token: string, url: string): Promise<number> {
  const read = () => {
    const [updates = 0, hot = 0] = psql(
      url,
      `select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relid = 'content.vent_stats'::regclass`,
    )
      .split('|')
      .map(Number);
    return { updates, hot };
  };
  const client = createClient(port, 1);
  const { vents } = (await client.call(listVents, { token, query: { limit: '100' } })).body;
  const before = read();
  for (let n = 0; n < 1000; n += 1)
    await client.call(react, {
      token,
      body: { ventId: vents[n % vents.length]?._id ?? '', reactionType: 'heart' },
    });
  client.close();
  // PostgreSQL reports its counts after a second at the earliest.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  const after = read();
  return (after.hot - before.hot) / (after.updates - before.updates);
}

export const measureListening: Section = async (context) => {
  const rows = [];
  for (const size of context.sizes) rows.push(await measureSize(size, context));
  const [first, last] = [rows[0], rows.at(-1)];
  const growth = (last?.listMs ?? NaN) / (first?.listMs ?? NaN);
  const table = markdownTable(
    ['vents', 'listed', 'list, ms', 'pages', 'draw over HTTP, p50 / p99 ms', 'HOT updates by reactions'],
    rows.map(({ size, listed, listMs, listPages, drawMs, drawP99, hot }) => [
      grouped(size),
      grouped(listed),
      listMs.toFixed(1),
      String(listPages),
      `${drawMs.toFixed(1)} / ${drawP99.toFixed(1)}`,
      `${(100 * hot).toFixed(1)} %`,
    ]),
  );
  const atMost = (what: string, limit: number, measured: number, unit: string) => ({
    what,
    wanted: `${limit}${unit} at most`,
    measured: `${measured.toFixed(unit === '' ? 2 : 1)}${unit}`,
    isReached: measured <= limit,
  });
  return {
    text: `${table}\n\n${context.requests} draws, one at a time; load average ${loadavg()[0]?.toFixed(1)}.`,
    targets: [
      atMost(`list at ${grouped(last?.size ?? 0)}`, most.listMs, last?.listMs ?? NaN, ' ms'),
      atMost(
        `pages of the list at ${grouped(last?.size ?? 0)}`,
        most.listPages,
        last?.listPages ?? NaN,
        ' pages',
      ),
      atMost(`list, ${grouped(last?.size ?? 0)} over ${grouped(first?.size ?? 0)}`, most.growth, growth, ''),
      atMost('draw, p50', most.drawMs, Math.max(...rows.map(({ drawMs }) => drawMs)), ' ms'),
      {
        what: 'HOT updates by reactions',
        wanted: `${100 * fewestHot} % at least`,
        measured: `${(100 * Math.min(...rows.map(({ hot }) => hot))).toFixed(1)} %`,
        isReached: rows.every(({ hot }) => hot >= fewestHot),
      },
    ],
  };
};
