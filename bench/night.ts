/**
 * npm run bench:night -- [--vents 1000000] [--comments 100000] [--reactions 300000] [--seconds 20]
 *
 * Runs the nightly rewrite of a day's comments and reactions while clients read, comment and react, on a copy of the
 * database of `npm run bench`.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { readOptions } from '../testkit/options.ts';
import { commentOnVent, listVents, react, reactionTypes } from '@unsaid/contract';
import { readConfig } from '../server/src/config.ts';
import { buildDeps } from '../server/src/deps.ts';
import { buildFeatures } from '../server/src/features.ts';
import { findServices } from '../tools/services.ts';
import { createClient, percentile, type Answer } from './lib/client.ts';
import { psql } from './lib/psql.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { findPeople, openSessions } from './lib/open-sessions.ts';
import { grouped } from './lib/section.ts';
import { startTestServer } from './lib/test-server.ts';
import { copyDatabase, dropDatabase, nameOf, prepareVents, urlOf } from './lib/vent-databases.ts';

const { vents, comments, reactions, seconds } = readOptions({
  vents: 1_000_000,
  comments: 100_000,
  reactions: 300_000,
  seconds: 20,
});
const people = 4;
const database = `unsaid_bench_night_${process.pid}`;
const url = urlOf(database);

/** Marks the last rows of a table as written today and not yet rewritten. Returns how many there are. */
function makeFresh(table: string, key: string, count: number): number {
  psql(
    url,
    `update content.${table} set is_fresh = true
      where (${key}) in (select ${key} from content.${table} order by vent_id desc limit ${count})`,
  );
  return Number(psql(url, `select count(*) from content.${table} where is_fresh`));
}

async function rewrite(): Promise<number> {
  const env = {
    ...findServices(),
    NODE_ENV: 'test',
    DATABASE_URL: url,
    REDIS_PREFIX: `${database}:`,
    LOG_LEVEL: 'warn',
  };
  const deps = await buildDeps(readConfig(env));
  try {
    const { jobs } = await buildFeatures(deps);
    const begunAt = performance.now();
    const job = jobs.find(({ name }) => name === 'rewrite-fresh-content');
    if (!job) throw new Error('there is no job of this name');
    await job.run();
    return (performance.now() - begunAt) / 1000;
  } finally {
    await deps.close();
  }
}

const phases = ['before', 'during'] as const;
const calls = ['feed, uncached', 'comment', 'react'] as const;

async function measure(): Promise<void> {
  const fresh = [
    makeFresh('comments', 'vent_id, no', comments),
    makeFresh('reactions', 'vent_id, reactor_key', reactions),
  ] as const;
  psql(url, 'vacuum analyze content.comments, content.reactions');
  const server = await startTestServer(database, { database, env: { SERVICES: 'api' } });
  const client = createClient(server.port, people);
  const tokens = await openSessions(url, findPeople(url, people));
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
    await pause(seconds * 1000);
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
    const rows = `${grouped(fresh[0])} comments and ${grouped(fresh[1])} reactions`;
    console.log(`${rows} rewritten in ${took.toFixed(1)} s.\n\n${table}\n`);
    console.log(
      `${people} clients, one request at a time each. Requests that failed: ${refused.join(' and ')}. Load average ${loadavg()[0]?.toFixed(1)}.`,
    );
    const left = Number(psql(url, 'select count(*) from content.reactions where is_fresh'));
    console.log(`Reactions written meanwhile, which the next night rewrites: ${grouped(left)}.`);
    if (left >= fresh[1] || refused.some((count) => count > 0)) process.exitCode = 1;
  } finally {
    now.isDone = true;
    await Promise.allSettled(working);
    client.close();
    await server.stop();
  }
}

await prepareVents([vents], { isFresh: false });
copyDatabase(nameOf(vents), database);
try {
  await measure();
} finally {
  dropDatabase(database);
}
