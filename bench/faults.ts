/**
 * npm run bench:faults -- [--rounds 3] [--groups stores,clients,clock,failover] [--only substring-of-a-name]
 *
 * Fault injection: the real processes under constant writes, while something breaks: the stores behind a fault proxy,
 * malicious clients, the clock, the leader of a PostgreSQL cluster. After each fault every acknowledged write must be
 * stored exactly once. Prints its duration at the start: about 20 minutes for three rounds of all groups. Needs root,
 * for a small disk to fill.
 */
import { needPrograms, readOptions, stopWithout } from '../testkit/options.ts';
import { createVent } from '@unsaid/contract';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { signIn } from '../tools/drills.ts';
import { createClient } from './lib/client.ts';
import { clientFaults } from './lib/faults/clients.ts';
import { clockFaults, createMovedClock } from './lib/faults/clock.ts';
import { floodFault } from './lib/faults/code-flood.ts';
import { failoverFaults } from './lib/faults/failovers.ts';
import type { Fault } from './lib/faults/fault.ts';
import { migrateDatabase, startDeployment, type Deployment } from './lib/faults/deployment.ts';
import { randomWords } from './lib/writers.ts';
import { runFault, type Outcome, type Target } from './lib/faults/run-fault.ts';
import { clusterPrograms, openCluster } from './lib/faults/patroni.ts';
import { openStores, type Stores } from './lib/faults/stores.ts';
import { onCleanup, runCleanup } from './lib/faults/cleanup.ts';

const {
  rounds,
  groups: wanted,
  only,
} = readOptions({
  rounds: 3,
  groups: ['stores', 'clients', 'clock', 'failover'],
  only: '',
});
needPrograms({
  ...(wanted.includes('clock') ? { faketime: 'faketime' } : {}),
  ...(wanted.includes('failover') ? clusterPrograms : {}),
});
if (process.getuid?.() !== 0)
  stopWithout('root is needed, to fill a small disk and to run PostgreSQL as postgres');
const writerCount = 8;

/** Seconds for one round of a group's faults, and for its setup. */
const secondsOf: Record<string, readonly [round: number, beginning: number]> = {
  stores: [180, 10],
  clients: [40, 5],
  clock: [25, 5],
  failover: [130, 40],
};
const seconds = wanted.reduce((sum, name) => {
  const [round, beginning] = secondsOf[name] ?? [0, 0];
  return sum + round * rounds + beginning;
}, 0);

interface Total {
  faults: number;
  acknowledged: number;
  lost: number;
  twice: number;
  bypassed: number;
  crashes: number;
  isBroken: boolean;
}
const total: Total = {
  faults: 0,
  acknowledged: 0,
  lost: 0,
  twice: 0,
  bypassed: 0,
  crashes: 0,
  isBroken: false,
};

const columns = ['acked', 'lost', 'twice', 'retried', 'failed', 'silent s', 'recovery s'];

function printRow(name: string, outcome: Outcome): void {
  const cells = [
    outcome.acknowledged,
    outcome.lost,
    outcome.twice,
    outcome.failedAtFirst,
    outcome.failedForGood,
    (outcome.longestSilenceMs / 1000).toFixed(2),
    (outcome.slowestRecoveryMs / 1000).toFixed(2),
  ];
  const note = outcome.note ? `  ${outcome.note}` : '';
  const wrong = outcome.wrong.size > 0 ? `  ALSO: ${[...outcome.wrong].join(', ')}` : '';
  console.log(`${name.padEnd(34)}${cells.map((cell) => String(cell).padStart(11)).join('')}${note}${wrong}`);
}

async function runFaults(faults: readonly Fault[], target: Target): Promise<void> {
  for (const fault of faults.filter(({ name }) => name.includes(only))) {
    const outcome = await runFault(fault, target, rounds);
    printRow(fault.name, outcome);
    total.faults += 1;
    total.acknowledged += outcome.acknowledged;
    total.lost += outcome.lost;
    total.twice += outcome.twice;
    total.bypassed += outcome.bypassed;
    total.isBroken ||= outcome.lost + outcome.twice + outcome.bypassed + outcome.wrong.size > 0;
  }
}

