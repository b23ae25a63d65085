/**
 * npm run bench:cluster -- [--calls 1000000]
 *
 * The limits on a Redis Cluster of three masters and three replicas, from two processes' worth of clients. A master is
 * killed a quarter of the way. Prints how many calls passed, were rejected or found no Redis, and how many passed beyond
 * a limit; then the CPU of the budgets of one feed page, on a cluster and on a single Redis. Ends with 1 if a limit of
 * codes was bypassed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { readOptions } from '../testkit/options.ts';
import { budgets } from '@unsaid/contract';
import { codeBudgets } from '../server/src/identity/otp/code-budgets.ts';
import { createCodeLimiter } from '../server/src/identity/otp/code-limiter.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { labelsOf } from '../server/src/platform/crypto/key-labels.ts';
import { createKeys } from '../server/src/platform/crypto/keys.ts';
import { createRedisCrypto } from '../server/src/platform/crypto/redis-crypto.ts';
import { createLimiter } from '../server/src/platform/limiter.ts';
import { createLogger } from '../server/src/platform/logger.ts';
import { createMetrics } from '../server/src/platform/metrics.ts';
import { openRedis, RedisUnavailable } from '../server/src/platform/redis.ts';
import { killChildren } from '../testkit/child-processes.ts';
import { startTempRedisCluster } from '../testkit/temp-redis-cluster.ts';
import { startTempRedis } from '../testkit/temp-redis.ts';
import { markdownTable } from './lib/markdown-table.ts';

const { calls } = readOptions({ calls: 1_000_000 });
const processes = 2;
const clients = 64;
/** As of a database: both processes have the same. */
const dataKeys = labelsOf('identity').map((label) => ({
  label,
  no: 1,
  bytes: Buffer.alloc(32, label),
  isSettled: true,
}));

async function openLimiter(url: string, isCluster: boolean) {
  const metrics = createMetrics();
  const logger = createLogger('silent');
  const redis = await openRedis({ url, isCluster, prefix: 'bench:', timeoutMs: 1000, logger, metrics });
  const redisCrypto = createRedisCrypto(createKeys(dataKeys));
  return { redis, limiter: createLimiter({ redis, clock: systemClock, metrics, redisCrypto, scale: 1 }) };
}

interface Count {
  passed: number;
  rejected: number;
  away: number;
}

/** Calls one budget for many subjects, and counts what passed for each. */
async function flood(total: number, subjects: number, one: (n: number, subject: string) => Promise<boolean>) {
  const count: Count = { passed: 0, rejected: 0, away: 0 };
  const passedBy = new Map<string, number>();
  let sent = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (sent < total) {
        sent += 1;
        const subject = `subject ${sent % subjects}`;
        try {
          const hasPassed = await one(sent, subject);
          count[hasPassed ? 'passed' : 'rejected'] += 1;
          if (hasPassed) passedBy.set(subject, (passedBy.get(subject) ?? 0) + 1);
        } catch (error) {
          if (!(error instanceof RedisUnavailable)) throw error;
          count.away += 1;
          // As a browser that was told to try again.
          await pause(5);
        }
      }
    }),
  );
  const beyond = (limit: number) =>
    [...passedBy.values()].reduce((all, passed) => all + Math.max(0, passed - limit), 0);
  return { count, beyond };
}

const rows: string[][] = [];
const report = (name: string, { passed, rejected, away }: Count, beyond: number) =>
  rows.push([
    name,
    String(passed + rejected + away),
    String(passed),
    String(rejected),
    String(away),
    String(beyond),
  ]);

const cluster = await startTempRedisCluster();
try {
  const opened = await Promise.all(Array.from({ length: processes }, () => openLimiter(cluster.url, true)));
  const at = (n: number) => (opened[n % processes] as (typeof opened)[number]).limiter;

  // Codes: exact, and closed without Redis.
  const codes = Math.floor(calls / 4);
  const coders = opened.map(({ limiter }) => createCodeLimiter(limiter));
  let victim = cluster.masterOf(0);
  const ofCodes = await flood(codes, Math.ceil(codes / 50), async (n, subject) => {
    if (n === Math.floor(codes / 4)) await victim.killHard();
    const { rejection } = await (coders[n % processes] as (typeof coders)[number]).consume([
      { budget: 'sendsPerNumber', subject },
    ]);
    return rejection === null;
  });
  const bypassed = ofCodes.beyond(codeBudgets.sendsPerNumber[0].limit);
  report('codes for a number, 5 an hour', ofCodes.count, bypassed);

  victim.start();
  await pause(5000);
  victim = cluster.masterOf(16_383);
  const everyday = calls - codes;
  const ofBuckets = await flood(everyday, 20, async (n, subject) => {
    if (n === Math.floor(everyday / 4)) await victim.killHard();
    const rejection = await at(n).consumeBuckets([
      { budget: 'reactions', subject },
      { budget: 'callsPerUser', subject: `${subject} of its own ${n % 1000}` },
    ]);
    return rejection === null;
  });
  // While a master is away, each process counts its keys by itself, at half the limit.
  const [{ limit, windowSeconds }] = budgets.reactions;
  const elapsed = performance.now() / 1000;
  const refilled = Math.ceil((elapsed / windowSeconds) * limit);
  report(
    `reactions of a person, ${limit} in ${windowSeconds} s, half of it in each process without its master`,
    ofBuckets.count,
    ofBuckets.beyond(limit + refilled + (processes * limit) / 2),
  );
  report('the same, beyond the limit of Redis alone', ofBuckets.count, ofBuckets.beyond(limit + refilled));
  console.log(
    `\n${markdownTable(['budget', 'calls', 'passed', 'rejected', 'no Redis', 'beyond the limit'], rows)}\n`,
  );

  // The budgets of a feed page.
  const single = await startTempRedis();
  const alone = await openLimiter(single.url, false);
  const page = async (limiter: typeof alone.limiter, n: number) =>
    limiter.consumeBuckets([
      { budget: 'callsPerUser', subject: `p${n % 2000}` },
      { budget: 'ventsRead', subject: `p${n % 2000}`, cost: 20 },
    ]);
  const cost = async (limiter: typeof alone.limiter) => {
    for (let n = 0; n < 2000; n += 1) await page(limiter, n);
    const before = process.cpuUsage();
    const pages = 4000;
    for (let n = 0; n < pages; n += 8)
      await Promise.all(Array.from({ length: 8 }, (_, more) => page(limiter, n + more)));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / pages;
  };
  const costs = { single: [] as number[], cluster: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    costs.single.push(await cost(alone.limiter));
    costs.cluster.push(await cost(at(0)));
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
  console.log(
    `CPU of the budgets of a feed page in the api: ${median(costs.single).toFixed(0)} µs on a single Redis, ${median(costs.cluster).toFixed(0)} µs on a cluster`,
  );
  for (const { redis } of [...opened, alone]) await redis.close();
  if (bypassed > 0) process.exitCode = 1;
} finally {
  await cluster.remove();
  await killChildren();
}
