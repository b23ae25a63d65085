import { caseStates, outcomes, resolutions } from '@unsaid/contract/moderation/console';
import { pauseHours } from '@unsaid/contract/moderation/policies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  transition,
  type Case,
  type CaseEffect,
  type CaseEvent,
  type Decider,
} from '../src/moderation/cases/cases.state.ts';
import { nextState, type VentState } from '../src/content/vents/vents.state.ts';
import { runs, seed } from './runs.ts';

const minute = 60_000;
const hour = 60 * minute;
const people: readonly Decider[] = [
  { id: 1, isLead: false },
  { id: 2, isLead: false },
  { id: 3, isLead: true },
  { id: 4, isLead: true },
];
const machineEvents = ['pause', 'unpause', 'lapse', 'moot', 'appeal'] as const;

interface Step {
  readonly waitMs: number;
  /** The version that the event names, relative to the current one. */
  readonly behind: number;
  /** By the moderator who holds the case, if one does: otherwise few histories get far. */
  readonly isByHolder: boolean;
  readonly event: CaseEvent;
}

const by = fc.constantFrom(...people);
const version = fc.constant(0);
const event: fc.Arbitrary<CaseEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom(...machineEvents) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('take' as const), by }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('extend' as const, 'release' as const), by }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('escalate' as const), by, version }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('decide' as const),
      by,
      version,
      outcome: fc.constantFrom('keep' as const, 'care' as const, 'hide' as const, 'remove' as const),
      hasPolicy: fc.boolean(),
      appealDays: fc.constantFrom(30, 180),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('resolve' as const),
      by,
      version,
      resolution: fc.constantFrom('upheld' as const, 'overturned' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reverse' as const), by, version }) },
);
const step: fc.Arbitrary<Step> = fc.record({
  waitMs: fc.constantFrom(
    0,
    0,
    0,
    minute,
    9 * minute,
    11 * minute,
    hour,
    25 * hour,
    73 * hour,
    31 * 24 * hour,
  ),
  behind: fc.constantFrom(0, 0, 0, 0, 0, 1),
  isByHolder: fc.boolean(),
  event,
});
const history = fc.record({
  severity: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(step, { maxLength: 60, size: 'max' }),
});

const fresh = (severity: number): Case => ({
  state: 'open',
  version: 0,
  subjectKind: 'vent',
  severity,
  pausedAt: null,
  pauseEndsAt: null,
  isFrozen: false,
  lease: null,
  outcome: null,
  decidedBy: null,
  appealUntil: null,
  appealedAt: null,
  resolution: null,
});

const isRestriction = (outcome: Case['outcome']) => outcome === 'hide' || outcome === 'remove';
const itemEvents: Partial<Record<CaseEffect, 'hide' | 'remove' | 'restore'>> = {
  hide_item: 'hide',
  remove_item: 'remove',
  restore_item: 'restore',
};
/** The event as it is sent about this case. */
function sentAbout({ lease, version: now }: Case, { event: one, behind, isByHolder }: Step): CaseEvent {
  const holder = isByHolder ? people.find(({ id }) => id === lease?.by) : undefined;
  return {
    ...one,
    ...('version' in one ? { version: now - behind } : {}),
    ...('by' in one && holder ? { by: holder } : {}),
  };
}
const needsLease = new Set<CaseEvent['type']>(['extend', 'release', 'escalate', 'decide', 'resolve']);

