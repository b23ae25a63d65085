import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { listVents } from '@unsaid/contract';
import { cpuOf } from '../../tools/cpu.ts';
import { busySeconds, createBackendMeter } from '../lib/cpu-meters.ts';
import { runWrkOnEach } from '../lib/load.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { grouped, median, type Section } from '../lib/section.ts';
import { nameOf } from '../lib/vent-databases.ts';
import { startVentServer } from '../lib/vent-server.ts';

/**
 * Two api processes against one. On few cores, shared with PostgreSQL, Redis and the load generator, two cannot be twice
 * as fast. So it is also measured with all api processes pinned to one core: their joint throughput there, times two,
 * estimates that of two cores.
 */

const wantedRatio = 1.7;
const mostCpuMs = 0.4;

interface Sample {
  readonly rate: number;
  /** Cores in use, on average. */
  readonly api: number;
  readonly postgres: number;
  readonly redis: number;
  readonly machine: number;
}

const pin = (pid: number, cores: string) =>
  void execFileSync('taskset', ['-acp', cores, String(pid)], { stdio: 'ignore' });

export const measureProcesses: Section = async (context) => {
  const cores = availableParallelism();
  const database = nameOf(context.sizes[Math.min(1, context.sizes.length - 1)] ?? 0);
  const first = await startVentServer(context, database);
  const second = await startVentServer(context, database);
  const backends = createBackendMeter(first.server.databaseUrl);
  const redisPid = context.redis.pid();
  const everything = () => [first.server.pid, second.server.pid, redisPid, ...backends.pids()];
  const allCores = `0-${cores - 1}`;
  const origins = [first, second].map(
    ({ server }) => `http://127.0.0.1:${server.port}${listVents.path}?page=1`,
  );

  async function sample(processes: number, isPinned: boolean): Promise<Sample> {
    const addresses = origins.slice(0, processes);
    const load = { addresses, token: first.token, ...(isPinned ? { cores: `1-${cores - 1}` } : {}) };
    // Warm-up: opens the connections, which are pinned next, and compiles the code.
    await runWrkOnEach({ ...load, seconds: 1 });
    for (const pid of everything()) pin(pid, isPinned ? `1-${cores - 1}` : allCores);
    if (isPinned) for (const { server } of [first, second]) pin(server.pid, '0');
    const read = () => [
      cpuOf(first.server.pid).seconds + cpuOf(second.server.pid).seconds,
      backends.seconds(),
      cpuOf(redisPid).seconds,
      busySeconds(),
    ];
    const [before, begunAt] = [read(), performance.now()];
    const rate = await runWrkOnEach({ ...load, seconds: context.seconds });
    const took = (performance.now() - begunAt) / 1000;
    const [api = 0, postgres = 0, redis = 0, machine = 0] = read().map(
      (now, n) => (now - (before[n] ?? 0)) / took,
    );
    return { rate, api, postgres, redis, machine };
  }

  const ways = [
    { what: 'one process', processes: 1, isPinned: false },
    { what: 'two processes', processes: 2, isPinned: false },
    { what: 'one process, pinned to one core', processes: 1, isPinned: true },
    { what: 'two processes, pinned to the same core', processes: 2, isPinned: true },
  ].filter(({ isPinned }) => !isPinned || cores > 1);
  try {
    const samples = ways.map((): Sample[] => []);
    for (let round = 0; round < context.rounds; round += 1)
      for (const [n, { processes, isPinned }] of ways.entries())
        samples[n]?.push(await sample(processes, isPinned));
    const of = (n: number, what: keyof Sample) => median((samples[n] ?? []).map((one) => one[what]));
    const ratioOf = (n: number) =>
      median((samples[n + 1] ?? []).map(({ rate }, round) => rate / (samples[n]?.[round]?.rate ?? NaN)));
    const ratio = ratioOf(0);
    const pinnedRatio = ratioOf(2);
    const cpuMs = (1000 * of(0, 'api')) / of(0, 'rate');
    // The bound set by the number of cores.
    const ceiling = cores / of(0, 'machine');
    const text = [
      markdownTable(
        [
          'GET /api/vent/all?page=1',
          'requests a second',
          'cores: api',
          'PostgreSQL',
          'Redis',
          'all, with the load',
          'requests a core-second of the api',
        ],
        ways.map(({ what }, n) => [
          what,
          grouped(of(n, 'rate')),
          ...(['api', 'postgres', 'redis', 'machine'] as const).map((who) => of(n, who).toFixed(2)),
          grouped(of(n, 'rate') / of(n, 'api')),
        ]),
      ),
      '',
      `Two processes over one: ${ratio.toFixed(2)}. With one process, ${of(0, 'machine').toFixed(2)} of the machine's ${cores} cores were in use already, so at most ${ceiling.toFixed(2)} times as much is possible. Pinned to one core, two processes did ${pinnedRatio.toFixed(2)} of what one did: with a core for each that would be ${(2 * pinnedRatio).toFixed(2)} times one.`,
    ].join('\n');
    return {
      text,
      targets: [
        {
          what: 'two api processes over one',
          wanted: `${wantedRatio} at least, where cores allow`,
          measured: `${ratio.toFixed(2)}; the machine allows ${ceiling.toFixed(2)}; with a core for each, estimated, ${(2 * pinnedRatio).toFixed(2)}`,
          isReached: ratio >= wantedRatio,
        },
        {
          what: 'CPU of the api for a shared page',
          wanted: `${mostCpuMs} ms at most`,
          measured: `${cpuMs.toFixed(2)} ms`,
          isReached: cpuMs <= mostCpuMs,
        },
      ],
    };
  } finally {
    await first.close();
    await second.close();
    first.server.sql('delete from identity.sessions');
  }
};
