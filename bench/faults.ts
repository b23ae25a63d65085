/**
 * npm run bench:faults -- [--rounds 3] [--scenes stores,clients,clock,failover] [--only part of a name]: the real
 * processes, under a steady load of people who remember everything that was acknowledged, while something breaks:
 * the stores behind a proxy that fails on command, clients that mean harm, the clock, the leader of a PostgreSQL of
 * three. After each fault all of it must be there, once. Says at the start how long it takes: about 20 minutes for
 * three rounds of all. Needs root, for a small disk to fill.
 */
import { parseArgs } from 'node:util';
import { createVent } from '@unsaid/contract';
import { signIn } from '../tools/drills.ts';
import { createClient } from './lib/client.ts';
import { clientFaults } from './lib/faults/clients.ts';
import { clockFaults, createMovedClock } from './lib/faults/clock.ts';
import { floodFault } from './lib/faults/code-flood.ts';
import { failoverFaults } from './lib/faults/failovers.ts';
import type { Fault } from './lib/faults/fault.ts';
import { migrate, openHouse, type House } from './lib/faults/house.ts';
import { suffer, type Outcome, type Place } from './lib/faults/ordeal.ts';
import { missingPrograms, openCluster } from './lib/faults/patroni.ts';
import { openStores, type Stores } from './lib/faults/stores.ts';
import { atTheEnd, undoAll } from './lib/faults/undo.ts';
import { createRedis } from './lib/own-redis.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    scenes: { type: 'string', default: 'stores,clients,clock,failover' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
const wanted = values.scenes.split(',');
const writerCount = 8;

/** What one round of all its faults takes, and getting there. */
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

const columns = ['acked', 'lost', 'twice', 'failed 1st', 'for good', 'silent s', 'back in s'];

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

async function sufferAll(faults: readonly Fault[], place: Place): Promise<void> {
  for (const fault of faults.filter(({ name }) => name.includes(values.only))) {
    const outcome = await suffer(fault, place, rounds);
    printRow(fault.name, outcome);
    total.faults += 1;
    total.acknowledged += outcome.acknowledged;
    total.lost += outcome.lost;
    total.twice += outcome.twice;
    total.bypassed += outcome.bypassed;
    total.isBroken ||= outcome.lost + outcome.twice + outcome.bypassed + outcome.wrong.size > 0;
  }
}

/** People with a session each, and a vent that all of them answer. */
async function invite({ api }: House): Promise<Pick<Place, 'tokens' | 'ventId'>> {
  const tokens: string[] = [];
  for (let n = 0; n < writerCount; n += 1) {
    const phone = `+9199${String(20_000_000 + n * 37)}`;
    tokens.push((await signIn(`http://127.0.0.1:${api.port}`, phone, api.outbox)).token);
  }
  const client = createClient(api.port, 1);
  const said = await client.call(createVent, {
    token: tokens[0] as string,
    body: { title: 'Answered while things break', text: 'Somebody is here', emotion: 'Sad' },
  });
  client.close();
  return { tokens, ventId: said.body.vent._id };
}

async function inHouse(
  house: House,
  place: Omit<Place, 'house' | 'tokens' | 'ventId'>,
  faultsFor: (tokens: readonly string[]) => readonly Fault[],
): Promise<void> {
  const people = await invite(house);
  await sufferAll(faultsFor(people.tokens), { ...place, house, ...people });
  total.crashes += house.crashes();
  await house.stop();
}

async function sceneOfStores(stores: Stores): Promise<void> {
  const house = await openHouse(stores);
  await inHouse(house, { sql: stores.postgres.sql, retryForMs: 20_000 }, ([token = '']) => [
    ...(wanted.includes('stores') ? stores.faults(house) : []),
    ...(wanted.includes('clients') ? [...clientFaults(house.api.port, token), floodFault(house.strict)] : []),
  ]);
}

async function sceneOfClock(stores: Stores): Promise<void> {
  const clock = createMovedClock();
  if (!clock) {
    console.log('clock: not tried, faketime cannot be had');
    total.isBroken = true;
    return;
  }
  const house = await openHouse(stores, clock.env);
  await inHouse(house, { sql: stores.postgres.sql, retryForMs: 20_000 }, () =>
    clockFaults(clock, house, stores.redis),
  );
}

async function sceneOfFailover(): Promise<void> {
  const missing = missingPrograms();
  if (missing.length > 0) {
    console.log(`failover: not tried, ${missing.join(', ')} cannot be had`);
    total.isBroken = true;
    return;
  }
  const cluster = await openCluster();
  const redis = await createRedis();
  atTheEnd(() => redis.remove());
  migrate(cluster.url);
  const house = await openHouse({
    databaseUrl: cluster.url,
    redisUrl: `redis://127.0.0.1:${redis.port}`,
  });
  await inHouse(house, { sql: cluster.sql, retryForMs: 60_000 }, () => failoverFaults(cluster));
}

async function main(): Promise<void> {
  const begun = performance.now();
  console.log(`${wanted.join(', ')}: about ${Math.ceil(seconds / 60)} minutes`);
  console.log(
    `${`fault, ${rounds} times each`.padEnd(34)}${columns.map((name) => name.padStart(11)).join('')}`,
  );
  if (wanted.some((name) => ['stores', 'clients', 'clock'].includes(name))) {
    const stores = await openStores();
    migrate(stores.postgres.url);
    if (wanted.includes('stores') || wanted.includes('clients')) await sceneOfStores(stores);
    if (wanted.includes('clock')) await sceneOfClock(stores);
  }
  if (wanted.includes('failover')) await sceneOfFailover();
  console.log(
    `${total.faults} faults, ${rounds} times each, in ${((performance.now() - begun) / 60_000).toFixed(1)} minutes: ` +
      `${total.acknowledged} writes acknowledged, ${total.lost} lost, ${total.twice} twice; ` +
      `limits bypassed: ${total.bypassed}; processes that ended by themselves: ${total.crashes}`,
  );
  process.exitCode = total.isBroken || total.crashes > 0 ? 1 : 0;
}

try {
  await main();
} finally {
  await undoAll();
}
