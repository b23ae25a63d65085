import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { listVents } from '@unsaid/contract';
import { cpuOf } from '../../tools/cpu.ts';
import { busySeconds, createBackendMeter, pidOfRedis } from '../lib/cpu-meters.ts';
import { haveWrk, runWrkOnEach } from '../lib/load.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { grouped, median, type Part } from '../lib/part.ts';
import { nameOf } from '../lib/vent-databases.ts';
import { startVentStage } from '../lib/vent-stage.ts';

/**
 * Two processes of the api against one. Where PostgreSQL, Redis and the load itself need the same few cores, two cannot be
 * twice as fast; so it is also measured with the api held to one core: what two do on one core together, they do on
 * two apart.
 */

const wantedRatio = 1.7;

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

export const measureProcesses: Part = async (context) => {
  if (!haveWrk()) return { text: 'wrk is not here and could not be installed: left out.', figures: null };
  const cores = availableParallelism();
  const database = nameOf(context.sizes[Math.min(1, context.sizes.length - 1)] ?? 0);
  const first = await startVentStage(context, database);
  const second = await startVentStage(context, database);
  const backends = createBackendMeter(first.stage.databaseUrl);
  const redisPid = pidOfRedis(context.redis);
  const everything = () => [first.stage.pid, second.stage.pid, redisPid, ...backends.pids()];
  const allCores = `0-${cores - 1}`;
  const origins = [first, second].map(
    ({ stage }) => `http://127.0.0.1:${stage.port}${listVents.path}?page=1`,
  );

  async function sample(processes: number, isHeld: boolean): Promise<Sample> {
    const addresses = origins.slice(0, processes);
    const load = { addresses, token: first.token, ...(isHeld ? { cores: `1-${cores - 1}` } : {}) };
    // Connections are opened before they are pinned, and code is compiled before it is measured.
    await runWrkOnEach({ ...load, seconds: 1 });
    for (const pid of everything()) pin(pid, isHeld ? `1-${cores - 1}` : allCores);
    if (isHeld) for (const { stage } of [first, second]) pin(stage.pid, '0');
    const read = () => [
      cpuOf(first.stage.pid).seconds + cpuOf(second.stage.pid).seconds,
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
    { what: 'one process', processes: 1, isHeld: false },
    { what: 'two processes', processes: 2, isHeld: false },
    { what: 'one process, the api held to one core', processes: 1, isHeld: true },
    { what: 'two processes, the api held to the same core', processes: 2, isHeld: true },
  ].filter(({ isHeld }) => !isHeld || cores > 1);
  try {
    const samples = ways.map((): Sample[] => []);
    for (let round = 0; round < context.rounds; round += 1)
      for (const [n, { processes, isHeld }] of ways.entries())
        samples[n]?.push(await sample(processes, isHeld));
    const of = (n: number, what: keyof Sample) => median((samples[n] ?? []).map((one) => one[what]));
    const ratioOf = (n: number) =>
      median((samples[n + 1] ?? []).map(({ rate }, round) => rate / (samples[n]?.[round]?.rate ?? NaN)));
    const ratio = ratioOf(0);
    const kept = ratioOf(2);
    // A machine with all cores in use cannot do more, whatever runs on it.
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
      `Two processes over one: ${ratio.toFixed(2)}. With one process, ${of(0, 'machine').toFixed(2)} of the machine's ${cores} cores were in use already, so no more than ${ceiling.toFixed(2)} times as much could have come out of it. Held to one core, two processes did ${kept.toFixed(2)} of what one did: with a core for each that would be ${(2 * kept).toFixed(2)} times one.`,
    ].join('\n');
    return {
      text,
      figures: { samples, ratio, kept, ceiling },
      targets: [
        {
          what: 'two api processes over one',
          wanted: `${wantedRatio} at least, where cores allow`,
          measured: `${ratio.toFixed(2)}; the machine allows ${ceiling.toFixed(2)}; with a core for each, reckoned, ${(2 * kept).toFixed(2)}`,
          isReached: ratio >= wantedRatio,
        },
      ],
    };
  } finally {
    await first.close();
    await second.close();
    first.stage.sql('delete from identity.sessions');
  }
};