/** Plays a history and checks every step. Returns what it met, so that the test knows that it met everything. */
function play({ severity, steps }: { severity: number; steps: readonly Step[] }): Set<string> {
  const met = new Set<string>();
  let now = Date.UTC(2026, 0, 1);
  let current = fresh(severity);
  let item: VentState = 'visible';
  const count = { notices: 0, voided: 0, appeals: 0, pauses: 0 };

  for (const one of steps) {
    now += one.waitMs;
    const sent = sentAbout(current, one);
    const result = transition(current, sent, now);
    if ('refusal' in result) {
      met.add(result.refusal);
      continue;
    }
    const { next, effects } = result;
    met.add(`${sent.type} ${current.state} ${next.state}`);
    expect(current.state, 'a closed case is final').not.toBe('closed');
    expect(next.version).toBe(current.version + 1);
    const isMachine = machineEvents.some((type) => type === sent.type);
    if (isMachine) {
      expect([current.outcome, 'moot'], 'a machine event gives no outcome').toContain(next.outcome);
      if (next.outcome !== current.outcome) expect(sent.type).toBe('moot');
      expect(effects).not.toContain('write_notice');
      expect(effects).not.toContain('remove_item');
      expect(next.decidedBy).toBe(current.decidedBy);
      if (effects.includes('hide_item')) expect(sent.type).toBe('pause');
    }
    if ('by' in sent && needsLease.has(sent.type)) {
      expect(current.lease?.by, 'only the holder acts').toBe(sent.by.id);
      expect(current.lease?.until).toBeGreaterThan(now);
    }
    if ('version' in sent) expect(sent.version, 'on what the moderator saw').toBe(current.version);
    if (sent.type === 'take' && current.lease && current.lease.until > now)
      expect(current.lease.by, 'a lease is not taken from its holder').toBe(sent.by.id);
    if (sent.type === 'take' && current.state === 'escalated') expect(sent.by.isLead).toBe(true);
    if (sent.type === 'pause') {
      count.pauses += 1;
      expect(current.isFrozen).toBe(false);
      const hours = severity >= 3 ? pauseHours.severe : pauseHours.usual;
      expect(next.pauseEndsAt).toBe(now + hours * hour);
    }
    if (sent.type === 'decide' && isRestriction(next.outcome)) {
      expect(sent.hasPolicy, 'a restriction has a rule').toBe(true);
      expect(effects).toContain('write_notice');
      expect(effects).toContain('reports_agreed');
      expect(next.appealUntil).toBe(now + sent.appealDays * 24 * hour);
    }
    if (sent.type === 'appeal') {
      count.appeals += 1;
      expect(current.appealUntil).toBeGreaterThanOrEqual(now);
    }
    if (next.resolution !== current.resolution) {
      expect('by' in sent && sent.by.id, 'nobody resolves what they decided').not.toBe(next.decidedBy);
      expect(isRestriction(next.outcome)).toBe(true);
      if (next.resolution === 'overturned')
        expect(effects).toEqual(['restore_item', 'void_notice', 'reports_disagreed']);
    }
    if (current.outcome !== null) {
      expect([next.outcome, next.decidedBy, next.appealUntil], 'a decision is not overwritten').toEqual([
        current.outcome,
        current.decidedBy,
        current.appealUntil,
      ]);
    }
    for (const effect of effects) {
      if (effect === 'write_notice') count.notices += 1;
      if (effect === 'void_notice') count.voided += 1;
      const itemEvent = itemEvents[effect];
      if (itemEvent) item = nextState(item, itemEvent) ?? item;
    }
    current = next;

    // Sent once more, as a phone or a job does, it does nothing.
    if (sent.type !== 'take' && sent.type !== 'extend')
      expect(transition(current, sent, now), `${sent.type} repeated`).toHaveProperty('refusal');
    if (current.state === 'closed') {
      for (const again of [...machineEvents.map((type) => ({ type })), ...closers(current.version)])
        expect(transition(current, again, now + 200 * 24 * hour)).toHaveProperty('refusal');
    }
    const isPaused = current.pausedAt !== null && current.outcome === null;
    if (isPaused) {
      const ended = transition(current, { type: 'unpause' }, current.pauseEndsAt ?? 0);
      expect(ended, 'every pause ends by the clock').toMatchObject({ effects: ['restore_item'] });
      expect(current.pauseEndsAt ?? Infinity).toBeLessThanOrEqual((current.pausedAt ?? 0) + 72 * hour);
    }
    // Where the item is, is what the case says.
    const isGone = isPaused || (isRestriction(current.outcome) && current.resolution !== 'overturned');
    if (current.outcome !== 'moot') expect(item === 'visible', JSON.stringify(current)).toBe(!isGone);
    expect(current.lease === null || ['open', 'escalated', 'appealed'].includes(current.state)).toBe(true);
    expect((current.outcome === null) === ['open', 'escalated'].includes(current.state)).toBe(true);
    expect(count.appeals).toBeLessThanOrEqual(1);
    expect(count.pauses, 'reports pause an item once').toBeLessThanOrEqual(1);
    expect(count.notices).toBe(isRestriction(current.outcome) || current.outcome === 'care' ? 1 : 0);
    expect(count.voided).toBe(current.resolution === 'overturned' ? 1 : 0);
  }
  return met;
}

