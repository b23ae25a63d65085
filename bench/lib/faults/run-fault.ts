import { setTimeout as pause } from 'node:timers/promises';
import { startWriters } from '../writers.ts';
import { check } from './checker.ts';
import type { Fault } from './fault.ts';
import type { Deployment } from './deployment.ts';

/** Injects a fault several times while clients write, and checks each time that acknowledged writes are stored once. */

const holdMs = 3000;

export interface Target {
  readonly deployment: Deployment;
  readonly sql: (text: string) => string;
  readonly tokens: readonly string[];
  readonly ventId: string;
  readonly ventText: string;
  /** How long clients retry. */
  readonly retryForMs: number;
}

export interface Outcome {
  acknowledged: number;
  lost: number;
  twice: number;
  failedAtFirst: number;
  failedForGood: number;
  slowestRecoveryMs: number;
  longestSilenceMs: number;
  bypassed: number;
  note: string;
  readonly wrong: Set<string>;
}

async function runOnce(fault: Fault, target: Target, outcome: Outcome): Promise<void> {
  const { deployment, sql, tokens, ventId, ventText, retryForMs } = target;
  const { port } = deployment.api;
  await deployment.api.untilReady();
  const writers = startWriters({ port, tokens, ventId, retryForMs });
  const { remembered } = writers;
  try {
    await pause(1000);
    await fault.begin();
    await (fault.last ? fault.last() : pause(holdMs));
    await fault.end();
    const endedAt = performance.now();
    const before = remembered.acknowledged;
    while (remembered.acknowledged === before && performance.now() - endedAt < 30_000) await pause(10);
    outcome.slowestRecoveryMs = Math.max(outcome.slowestRecoveryMs, performance.now() - endedAt);
    await pause(1500);
  } finally {
    await writers.stop();
  }
  await deployment.api.untilReady();
  const judged = await fault.judge?.();
  const checked = await check({ sql, port, tokens, ventId, ventText }, remembered);
  outcome.acknowledged += remembered.acknowledged;
  outcome.lost += checked.lost;
  outcome.twice += checked.twice;
  outcome.failedAtFirst += remembered.failedAtFirst;
  outcome.failedForGood += remembered.failedForGood;
  outcome.longestSilenceMs = Math.max(outcome.longestSilenceMs, remembered.longestSilenceMs);
  outcome.bypassed = Math.max(outcome.bypassed, judged?.bypassed ?? 0);
  outcome.note = judged?.note ?? '';
  for (const one of [...remembered.strange, ...(judged?.wrong ?? [])]) outcome.wrong.add(one);
  if (checked.miscounted > 0) outcome.wrong.add(`${checked.miscounted} vents miscounted`);
}

export async function runFault(fault: Fault, target: Target, rounds: number): Promise<Outcome> {
  const outcome: Outcome = {
    acknowledged: 0,
    lost: 0,
    twice: 0,
    failedAtFirst: 0,
    failedForGood: 0,
    slowestRecoveryMs: 0,
    longestSilenceMs: 0,
    bypassed: 0,
    note: '',
    wrong: new Set(),
  };
  for (let round = 0; round < rounds; round += 1) await runOnce(fault, target, outcome);
  return outcome;
}
