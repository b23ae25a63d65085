import { cpuOf, measureCalls } from '../../tools/cpu.ts';
import { createClient, percentile } from '../lib/client.ts';
import { createBackendMeter } from '../lib/cpu-meters.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import type { Section } from '../lib/section.ts';
import { signIn, startTestServer } from '../lib/test-server.ts';

/**
 * Complete sign-ins by new numbers: request and verify a code. The phone index uses a slow hash (PHONE_INDEX_COST), so
 * that a stolen index cannot be searched. A low cost shows the rest of the work.
 */

const ways = [
  { what: 'as in production (PHONE_INDEX_COST=15)', cost: '15', count: 120 },
  { what: 'as in tests (PHONE_INDEX_COST=4)', cost: '4', count: 600 },
];
const workers = 16;
const warmUps = 20;

export const measureSignIns: Section = async (context) => {
  const measured = [];
  for (const { what, cost, count } of ways) {
    const server = await startTestServer(`sign_ins_${cost}`, {
      env: { SERVICES: 'api', REDIS_URL: context.redis.url, PHONE_INDEX_COST: cost },
    });
    const client = createClient(server.port, workers);
    try {
      const one = (n: number) => signIn(server, client, `+9199${String(10_000_000 + (n + warmUps) * 37)}`);
      for (let n = -warmUps; n < 0; n += 1) await one(n);
      const backends = createBackendMeter(server.databaseUrl);
      const redisPid = context.redis.pid();
      const readCpu = () => [cpuOf(server.pid).seconds, backends.seconds(), cpuOf(redisPid).seconds];
      measured.push({ what, ...(await measureCalls({ count, workers, readCpu }, one)) });
    } finally {
      client.close();
      await server.stop();
    }
  }
  const text = [
    markdownTable(
      ['phone index', 'sign-ins a second', 'p50 ms', 'p99 ms', 'api, CPU ms', 'PostgreSQL', 'Redis'],
      measured.map(({ what, perSecond, times, cpuMs }) => [
        what,
        perSecond.toFixed(1),
        percentile(times, 0.5).toFixed(0),
        percentile(times, 0.99).toFixed(0),
        ...cpuMs.map((ms) => ms.toFixed(2)),
      ]),
    ),
    '',
    `${workers} concurrent clients, each with a new number. A sign-in is both calls and up to 20 ms of waiting for the code.`,
  ].join('\n');
  return { text };
};
