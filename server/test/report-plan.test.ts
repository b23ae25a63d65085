import { describe, expect, test } from 'vitest';
import { planJoin, planLeaving, planOpening, type JoinFacts } from '../src/moderation/reports/report-plan.ts';
import type { CaseRow } from '../src/moderation/cases/case-row.ts';
import type { OwnReport } from '../src/moderation/reports/reports.queries.ts';

const now = new Date('2026-11-17T10:00:00Z');
const dueAt = new Date('2026-11-18T10:00:00Z');
const openCase = {
  state: 'open',
  source: 'report',
  policy: 'harassment',
  severity: 2,
  version: 1,
  reporters: 5,
  isFrozen: false,
  leasedBy: null,
  leasedUntil: null,
  outcome: null,
  decidedBy: null,
  decidedAt: null,
  appealUntil: null,
  appealedAt: null,
  resolution: null,
  purgeAt: null,
  pausedAt: null,
  pauseEndsAt: null,
  dueAt,
} as unknown as CaseRow;

/** Enough weight of several people to pause a case of harassment. */
const many = [{ policy: 'harassment', isNewcomer: false, reporters: 6, weight: 9 }] as const;
const facts: JoinFacts = {
  found: openCase,
  policy: 'harassment',
  trust: 1,
  tallies: many,
  origins: null,
  findings: { supports: () => false, isCrisis: false },
  own: [],
  sealedItem: null,
  now,
};
const plan = (change: Partial<JoinFacts>) => planJoin({ ...facts, ...change });

describe('a report that joins a case', () => {
  test('pauses the item at the threshold of its rule', () => {
    expect(plan({})).toMatchObject({ isPaused: true, pausedUnder: 'harassment', change: { reporters: 6 } });
  });

  const harmless: readonly (readonly [string, Partial<JoinFacts>])[] = [
    ['there is little weight', { tallies: [{ ...many[0], weight: 0.2, reporters: 1 }] }],
    ['the reporter has no weight', { trust: 0 }],
    ['the case is frozen', { found: { ...openCase, isFrozen: true } }],
    [
      'another report of this person tipped a pause that waits',
      { own: [{ isTipping: true, outcome: 'pending' }] },
    ],
    ['somebody is in crisis', { findings: { supports: () => false, isCrisis: true } }],
    ['it is out of worry', { policy: 'worried' }],
  ];
  for (const [why, change] of harmless)
    test(`pauses nothing where ${why}`, () => {
      expect(plan(change)).toMatchObject({ isPaused: false, pausedUnder: null });
    });

  test('freezes a case whose reports look coordinated', () => {
    const crowd = [{ policy: 'harassment', isNewcomer: true, reporters: 9, weight: 9 }] as const;
    expect(plan({ tallies: crowd })).toMatchObject({ isPaused: false, change: { isFrozen: true } });
  });

  test('raises the severity and never lowers it', () => {
    expect(plan({ policy: 'minor_safety' }).change).toMatchObject({ severity: 4, policy: 'minor_safety' });
    const severe = { ...openCase, severity: 4, policy: 'minor_safety' } as CaseRow;
    expect(plan({ found: severe, policy: 'spam_scam' }).change).not.toHaveProperty('severity');
    expect(plan({ policy: 'minor_safety', trust: 0 }).change).not.toHaveProperty('severity');
  });

  test('takes new words away from a profile that is paused', () => {
    const found = { ...openCase, pausedAt: now, pauseEndsAt: dueAt } as CaseRow;
    const sealedItem = Buffer.from('new words');
    expect(plan({ found, sealedItem })).toMatchObject({ isPaused: true, change: { pendingEffect: 'hide' } });
    expect(plan({ found, sealedItem, trust: 0 }).isPaused).toBe(false);
  });
});

test('a report without weight asks for no more than the next day', () => {
  expect(planOpening('minor_safety', 1, now).severity).toBe(4);
  expect(planOpening('minor_safety', 0, now)).toEqual({ severity: 3, dueAt });
});

test('the oldest decided of forty reports gives way to a new one, and none of fewer', () => {
  const own = Array.from(
    { length: 40 },
    (_, n) =>
      ({ id: BigInt(n), outcome: n % 2 ? 'agreed' : 'pending', isTipping: false }) as unknown as OwnReport,
  );
  expect(planLeaving(own.slice(1))).toBeUndefined();
  expect(planLeaving(own)).toBe(own[39]);
  expect(planLeaving([...own.slice(0, 39), own[0] as OwnReport])).toBe(own[37]);
});
