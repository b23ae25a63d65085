/**
 * npm run bench:live -- [--sockets 4000] [--processes 2] [--vents 20000] [--seconds 75] [--drain 30000] [--only <faults>]
 *
 * Live connections on the real processes, with their own PostgreSQL and Redis. Measures CPU, memory and PostgreSQL time of
 * ticks, then breaks things: an api, Redis and PostgreSQL are killed, and an api is restarted. Passes if 99 % of the lost
 * connections are back within 15 s, none stays away, every socket gets its ticks, and no process ends by itself. About
 * five minutes.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readOptions } from '../testkit/options.ts';
import { readConfig } from '../server/src/config.ts';
import { buildDeps } from '../server/src/deps.ts';
import { createSampleTexts } from '../server/seed/sample-texts.ts';
import { seedVents } from '../server/seed/vents.ts';
import { freePort } from '../testkit/free-port.ts';
import { startTempPostgres } from '../testkit/temp-postgres.ts';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { percentile } from './lib/client.ts';
import { createBackendMeter, runSeconds } from './lib/cpu-meters.ts';
import { onCleanup, runCleanup } from './lib/faults/cleanup.ts';
import { migrateDatabase, supervise, type SupervisedProcess } from './lib/faults/deployment.ts';
import { createSwarm, tickMs, type Member, type Swarm } from './lib/live-swarm.ts';
import { openSessions } from './lib/open-sessions.ts';
import { idAt, seedPeople } from './lib/seed-people.ts';

const {
  sockets,
  processes,
  vents,
  seconds,
  drain: drainMs,
  only,
} = readOptions({
  sockets: 4000,
  processes: 2,
  vents: 20_000,
  seconds: 75,
  drain: 30_000,
  only: ['api killed', 'Redis killed', 'PostgreSQL killed', 'api restarted'],
});
const origin = 'http://unsaid.bench';
const problems: string[] = [];

const rssBytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
const sum = (numbers: readonly number[]) => numbers.reduce((before, one) => before + one, 0);
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

interface Answer {
  readonly result?: { readonly result?: { readonly value?: number } };
}

/** Bytes that a process still uses after a garbage collection, asked of its inspector. */
async function liveBytes(inspectorPort: number): Promise<number> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const inspector = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve) => inspector.addEventListener('open', resolve, { once: true }));
  const ask = (id: number, method: string, params: object = {}) =>
    new Promise<Answer>((resolve) => {
      inspector.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data)) as Answer & { readonly id?: number };
        if (answer.id === id) resolve(answer);
      });
      inspector.send(JSON.stringify({ id, method, params }));
    });
  await ask(1, 'HeapProfiler.collectGarbage');
  const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
  const { result } = await ask(2, 'Runtime.evaluate', { expression, returnByValue: true });
  inspector.close();
  return result?.result?.value ?? 0;
}

/** People with pairs and vents, as many as there are connections. */
async function seed(url: string): Promise<string[]> {
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: url, LOG_LEVEL: 'error' });
  const deps = await buildDeps({ ...config, databaseTimeoutMs: 0 });
  try {
    await seedPeople({ url, ...deps }, sockets);
    const options = { seed: 1, vents: vents, users: sockets, texts: createSampleTexts };
    for await (const _done of seedVents(deps.databases.content, { ...deps, ...options, now: Date.now() })) {
      // Each batch is committed.
    }
  } finally {
    await deps.close();
  }
  return openSessions(
    url,
    Array.from({ length: sockets }, (_, n) => idAt(n)),
  );
}

/** How far ticks are from the beat, and how many are missing. */
function checkBeat(swarm: Swarm, from: number): { readonly worstMs: number; readonly p99Ms: number } {
  const deviations = swarm.members.flatMap(({ ticks }) =>
    ticks
      .filter((at) => at >= from)
      .flatMap((at, n, all) => (n === 0 ? [] : [Math.abs(at - (all[n - 1] as number) - tickMs)])),
  );
  const order = sorted(deviations);
  return { worstMs: order.at(-1) ?? 0, p99Ms: percentile(order, 0.99) };
}

interface Memory {
  /** Resident, with what is not collected yet. */
  readonly resident: number;
  readonly live: number;
}

