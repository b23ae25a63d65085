import { createVent, react, reactionTypes } from '@unsaid/contract';
import { createClient, percentile, type Client } from '../lib/client.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { grouped, type BenchContext, type Section, type SectionResult } from '../lib/section.ts';
import { signIn, startTestServer, type TestServer } from '../lib/test-server.ts';

/**
 * All clients react to one vent at once: two thirds set their reaction, one third toggles it. Fails if the counters differ
 * from the rows, if a counter was ever negative, and on a deadlock or an error of the server.
 */

/** Longer than a round of the other sections: contention takes a few seconds to build up. */
const lengthFactor = 4;
const fewestPerSecond = 1000;

function deadlocksIn(server: TestServer): number {
  return Number(
    server.sql('select deadlocks from pg_stat_database where datname = current_database()')[0]?.[0],
  );
}

export const measureHotVent: Section = async ({ clients, seconds }) => {
  const server = await startTestServer('hot_vent');
  const client = createClient(server.port, clients);
  try {
    return await measure(server, client, { clients, seconds: lengthFactor * seconds });
  } finally {
    client.close();
    await server.stop();
  }
};

async function measure(
  server: TestServer,
  client: Client,
  { seconds, clients }: Pick<BenchContext, 'seconds' | 'clients'>,
): Promise<SectionResult> {
  const tokens: string[] = [];
  for (let n = 0; n <= clients; n += 1)
    tokens.push(await signIn(server, client, `+9199${String(10_000_000 + n * 37)}`));
  const said = await client.call(createVent, {
    token: tokens[0] as string,
    body: { title: 'Everybody is here', text: 'and everybody is listening', emotion: 'Anxious' },
  });
  const ventId = said.body.vent?._id ?? '';

  const times: number[] = [];
  const errors = new Map<string, number>();
  let lowest = 0;
  let contradicted = 0;
  const begunAt = performance.now();
  const until = begunAt + seconds * 1000;
  await Promise.all(
    // Without the author, whose reactions are not counted.
    tokens.slice(1).map(async (token, position) => {
      for (let turn = 0; performance.now() < until; turn += 1) {
        const reactionType = reactionTypes[(turn + position) % reactionTypes.length] ?? 'heart';
        const active = position % 3 === 0 ? undefined : Math.floor(turn / 3) % 2 === 0;
        const askedAt = performance.now();
        const response = await client
          .call(react, { token, body: { ventId, reactionType, ...(active === undefined ? {} : { active }) } })
          .catch((error: unknown) => ({
            status: 0,
            body: { code: String((error as { code?: string }).code) } as never,
          }));
        times.push(performance.now() - askedAt);
        if (response.status !== 200) {
          const what = `${response.status} ${response.body.code ?? ''}`;
          errors.set(what, (errors.get(what) ?? 0) + 1);
          continue;
        }
        lowest = Math.min(lowest, ...Object.values(response.body.reactions));
        // Only this client changes this reaction.
        if (active !== undefined && response.body.myReactions.includes(reactionType) !== active)
          contradicted += 1;
      }
    }),
  );
  const took = (performance.now() - begunAt) / 1000;
  const [counted = []] = server.sql('select heart, hug, listen from content.vent_stats');
  const rows = reactionTypes.map(
    (kind) => server.sql(`select count(*) from content.reactions where kind = '${kind}'`)[0]?.[0],
  );
  // PostgreSQL reports deadlocks with a delay.
  await new Promise((resolve) => setTimeout(resolve, 1500));

  const sorted = times.toSorted((a, b) => a - b);
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0);
  const [p50, p99, worst] = [0.5, 0.99, 1].map((part) => percentile(sorted, part)) as [
    number,
    number,
    number,
  ];
  const perSecond = (times.length - failed) / took;
  const deadlocks = deadlocksIn(server);
  const problems: string[] = [];
  if (failed > 0) problems.push(`${failed} requests were not answered with 200`);
  if (times.length - failed < clients) problems.push('too few requests succeeded');
  if (deadlocks !== 0) problems.push('there were deadlocks');
  if (lowest < 0) problems.push(`a counter was seen at ${lowest}`);
  if (contradicted > 0) problems.push(`${contradicted} responses did not show the caller's own reaction`);
  if (counted.join() !== rows.join()) problems.push('the counters differ from the rows');
  if (server.log().includes('"level":"error"'))
    problems.push(`the server logged an error:\n${server.log().slice(0, 2000)}`);
  const text = [
    markdownTable(
      [
        'reactions a second',
        'p50 ms',
        'p99 ms',
        'worst ms',
        'errors',
        'deadlocks',
        'counter',
        'rows',
        'lowest seen',
      ],
      [
        [
          grouped(perSecond),
          p50.toFixed(1),
          p99.toFixed(1),
          worst.toFixed(1),
          `${failed}${[...errors].map(([what, count]) => `, ${count} × ${what}`).join('')}`,
          String(deadlocks),
          counted.join(' + '),
          rows.join(' + '),
          String(lowest),
        ],
      ],
    ),
    '',
    `One vent, ${clients} clients on the same machine, ${took.toFixed(1)} s. Counter and rows are hearts + hugs + listens and must be equal.`,
  ].join('\n');
  if (problems.length > 0) throw new Error(`${text}\n\n${problems.join('; ')}`);
  return {
    text,
    targets: [
      {
        what: 'reactions to one vent',
        wanted: `${grouped(fewestPerSecond)} a second at least`,
        measured: grouped(perSecond),
        isReached: perSecond >= fewestPerSecond,
      },
    ],
  };
}
