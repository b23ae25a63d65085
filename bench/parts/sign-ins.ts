import { cpuOf, measureCalls } from '../../tools/cpu.ts';
import { createClient, percentile } from '../lib/client.ts';
import { createBackendMeter, pidOfRedis } from '../lib/cpu-meters.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import type { Part } from '../lib/part.ts';
import { signIn, startStage } from '../lib/stage.ts';
import { redisUrlOf } from '../lib/vent-stage.ts';

/**
 * Whole sign-ins: a code asked for, and answered, each by a new number. The index of numbers is slow on purpose, so
 * that a stolen one cannot be searched; how slow, PHONE_INDEX_COST says. With next to none, the rest shows.
 */

const ways = [
  { what: 'as in production (PHONE_INDEX_COST=15)', cost: '15', count: 120 },
  { what: 'as in tests (PHONE_INDEX_COST=4)', cost: '4', count: 600 },
];
const workers = 16;
const warmUps = 20;

export const measureSignIns: Part = async (context) => {
  const measured = [];
  for (const { what, cost, count } of ways) {
    const stage = await startStage(`sign_ins_${cost}`, context.nextPort(), {
      SERVICES: 'api',
      REDIS_URL: redisUrlOf(context),
      PHONE_INDEX_COST: cost,
    });
    const client = createClient(stage.port, workers);
    try {
      const one = (n: number) => signIn(stage, client, `+9199${String(10_000_000 + (n + warmUps) * 37)}`);
      for (let n = -warmUps; n < 0; n += 1) await one(n);
      const backends = createBackendMeter(stage.databaseUrl);
      const redisPid = pidOfRedis(context.redis);
      const readCpu = () => [cpuOf(stage.pid).seconds, backends.seconds(), cpuOf(redisPid).seconds];
      measured.push({ what, ...(await measureCalls({ count, workers, readCpu }, one)) });
    } finally {
      client.close();
      await stage.stop();
    }
  }
  const text = [
    markdownTable(
      ['the index of numbers', 'sign-ins a second', 'p50 ms', 'p99 ms', 'api, CPU ms', 'PostgreSQL', 'Redis'],
      measured.map(({ what, perSecond, times, cpuMs }) => [
        what,
        perSecond.toFixed(1),
        percentile(times, 0.5).toFixed(0),
        percentile(times, 0.99).toFixed(0),
        ...cpuMs.map((ms) => ms.toFixed(2)),
      ]),
    ),
    '',
    `${workers} people at once, each with a new number; both calls of a sign-in, and up to 20 ms of waiting for the code to arrive.`,
  ].join('\n');
  return { text, figures: measured.map(({ times, ...rest }) => ({ ...rest, p50: percentile(times, 0.5) })) };
};
