import { createVent, react, reactionTypes } from '@unsaid/contract';
import { createClient, percentile, type Client } from '../lib/client.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { grouped, type PartResult } from '../lib/part.ts';
import { signIn, startStage, type Stage } from '../lib/stage.ts';

/**
 * One vent that everybody reacts to at once. Two thirds say what they mean, a third toggles. Afterwards the counter
 * must be its rows exactly, and must never have been seen below zero; a deadlock or an error of the server fails it too.
 */

function deadlocksIn(stage: Stage): number {
  return Number(
    stage.sql('select deadlocks from pg_stat_database where datname = current_database()')[0]?.[0],
  );
}

export interface HotVentOptions {
  readonly seconds: number;
  readonly clients: number;
  readonly port: number;
}

export interface HotVentResult extends PartResult {
  /** Empty where everything held. */
  readonly problems: readonly string[];
}

export async function measureHotVent(options: HotVentOptions): Promise<HotVentResult> {
  const stage = await startStage('hot_vent', options.port);
  const client = createClient(stage.port, options.clients);
  try {
    return await measure(stage, client, options);
  } finally {
    client.close();
    await stage.stop();
  }
}

async function measure(
  stage: Stage,
  client: Client,
  { seconds, clients }: HotVentOptions,
): Promise<HotVentResult> {
  const tokens: string[] = [];
  for (let n = 0; n <= clients; n += 1)
    tokens.push(await signIn(stage, client, `+9199${String(10_000_000 + n * 37)}`));
  const said = await client.call(createVent, {
    token: tokens[0] as string,
    body: { title: 'Everybody is here', text: 'and everybody is listening', emotion: 'Anxious' },
  });
  const ventId = said.body.vent._id;

  const times: number[] = [];
  const errors = new Map<string, number>();
  let lowest = 0;
  let untrue = 0;
  const begunAt = performance.now();
  const until = begunAt + seconds * 1000;
  await Promise.all(
    // The author is one of them: what they give themselves is counted apart.
    tokens.slice(0, clients).map(async (token, position) => {
      for (let turn = 0; performance.now() < until; turn += 1) {
        const reactionType = reactionTypes[(turn + position) % reactionTypes.length] ?? 'heart';
        const active = position % 3 === 0 ? undefined : Math.floor(turn / 3) % 2 === 0;
        const askedAt = performance.now();
        const answer = await client
          .call(react, { token, body: { ventId, reactionType, ...(active === undefined ? {} : { active }) } })
          .catch((error: unknown) => ({
            status: 0,
            body: { code: String((error as { code?: string }).code) } as never,
          }));
        times.push(performance.now() - askedAt);
        if (answer.status !== 200) {
          const what = `${answer.status} ${answer.body.code ?? ''}`;
          errors.set(what, (errors.get(what) ?? 0) + 1);
          continue;
        }
        lowest = Math.min(lowest, ...Object.values(answer.body.reactions));
        // Nobody else can change what this person holds.
        if (active !== undefined && answer.body.myReactions.includes(reactionType) !== active) untrue += 1;
      }
    }),
  );
  const took = (performance.now() - begunAt) / 1000;
  const [counted = []] = stage.sql('select heart, hug, listen, own_weight from content.vent_stats');
  const rows = reactionTypes.map(
    (kind) => stage.sql(`select count(*) from content.reactions where kind = '${kind}'`)[0]?.[0],
  );
  // Counts of deadlocks arrive at the latest when the connections end.
  await new Promise((resolve) => setTimeout(resolve, 1500));

  const sorted = times.toSorted((a, b) => a - b);
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0);
  const [p50, p99, worst] = [0.5, 0.99, 1].map((part) => percentile(sorted, part)) as [
    number,
    number,
    number,
  ];
  const perSecond = (times.length - failed) / took;
  const deadlocks = deadlocksIn(stage);
  const problems: string[] = [];
  if (failed > 0) problems.push(`${failed} requests were not answered with 200`);
  if (times.length - failed < clients) problems.push('hardly anything happened');
  if (deadlocks !== 0) problems.push('there were deadlocks');
  if (lowest < 0) problems.push(`a counter was seen at ${lowest}`);
  if (untrue > 0) problems.push(`${untrue} answers did not show the caller's own reaction`);
  if (counted.slice(0, 3).join() !== rows.join()) problems.push('the counter is not its rows');
  if (stage.log().includes('"level":"error"'))
    problems.push(`the server logged a fault:\n${stage.log().slice(0, 2000)}`);
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
          counted.slice(0, 3).join(' + '),
          rows.join(' + '),
          String(lowest),
        ],
      ],
    ),
    '',
    `One vent, ${clients} clients on the same machine, ${took.toFixed(1)} s. Counter and rows: hearts + hugs + listens, which must be equal.`,
  ].join('\n');
  return { text, figures: { perSecond, p50, p99, worst, failed, deadlocks }, problems };
}