/** Signs in the writing clients and creates the vent that they comment on. */
async function signInWriters({ api }: Deployment): Promise<Pick<Target, 'tokens' | 'ventId' | 'ventText'>> {
  const tokens: string[] = [];
  for (let n = 0; n < writerCount; n += 1) {
    const phone = `+9199${String(20_000_000 + n * 37)}`;
    tokens.push((await signIn(`http://127.0.0.1:${api.port}`, phone, api.outbox)).token);
  }
  const ventText = randomWords();
  const client = createClient(api.port, 1);
  const said = await client.call(createVent, {
    token: tokens[0] as string,
    body: { title: 'Answered while things break', text: ventText, emotion: 'Sad' },
  });
  client.close();
  return { tokens, ventText, ventId: said.body.vent?._id ?? '' };
}

async function runGroup(
  deployment: Deployment,
  target: Omit<Target, 'deployment' | 'tokens' | 'ventId' | 'ventText'>,
  faultsFor: (tokens: readonly string[]) => readonly Fault[],
): Promise<void> {
  const people = await signInWriters(deployment);
  await runFaults(faultsFor(people.tokens), { ...target, deployment, ...people });
  total.crashes += deployment.crashes();
  await deployment.stop();
}

async function runStoreFaults(stores: Stores): Promise<void> {
  const deployment = await startDeployment(stores);
  await runGroup(deployment, { sql: stores.postgres.sql, retryForMs: 20_000 }, ([token = '']) => [
    ...(wanted.includes('stores') ? stores.faults(deployment) : []),
    ...(wanted.includes('clients')
      ? [...clientFaults(deployment.api.port, token), floodFault(deployment.strict)]
      : []),
  ]);
}

async function runClockFaults(stores: Stores): Promise<void> {
  const clock = createMovedClock();
  const deployment = await startDeployment(stores, clock.env);
  await runGroup(deployment, { sql: stores.postgres.sql, retryForMs: 20_000 }, () =>
    clockFaults(clock, deployment, stores.redis),
  );
}

async function runFailovers(): Promise<void> {
  const cluster = await openCluster();
  const redis = await startTempRedis();
  onCleanup(() => redis.remove());
  migrateDatabase(cluster.url);
  const deployment = await startDeployment({
    databaseUrl: cluster.url,
    redisUrl: redis.url,
  });
  await runGroup(deployment, { sql: cluster.sql, retryForMs: 60_000 }, () => failoverFaults(cluster));
}

async function main(): Promise<void> {
  const begun = performance.now();
  console.log(`${wanted.join(', ')}: about ${Math.ceil(seconds / 60)} minutes`);
  console.log(
    `${`fault, ${rounds} times each`.padEnd(34)}${columns.map((name) => name.padStart(11)).join('')}`,
  );
  if (wanted.some((name) => ['stores', 'clients', 'clock'].includes(name))) {
    const stores = await openStores();
    migrateDatabase(stores.postgres.url);
    if (wanted.includes('stores') || wanted.includes('clients')) await runStoreFaults(stores);
    if (wanted.includes('clock')) await runClockFaults(stores);
  }
  if (wanted.includes('failover')) await runFailovers();
  console.log(
    `${total.faults} faults, ${rounds} times each, in ${((performance.now() - begun) / 60_000).toFixed(1)} minutes: ` +
      `${total.acknowledged} writes acknowledged, ${total.lost} lost, ${total.twice} twice; ` +
      `limits bypassed: ${total.bypassed}; crashes: ${total.crashes}`,
  );
  if (total.faults === 0) console.log(`no fault of these groups is named ${only}: nothing was measured`);
  process.exitCode = total.isBroken || total.crashes > 0 || total.faults === 0 ? 1 : 0;
}

try {
  await main();
} finally {
  await runCleanup();
}
