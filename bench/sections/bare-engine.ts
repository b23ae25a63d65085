import { listVents, react } from '@unsaid/contract';
import { createClient, type Client } from '../lib/client.ts';
import { runPgbench, runWrk, tablesOf, writeBareScript } from '../lib/load.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { grouped, median, type BenchContext, type Section } from '../lib/section.ts';
import { signIn, startTestServer, type TestServer } from '../lib/test-server.ts';
import { startStatementTap, type Statement } from '../lib/statement-tap.ts';
import { nameOf, urlOf } from '../lib/vent-databases.ts';
import { startVentServer } from '../lib/vent-server.ts';

/**
 * Throughput of feed pages over HTTP against PostgreSQL with only the statements of the same page, alternating in one
 * run. `select 1` measures the noise of the machine.
 */

const shared = 'page=1';
/** A page size that the pager does not use: it is never cached. */
const uncached = 'page=1&limit=6';
const pathOf = (query: string) => `${listVents.path}?${query}`;

/**
 * All statements of one request to a server with cold caches: it has just started and has an unused Redis prefix. So
 * everything the page needs comes from the database, the session included.
 */
async function statementsOf(
  context: BenchContext,
  database: string,
  token: string,
  query: string,
): Promise<Statement[]> {
  const tap = await startStatementTap(urlOf(database));
  const env = {
    DATABASE_URL: tap.url,
    SERVICES: 'api',
    REDIS_URL: context.redis.url,
    REDIS_PREFIX: `cold-${performance.now()}:`,
  };
  const server = await startTestServer('bare', { env, database });
  const client = createClient(server.port, 1);
  try {
    tap.take();
    await client.call(listVents, { token, query: Object.fromEntries(new URLSearchParams(query)) });
    return tap.take();
  } finally {
    client.close();
    await server.stop();
    tap.close();
  }
}

/** A person without vents or reactions on the first page. */
async function findStranger(server: TestServer, client: Client): Promise<string> {
  for (let n = 2; n <= 20; n += 1) {
    const token = await signIn(server, client, `+91990000${String(n).padStart(4, '0')}`);
    const { vents } = (await client.call(listVents, { token, query: { page: '1' } })).body;
    if (vents.every(({ isOwner, myReactions }) => !isOwner && myReactions.length === 0)) return token;
  }
  throw new Error('every seeded person has a vent or a reaction on the first page');
}

export const measureBareEngine: Section = async (context) => {
  const database = nameOf(context.sizes.at(-1) ?? 0);
  const { server, client, token, close } = await startVentServer(context, database);
  const setReactions = async (active: boolean) => {
    // A new client: the server closes idle connections, and minutes may pass between the two calls.
    const own = createClient(server.port, 1);
    const { vents } = (await own.call(listVents, { token, query: { page: '1' } })).body;
    for (const { _id } of vents)
      await own.call(react, { token, body: { ventId: _id, reactionType: 'hug', active } });
    own.close();
  };
  try {
    const stranger = await findStranger(server, client);
    await setReactions(true);
    const statements = await statementsOf(context, database, token, shared);
    const [bare, bareUncached, noise] = [
      writeBareScript(statements),
      writeBareScript(await statementsOf(context, database, token, uncached)),
      writeBareScript([{ text: 'select 1', values: [] }]),
    ];
    const url = urlOf(database);
    const { seconds } = context;
    const wrk = (query: string, asker: string) => () =>
      runWrk(`http://127.0.0.1:${server.port}${pathOf(query)}`, asker, seconds);
    const measured = {
      bare: () => runPgbench(url, bare, seconds),
      own: wrk(shared, token),
      nothing: wrk(shared, stranger),
      bareUncached: () => runPgbench(url, bareUncached, seconds),
      uncached: wrk(uncached, token),
      noise: () => runPgbench(url, noise, seconds),
    };
    type Name = keyof typeof measured;
    const names = Object.keys(measured) as Name[];
    const rates = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
    // Warm-up.
    for (const name of names) measured[name]();
    for (let round = 0; round < context.rounds; round += 1)
      for (const name of names) rates[name].push(measured[name]());

    const ratios = (http: Name, engine: Name) =>
      rates[http].map((rate, round) => rate / (rates[engine][round] ?? NaN));
    const rows = (
      [
        ['viewer-aware feed: the reader has reactions on the page', 'own', 'bare', 0.5],
        ['shared page: the reader has nothing on the page', 'nothing', 'bare', 0.9],
        ['uncached page (limit=6)', 'uncached', 'bareUncached', null],
      ] as const
    ).map(([what, http, engine, wanted]) => {
      const each = ratios(http, engine);
      return {
        what,
        http: median(rates[http]),
        bare: median(rates[engine]),
        ratio: median(each),
        each,
        wanted,
      };
    });
    const spread = (name: Name) => Math.max(...rates[name]) / Math.min(...rates[name]);
    const text = [
      markdownTable(
        [
          'GET /api/vent/all?page=1',
          'HTTP, a second',
          'bare engine, a second',
          'ratio',
          'lowest and highest of a round',
        ],
        rows.map(({ what, http, bare: engine, ratio, each }) => [
          what,
          grouped(http),
          grouped(engine),
          ratio.toFixed(2),
          `${Math.min(...each).toFixed(2)} to ${Math.max(...each).toFixed(2)}`,
        ]),
      ),
      '',
      `${context.rounds} rounds of ${seconds} s each, at ${grouped(context.sizes.at(-1) ?? 0)} vents; HTTP by wrk with 16 connections, the engine by pgbench with 8. The ratio is the median of the rounds'. Noise: \`select 1\` ${grouped(median(rates.noise))} a second, highest over lowest ${spread('noise').toFixed(2)}.`,
      '',
      `Bare engine: the ${statements.length} statements of one such request with cold caches, prepared, with generic plans. They read:`,
      '',
      ...statements.map((statement) => `- ${tablesOf(statement)}`),
    ].join('\n');
    return {
      text,
      targets: rows.flatMap(({ what, ratio, wanted }) =>
        wanted === null
          ? []
          : [
              {
                what: `${what}: HTTP over the bare engine`,
                wanted: `${wanted} at least`,
                measured: ratio.toFixed(2),
                isReached: ratio >= wanted,
              },
            ],
      ),
    };
  } finally {
    await setReactions(false);
    await close();
    server.sql('delete from identity.sessions');
  }
};