function closers(versionNow: number): CaseEvent[] {
  return people.flatMap((person): CaseEvent[] => [
    { type: 'take', by: person },
    { type: 'extend', by: person },
    { type: 'escalate', by: person, version: versionNow },
    { type: 'resolve', by: person, version: versionNow, resolution: 'overturned' },
    { type: 'reverse', by: person, version: versionNow },
    ...outcomes
      .filter((outcome) => outcome !== 'moot')
      .map((outcome): CaseEvent => ({
        type: 'decide',
        by: person,
        version: versionNow,
        outcome,
        hasPolicy: true,
        appealDays: 30,
      })),
  ]);
}

test('histories of cases keep every rule of the state machine', { timeout: 300_000 }, () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(history, (one) => {
      for (const what of play(one)) met.add(what);
    }),
    { numRuns: runs('CASE_HISTORIES', { change: 6000, full: 100_000 }), seed },
  );
  // Without these the rules above would not have been tried.
  expect([...met]).toEqual(
    expect.arrayContaining([
      'CASE_CLOSED',
      'CASE_CHANGED',
      'LEASE_LOST',
      'SECOND_PERSON',
      'ROLE_REQUIRED',
      'POLICY_REQUIRED',
      'APPEAL_CLOSED',
      'NOT_DUE',
      'pause open open',
      'unpause open escalated',
      'take escalated escalated',
      'escalate open escalated',
      'decide open closed',
      'decide open decided',
      'decide escalated decided',
      'moot open closed',
      'lapse decided closed',
      'appeal decided appealed',
      'resolve appealed closed',
      'reverse decided closed',
    ]),
  );
});

const moment = fc.option(fc.integer({ min: 0, max: 400 }).map((hours) => hours * hour));
const anyCase: fc.Arbitrary<Case> = fc.record({
  state: fc.constantFrom(...caseStates),
  version: fc.constantFrom(0, 1),
  subjectKind: fc.constantFrom('vent' as const, 'comment' as const, 'profile' as const),
  severity: fc.integer({ min: 1, max: 4 }),
  pausedAt: moment,
  pauseEndsAt: moment,
  isFrozen: fc.boolean(),
  lease: fc.option(
    fc.record({
      by: fc.constantFrom(1, 2, 3, 4),
      until: fc.integer({ min: 0, max: 400 }).map((n) => n * hour),
    }),
  ),
  outcome: fc.option(fc.constantFrom(...outcomes)),
  decidedBy: fc.option(fc.constantFrom(1, 2, 3, 4)),
  appealUntil: moment,
  appealedAt: moment,
  resolution: fc.option(fc.constantFrom(...resolutions)),
});

test('the state machine answers every event in every state, also in one that no history reaches', () => {
  let resolved = 0;
  fc.assert(
    fc.property(anyCase, event, fc.integer({ min: 0, max: 400 }), (from, sent, hours) => {
      const result = transition(from, sent, hours * hour);
      if ('refusal' in result) return;
      expect(result.next.version).toBe(from.version + 1);
      expect(from.state, 'a closed case is final').not.toBe('closed');
      if (sent.type === 'resolve' || sent.type === 'reverse') {
        resolved += 1;
        expect(sent.by.id, 'nobody resolves what they decided').not.toBe(from.decidedBy);
      }
      if (sent.type === 'appeal') expect(from.appealedAt, 'one appeal').toBe(null);
      if (sent.type === 'moot') expect(from.severity).toBeLessThanOrEqual(2);
    }),
    { numRuns: runs('CASE_STATES', { change: 10_000, full: 500_000 }), seed },
  );
  expect(resolved).toBeGreaterThan(0);
});
