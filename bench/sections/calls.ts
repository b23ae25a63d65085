import { endpoints, type Endpoint } from '@unsaid/contract';
import { readConfig } from '../../server/src/config.ts';
import { buildDeps } from '../../server/src/deps.ts';
import { cpuOf, measureCalls } from '../../tools/cpu.ts';
import { findServices } from '../../tools/services.ts';
import { createClient, percentile } from '../lib/client.ts';
import { openConsole } from '../lib/console.ts';
import { createBackendMeter } from '../lib/cpu-meters.ts';
import {
  few,
  measureAccounts,
  measureChoices,
  measureMatching,
  measureProfiles,
  measureReading,
  measureSessions,
  measureWriting,
  people,
  type Measure,
  type Setup,
} from '../lib/every-call.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { findPeople, openSessions } from '../lib/open-sessions.ts';
import { grouped, type Section } from '../lib/section.ts';
import { startTestServer } from '../lib/test-server.ts';
import { copyDatabase, dropDatabase, nameOf, urlOf } from '../lib/vent-databases.ts';

/** Every call of the contract, sixteen concurrent, on a copy of a database, which is dropped afterwards. */

const workers = 16;

interface Row {
  readonly endpoint: Endpoint;
  readonly what: string;
  readonly count: number;
  /** Responses with 503, after the timeout. */
  readonly refused: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMs: readonly number[];
}

export const measureEveryCall: Section = async (context) => {
  const size = context.sizes[Math.min(1, context.sizes.length - 1)] ?? 0;
  const database = `unsaid_bench_calls_${process.pid}`;
  copyDatabase(nameOf(size), database);
  const rows: Row[] = [];
  try {
    const server = await startTestServer(database, {
      database,
      env: { SERVICES: 'api', REDIS_URL: context.redis.url, PHONE_INDEX_COST: '15' },
    });
    const client = createClient(server.port, workers);
    const deps = await buildDeps(
      readConfig({
        ...findServices(),
        NODE_ENV: 'test',
        DATABASE_URL: server.databaseUrl,
        REDIS_URL: context.redis.url,
        REDIS_PREFIX: `${database}:`,
        LOG_LEVEL: 'warn',
        LIMITS_SCALE: '1000000',
        SERVICES: 'mod',
      }),
    );
    const moderator = await openConsole(deps);
    const backends = createBackendMeter(urlOf(database));
    const redisPid = context.redis.pid();
    const readCpu = () => [cpuOf(server.pid).seconds, backends.seconds(), cpuOf(redisPid).seconds];
    let share = 1;
    const measure: Measure = async (endpoint, what, wanted, one) => {
      const count = Math.ceil(wanted * share);
      let refused = 0;
      const measured = await measureCalls(
        { count, workers: wanted > few ? workers : 1, readCpu },
        async (n) => {
          const { status, body } = await one(n);
          if (status === 503) refused += 1;
          else if (status >= 300) throw new Error(`${what}: ${status} ${body.code}`);
        },
      );
      const { times, perSecond, cpuMs } = measured;
      rows.push({
        endpoint,
        what,
        count,
        refused,
        perSecond,
        cpuMs,
        p50: percentile(times, 0.5),
        p99: percentile(times, 0.99),
      });
    };
    try {
      // Frequent and rare writers.
      const readerIds = findPeople(server.databaseUrl, people);
      const setup: Setup = {
        server,
        client,
        console: moderator,
        measure,
        readerIds,
        readers: await openSessions(server.databaseUrl, readerIds),
      };
      // Warm-up, until the code is compiled.
      share = 0.1;
      await measureReading(setup);
      rows.length = 0;
      share = 1;
      await measureReading(setup);
      await measureChoices(setup);
      await measureWriting(setup);
      await measureMatching(setup);
      await measureProfiles(setup);
      await measureSessions(setup);
      await measureAccounts(setup);
    } finally {
      client.close();
      await moderator.close();
      await deps.close();
      await server.stop();
    }
  } finally {
    dropDatabase(database);
  }
  const missing = endpoints.filter((endpoint) => rows.every((row) => row.endpoint !== endpoint));
  if (missing.length > 0) throw new Error(`not measured: ${missing.map(({ path }) => path).join()}`);
  const text = [
    markdownTable(
      ['call', 'what', 'times', 'p50 ms', 'p99 ms', 'a second', 'api, CPU ms', 'PostgreSQL', 'Redis'],
      rows.map(({ endpoint, what, count, refused, perSecond, p50, p99, cpuMs }) => [
        `${endpoint.method} ${endpoint.path}`,
        what,
        refused > 0 ? `${count}, ${refused} refused` : String(count),
        p50.toFixed(1),
        p99.toFixed(1),
        perSecond < 10 ? perSecond.toFixed(1) : grouped(perSecond),
        ...cpuMs.map((ms) => ms.toFixed(2)),
      ]),
    ),
    '',
    `All ${endpoints.length} calls of the contract, ${workers} concurrent, at ${grouped(size)} vents, the client on the same machine: p50 is mostly queueing. CPU of PostgreSQL is that of its backends.`,
  ].join('\n');
  return { text };
};