async function readMemory(
  apis: readonly SupervisedProcess[],
  inspectorPorts: readonly number[],
): Promise<Memory> {
  const resident = sum(apis.map((api) => rssBytes(api.pid())));
  return { resident, live: sum(await Promise.all(inspectorPorts.map(liveBytes))) };
}

async function measureSteady(
  swarm: Swarm,
  apis: readonly SupervisedProcess[],
  url: string,
  memoryGrowth: () => Promise<Memory>,
) {
  const meter = createBackendMeter(url);
  const cpu = () => sum(apis.map((api) => runSeconds(api.pid())));
  const [from, cpuBefore, databaseBefore] = [performance.now(), cpu(), meter.seconds()];
  await pause(seconds * 1000);
  const elapsed = (performance.now() - from) / 1000;
  const [cpuUsed, databaseUsed] = [cpu() - cpuBefore, meter.seconds() - databaseBefore];
  const ticks = sum(swarm.members.map((one) => one.ticks.filter((at) => at >= from).length));
  const { resident, live } = await memoryGrowth();
  const perSocket = (bytes: number) => `${(bytes / swarm.members.length / 1024).toFixed(1)} kB`;
  const { worstMs, p99Ms } = checkBeat(swarm, from);
  console.log(
    `steady, ${elapsed.toFixed(0)} s: ${ticks} ticks; api ${((100 * cpuUsed) / elapsed).toFixed(1)} % of a core ` +
      `(${((1000 * cpuUsed) / ticks).toFixed(3)} ms a tick); PostgreSQL ${((100 * databaseUsed) / elapsed).toFixed(1)} % of a core ` +
      `(${((1000 * databaseUsed) / ticks).toFixed(3)} ms a tick); memory a socket ${perSocket(resident)} resident, ${perSocket(live)} after a garbage collection; ` +
      `beat off by ${p99Ms.toFixed(0)} ms at p99, ${worstMs.toFixed(0)} ms at most`,
  );
  const expected = Math.floor((elapsed * 1000) / tickMs) * swarm.members.length;
  if (ticks < expected) problems.push(`steady: ${ticks} ticks instead of ${expected} or more`);
}

const connectionsOf = ({ members }: Swarm, port: number) =>
  members.filter((one) => one.socket !== null && one.port === port).length;

interface LiveFault {
  readonly name: string;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** How long it lasts. */
  readonly holdMs: number;
  /** Nobody can connect until it has ended: the time to come back counts from then on. */
  readonly isOutage: boolean;
  /** Close codes that are right here, beside those of a cut network. */
  readonly codes: readonly number[];
}

/** Runs a fault while a tenth of the browsers lose their network, and waits until everybody has had a tick again. */
async function runFault(fault: LiveFault, swarm: Swarm): Promise<void> {
  for (const one of swarm.members) [one.gapsMs, one.codes, one.polls] = [[], [], 0];
  await fault.begin();
  await pause(500);
  const cut = swarm.members.filter((_, n) => n % 10 === 0);
  swarm.cut(cut);
  const begunAt = performance.now();
  await pause(fault.holdMs);
  await fault.end();
  const endedAt = performance.now();
  const isBack = (one: Member) => one.socket !== null && (one.ticks.at(-1) ?? 0) > endedAt;
  // Long enough for the longest wait between two attempts, and a tick after it.
  while (swarm.members.some((one) => !isBack(one)) && performance.now() - endedAt < 60_000) await pause(200);
  const stuck = swarm.members.filter((one) => !isBack(one)).length;
  const outageMs = fault.isOutage ? endedAt - begunAt : 0;
  const gaps = sorted(swarm.members.flatMap(({ gapsMs }) => gapsMs.map((ms) => Math.max(0, ms - outageMs))));
  const p99 = percentile(gaps, 0.99);
  const codes = Map.groupBy(
    swarm.members.flatMap((one) => one.codes),
    (code) => code,
  );
  const strange = [...codes.keys()].filter((code) => code !== 1006 && !fault.codes.includes(code));
  console.log(
    `${fault.name.padEnd(20)} ${String(gaps.length).padStart(5)} reconnects: p50 ${(percentile(gaps, 0.5) / 1000).toFixed(1)} s, ` +
      `p99 ${(p99 / 1000).toFixed(1)} s, longest ${((gaps.at(-1) ?? 0) / 1000).toFixed(1)} s; stuck ${stuck}; ` +
      `polling ${sum(swarm.members.map(({ polls }) => Math.min(polls, 1)))}; ` +
      `closed by ${[...codes].map(([code, all]) => `${code}: ${all.length}`).join(', ')}`,
  );
  if (stuck > 0) problems.push(`${fault.name}: ${stuck} stuck`);
  if (p99 > 15_000) problems.push(`${fault.name}: p99 of reconnects is ${p99.toFixed(0)} ms`);
  if (strange.length > 0) problems.push(`${fault.name}: closed by ${strange.join(', ')}`);
}

