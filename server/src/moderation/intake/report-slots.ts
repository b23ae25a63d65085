import type { OwnReport } from './intake.queries.ts';

/** The first slot without a report. */
export function freeSlot(slotKeys: readonly Buffer[], own: readonly OwnReport[]): Buffer | null {
  const taken = new Set(own.map(({ slotKey }) => slotKey?.toString('latin1')));
  return slotKeys.find((slotKey) => !taken.has(slotKey.toString('latin1'))) ?? null;
}

/** The report that gives way when no slot is free: the oldest decided one, else the oldest that tipped no pause. */
export function leastNeeded(newestFirst: readonly OwnReport[]): OwnReport | undefined {
  const oldestFirst = newestFirst.toReversed();
  return (
    oldestFirst.find(({ outcome }) => outcome !== 'pending') ??
    oldestFirst.find(({ isTipping }) => !isTipping) ??
    oldestFirst[0]
  );
}
