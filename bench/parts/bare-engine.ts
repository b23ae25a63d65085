import { listVents, react } from '@unsaid/contract';
import { createClient, type Client } from '../lib/client.ts';
import { haveWrk, runPgbench, runWrk, tablesOf, writeBareScript } from '../lib/load.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { grouped, median, type BenchContext, type Part } from '../lib/part.ts';
import { signIn, startStage, type Stage } from '../lib/stage.ts';
import { startStatementTap, type Statement } from '../lib/statement-tap.ts';
import { nameOf, urlOf } from '../lib/vent-databases.ts';
import { redisUrlOf, startVentStage } from '../lib/vent-stage.ts';

/**
 * Pages of the feed over HTTP, against the engine that is given nothing but the same page's statements. Both in
 * turns, in one run; `select 1` says how much the machine itself changes meanwhile.
 */

const shared = 'page=1';
/** A size the pager does not use: no copy of it is ever kept. */
const anew = 'page=1&limit=6';
const pathOf = (query: string) => `${listVents.path}?${query}`;

/**
 * All statements of one request to a server that has just started, with a Redis prefix nobody has used:
 * whatever the page needs, including who is asking, comes from the database.
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
    REDIS_URL: redisUrlOf(context),
    REDIS_PREFIX: `cold-${performance.now()}:`,
  };
  const stage = await startStage('bare', context.nextPort(), env, database);
  const client = createClient(stage.port, 1);
  try {
    tap.take();
    await client.call(listVents, { token, query: Object.fromEntries(new URLSearchParams(query)) });
    return tap.take();
  } finally {
    client.close();
    await stage.stop();
    tap.close();
  }
}

/** Somebody who has given nothing to any vent of the page, and has none of their own there. */
async function findStranger(stage: Stage, client: Client): Promise<string> {
  for (let n = 2; n <= 20; n += 1) {
    const token = await signIn(stage, client, `+91990000${String(n).padStart(4, '0')}`);
    const { vents } = (await client.call(listVents, { token, query: { page: '1' } })).body;
    if (vents.every(({ isOwner, myReactions }) => !isOwner && myReactions.length === 0)) return token;
  }
  throw new Error('everybody has something on the first page');
}

export const measureBareEngine: Part = async (context) => {
  if (!haveWrk()) return { text: 'wrk is not here and could not be installed: left out.', figures: null };
  const database = nameOf(context.sizes.at(-1) ?? 0);
  const { stage, client, token, close } = await startVentStage(context, database);
  const setReactions = async (active: boolean) => {
    // Minutes may lie between the two, and the server lets go of connections that are not used.
    const own = createClient(stage.port, 1);
    const { vents } = (await own.call(listVents, { token, query: { page: '1' } })).body;
    for (const { _id } of vents)
      await own.call(react, { token, body: { ventId: _id, reactionType: 'hug', active } });
    own.close();
  };
  try {
    const stranger = await findStranger(stage, client);
    await setReactions(true);
    const statements = await statementsOf(context, database, token, shared);
    const [bare, bareAnew, noise] = [
      writeBareScript(statements),
      writeBareScript(await statementsOf(context, database, token, anew)),
      writeBareScript([{ text: 'select 1', values: [] }]),
    ];
    const url = urlOf(database);
    const { seconds } = context;
    const wrk = (query: string, asker: string) => () =>
      runWrk(`http://127.0.0.1:${stage.port}${pathOf(query)}`, asker, seconds);
    const measured = {
      bare: () => runPgbench(url, bare, seconds),
      own: wrk(shared, token),
      nothing: wrk(shared, stranger),
      bareAnew: () => runPgbench(url, bareAnew, seconds),
      anew: wrk(anew, token),
      noise: () => runPgbench(url, noise, seconds),
    };
    type Name = keyof typeof measured;
    const names = Object.keys(measured) as Name[];
    const rates = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
    // Once for nothing: the first of each finds cold code and cold pages.
    for (const name of names) measured[name]();
    for (let round = 0; round < context.rounds; round += 1)
      for (const name of names) rates[name].push(measured[name]());

    const ratios = (http: Name, engine: Name) =>
      rates[http].map((rate, round) => rate / (rates[engine][round] ?? NaN));
    const rows = (
      [
        ['viewer-aware feed: somebody with reactions of their own on the page', 'own', 'bare', 0.5],
        ['shared page: somebody with nothing of theirs on the page', 'nothing', 'bare', 0.9],
        ['a page made anew for every request (limit=6)', 'anew', 'bareAnew', null],
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
      `${context.rounds} rounds of ${seconds} s each, at ${grouped(context.sizes.at(-1) ?? 0)} vents; HTTP by wrk with 16 connections, the engine by pgbench with 8. The ratio is the median of the rounds'. Noise meter: \`select 1\` ${grouped(median(rates.noise))} a second, highest over lowest ${spread('noise').toFixed(2)}.`,
      '',
      `Bare engine: the ${statements.length} statements of one such request that found nothing in any cache, on prepared statements with generic plans. They read:`,
      '',
      ...statements.map((statement) => `- ${tablesOf(statement)}`),
    ].join('\n');
    return {
      text,
      figures: { rates, rows, noiseSpread: spread('noise') },
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
    stage.sql('delete from identity.sessions');
  }
};