async function main(): Promise<void> {
  const postgres = await startTempPostgres({
    settings: ['max_connections = 150', 'shared_buffers = 256MB', "log_min_messages = 'fatal'"],
  });
  onCleanup(() => postgres.remove());
  const redis = await startTempRedis();
  onCleanup(() => redis.remove());
  migrateDatabase(postgres.url);
  const tokens = await seed(postgres.url);
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SERVICES: 'api',
    PUBLIC_ORIGIN: origin,
    LIVE_DRAIN_MS: String(drainMs),
  };
  const apis: SupervisedProcess[] = [];
  const inspectorPorts: number[] = [];
  for (let n = 0; n < processes; n += 1) {
    const inspectorPort = await freePort();
    inspectorPorts.push(inspectorPort);
    const options = { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`, NODE_NO_WARNINGS: '1' };
    apis.push(await supervise(`api ${n}`, { ...env, ...options }));
  }
  for (const api of apis) await api.untilReady();
  const swarm = createSwarm({ ports: apis.map(({ port }) => port), tokens, origin });
  onCleanup(() => swarm.stop());
  const empty = await readMemory(apis, inspectorPorts);
  const cpu = () => sum(apis.map((api) => runSeconds(api.pid())));
  const [from, cpuBefore] = [performance.now(), cpu()];
  await swarm.start();
  console.log(
    `${sockets} sockets on ${apis.length} processes, open after ${((performance.now() - from) / 1000).toFixed(1)} s; ` +
      `${((1000 * (cpu() - cpuBefore)) / sockets).toFixed(2)} ms of CPU for each ticket and handshake`,
  );
  await measureSteady(swarm, apis, postgres.url, async () => {
    const now = await readMemory(apis, inspectorPorts);
    return { resident: now.resident - empty.resident, live: now.live - empty.live };
  });
  /** The process with the most connections: after a fault they may all be on one. */
  const busiest = () =>
    apis.toSorted(
      (one, other) => connectionsOf(swarm, other.port) - connectionsOf(swarm, one.port),
    )[0] as SupervisedProcess;
  const untilAllReady = async () => {
    for (const api of apis) await api.untilReady();
  };
  const faults: readonly LiveFault[] = [
    {
      name: 'api killed',
      begin: () => busiest().kill(),
      end: untilAllReady,
      holdMs: 3000,
      isOutage: apis.length === 1,
      codes: [],
    },
    {
      name: 'Redis killed',
      begin: () => redis.killHard(),
      end: () => redis.start(),
      holdMs: 3000,
      isOutage: false,
      codes: [],
    },
    {
      name: 'PostgreSQL killed',
      begin: () => postgres.killHard(),
      end: () => postgres.start(),
      holdMs: 3000,
      isOutage: true,
      codes: [],
    },
    {
      name: 'api restarted',
      begin: () => busiest().restart(),
      end: untilAllReady,
      holdMs: drainMs + 2000,
      isOutage: apis.length === 1,
      codes: [1012],
    },
  ];
  for (const fault of faults.filter(({ name }) => only.includes(name))) await runFault(fault, swarm);
  const crashes = sum(apis.map((api) => api.crashes()));
  if (crashes > 0) problems.push(`${crashes} crashes`);
  swarm.stop();
  console.log(problems.length === 0 ? 'passed' : `FAILED: ${problems.join('; ')}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

try {
  await main();
} finally {
  await runCleanup();
}
