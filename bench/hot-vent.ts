/**
 * npm run bench:hot-vent -- [--seconds 20] [--clients 64] [--port 3290]: one vent that everybody reacts to at
 * once. Two thirds say what they mean, a third toggles. Afterwards the counter must be its rows exactly, and
 * must never have been seen below zero; a deadlock or an error of the server fails it too.
 */
import { parseArgs } from 'node:util';
import { createVent, react, reactionTypes } from '@unsaid/contract';
import { createClient, percentile } from './lib/client.ts';
import { signIn, startStage } from './lib/stage.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '64' },
    port: { type: 'string', default: '3290' },
  },
});
const seconds = Math.min(Number(values.seconds), 300);
const clients = Math.min(Number(values.clients), 256);

const stage = await startStage('hot_vent', Number(values.port));
const client = createClient(stage.port, clients);
const problems: string[] = [];
try {
  await measure();
} finally {
  client.close();
  await stage.stop();
}
for (const problem of problems) console.error(`FAILED: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

function deadlocks(): number {
  return Number(
    stage.sql('select deadlocks from pg_stat_database where datname = current_database()')[0]?.[0],
  );
}

async function measure(): Promise<void> {
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
  const share = (part: number) => percentile(sorted, part).toFixed(1);
  console.log(`one vent, ${clients} clients, ${took.toFixed(1)} s, the clients on the same machine`);
  console.log(`reactions a second  ${Math.round((times.length - failed) / took)}`);
  console.log(`milliseconds        p50 ${share(0.5)}  p99 ${share(0.99)}  worst ${share(1)}`);
  console.log(
    `errors              ${failed}${[...errors].map(([what, count]) => `  ${count} × ${what}`).join('')}`,
  );
  console.log(`deadlocks           ${deadlocks()}`);
  console.log(
    `counter             heart ${counted[0]}, hug ${counted[1]}, listen ${counted[2]}; lowest ever seen ${lowest}`,
  );
  console.log(`rows                heart ${rows[0]}, hug ${rows[1]}, listen ${rows[2]}`);

  if (failed > 0) problems.push(`${failed} requests were not answered with 200`);
  if (times.length - failed < clients) problems.push('hardly anything happened');
  if (deadlocks() !== 0) problems.push('there were deadlocks');
  if (lowest < 0) problems.push(`a counter was seen at ${lowest}`);
  if (untrue > 0) problems.push(`${untrue} answers did not show the caller's own reaction`);
  if (counted.slice(0, 3).join() !== rows.join()) problems.push('the counter is not its rows');
  if (stage.log().includes('"level":"error"'))
    problems.push(`the server logged a fault:\n${stage.log().slice(0, 2000)}`);
}
