/**
 * npm run bench:night -- [--database unsaid_cmp_new_1000000] [--comments 100000] [--reactions 300000] [--seconds 20]
 *
 * Runs the nightly rewrite of a day's comments and reactions while clients read, comment and react. Uses a copy of the
 * database that `npm run bench:compare` left, or of any other with vents.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { commentOnVent, listVents, react, reactionTypes } from '@unsaid/contract';
import { readConfig } from '../server/src/config.ts';
import { buildDeps } from '../server/src/deps.ts';
import { buildFeatures } from '../server/src/features.ts';
import { createClient, percentile, type Answer } from './lib/client.ts';
import { psql } from './lib/psql.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { openSessions } from './lib/open-sessions.ts';
import { grouped } from './lib/section.ts';
import { startTestServer } from './lib/test-server.ts';
import { copyDatabase, dropDatabase, services, urlOf } from './lib/vent-databases.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'unsaid_cmp_new_1000000' },
    comments: { type: 'string', default: '100000' },
    reactions: { type: 'string', default: '300000' },
    seconds: { type: 'string', default: '20' },
  },
});
const people = 4;
const database = `unsaid_bench_night_${process.pid}`;
const url = urlOf(database);

/** Marks the last rows of a table as written today and not yet rewritten. */
function makeFresh(table: string, key: string, count: number): void {
  psql(
    url,
    `update content.${table} set is_fresh = true
      where (${key}) in (select ${key} from content.${table} order by vent_id desc limit ${count})`,
  );
}

async function rewrite(): Promise<number> {
  const env = {
    ...services,
    NODE_ENV: 'test',
    DATABASE_URL: url,
    REDIS_PREFIX: `${database}:`,
    LOG_LEVEL: 'warn',
  };
  const deps = await buildDeps(readConfig(env));
  try {
    const { jobs } = await buildFeatures(deps);
    const begunAt = performance.now();
    await jobs.find(({ name }) => name === 'rewrite-fresh-content')?.run();
    return (performance.now() - begunAt) / 1000;
  } finally {
    await deps.close();
  }
}

const phases = ['before', 'during'] as const;
const calls = ['feed, uncached', 'comment', 'react'] as const;

async function measure(): Promise<void> {
  makeFresh('comments', 'vent_id, no', Number(values.comments));
  makeFresh('reactions', 'vent_id, reactor_key', Number(values.reactions));
  psql(url, 'vacuum analyze content.comments, content.reactions');
  const server = await startTestServer(database, { database, env: { SERVICES: 'api' } });
  const client = createClient(server.port, people);
  const tokens = openSessions(
    url,
    Array.from({ length: people }, (_, n) => BigInt(1000 + n * 7)),
  );
  const times = phases.map(() => calls.map((): number[] => []));
  const refused = phases.map(() => 0);
  /** Index of the phase; -1 during warm-up. */
  const now = { phase: -1, isDone: false };
  const { vents } = (await client.call(listVents, { token: tokens[0] ?? '', query: { limit: '100' } })).body;
  const open = vents.filter(({ userId }) => userId.allowComments);
  const ask = (call: (typeof calls)[number], token: string, n: number): Promise<Answer<unknown>> => {
    const ventId = open[n % open.length]?._id ?? '';
    if (call === 'comment')
      return client.call(commentOnVent, { token, body: { ventId, text: 'I hear you' } });
    if (call === 'react')
      return client.call(react, { token, body: { ventId, reactionType: reactionTypes[n % 3] ?? 'hug' } });
    return client.call(listVents, { token, query: { limit: '6' } });
  };
  const working = tokens.map(async (token, position) => {
    for (let n = position * 25; !now.isDone; n += 1)
      for (const [index, call] of calls.entries()) {
        const askedIn = now.phase;
        const askedAt = performance.now();
        const { status } = await ask(call, token, n);
        if (askedIn >= 0 && status >= 300) refused[askedIn] = (refused[askedIn] ?? 0) + 1;
        times[askedIn]?.[index]?.push(performance.now() - askedAt);
      }
  });
  try {
    await pause(5000);
    now.phase = 0;
    await pause(Number(values.seconds) * 1000);
    now.phase = 1;
    const took = await rewrite();
    now.isDone = true;
    await Promise.all(working);
    const table = markdownTable(
      [
        'p50 / p99 / max, ms',
        ...phases.map((name) => (name === 'before' ? 'before the rewrite' : 'during the rewrite')),
      ],
      calls.map((call, index) => [
        call,
        ...times.map((list) => {
          const sorted = (list[index] ?? []).toSorted((a, b) => a - b);
          return [0.5, 0.99, 1].map((share) => percentile(sorted, share).toFixed(1)).join(' / ');
        }),
      ]),
    );
    const rows = `${grouped(Number(values.comments))} comments and ${grouped(Number(values.reactions))} reactions`;
    console.log(`${rows} rewritten in ${took.toFixed(1)} s.\n\n${table}\n`);
    console.log(
      `${people} clients, one request at a time each. Requests that failed: ${refused.join(' and ')}. Load average ${loadavg()[0]?.toFixed(1)}.`,
    );
    console.log(
      `Rows left to rewrite: ${psql(url, 'select count(*) from content.reactions where is_fresh')}.`,
    );
  } finally {
    now.isDone = true;
    await Promise.allSettled(working);
    client.close();
    await server.stop();
  }
}

copyDatabase(values.database, database);
try {
  await measure();
} finally {
  dropDatabase(database);
}
