import type { SubjectKind } from '@unsaid/contract';
import type { CaseState, Outcome, Resolution } from '@unsaid/contract/moderation/console';
import { appealDueHours, leaseMinutes, pauseHours } from '@unsaid/contract/moderation/policies';
import { dayMs, dayOf, hourMs, minuteMs, startOfDay } from '../../platform/clock.ts';

/** The state machine of a case: pure and total. Queries apply what it returns, under the case's version. */
export interface Case {
  readonly state: CaseState;
  readonly version: number;
  readonly subjectKind: SubjectKind;
  readonly severity: number;
  readonly pausedAt: number | null;
  readonly pauseEndsAt: number | null;
  readonly isFrozen: boolean;
  readonly lease: { readonly by: number; readonly until: number } | null;
  readonly outcome: Outcome | null;
  readonly decidedBy: number | null;
  readonly appealUntil: number | null;
  readonly appealedAt: number | null;
  readonly resolution: Resolution | null;
}

/** A moderator, as far as the rules ask. */
export interface Decider {
  readonly id: number;
  readonly isLead: boolean;
}

export type CaseEvent =
  /** By the clock or by reports. */
  | { readonly type: 'pause' | 'unpause' | 'lapse' }
  /** The author deleted the item. */
  | { readonly type: 'moot' }
  | { readonly type: 'appeal' }
  | { readonly type: 'take' | 'extend' | 'release'; readonly by: Decider }
  | { readonly type: 'escalate'; readonly by: Decider; readonly version: number }
  | {
      readonly type: 'decide';
      readonly by: Decider;
      readonly version: number;
      readonly outcome: Exclude<Outcome, 'moot'>;
      readonly hasPolicy: boolean;
      readonly appealDays: number;
    }
  | {
      readonly type: 'resolve';
      readonly by: Decider;
      readonly version: number;
      readonly resolution: Resolution;
    }
  | { readonly type: 'reverse'; readonly by: Decider; readonly version: number };

/** What has to happen with the change, in its transaction or after it. */
export type CaseEffect =
  | 'hide_item'
  | 'remove_item'
  | 'restore_item'
  | 'write_notice'
  | 'void_notice'
  | 'reports_agreed'
  | 'reports_disagreed'
  | 'reports_unused';

export type Refusal =
  | 'CASE_CLOSED'
  | 'CASE_CHANGED'
  | 'LEASE_LOST'
  | 'SECOND_PERSON'
  | 'ROLE_REQUIRED'
  | 'POLICY_REQUIRED'
  | 'APPEAL_CLOSED'
  /** An automatic event that does not apply, or no longer. */
  | 'NOT_DUE';

export type Transition =
  | { readonly next: Case; readonly effects: readonly CaseEffect[] }
  | { readonly refusal: Refusal };

const refuse = (refusal: Refusal): Transition => ({ refusal });
/** A case that waits for its decision. */
export const isUndecided = (state: string) => state === 'open' || state === 'escalated';
/** A case that waits for a moderator: for its decision, or for that about its appeal. */
export const isWaiting = (state: string) => isUndecided(state) || state === 'appealed';
export const isTakenAway = (outcome: string | null) => outcome === 'hide' || outcome === 'remove';

/** From here on a case is about danger: it goes on when its author deletes the item. */
export const severeFrom = 3;
export const isSevere = ({ severity }: Pick<Case, 'severity'>) => severity >= severeFrom;

export function transition(from: Case, event: CaseEvent, now: number): Transition {
  const change = (next: Partial<Case>, effects: readonly CaseEffect[] = []): Transition => ({
    next: { ...from, ...next, version: from.version + 1 },
    effects,
  });
  const isPaused = isUndecided(from.state) && from.pausedAt !== null;
  const isLeaseFree = from.lease === null || from.lease.until <= now;
  const holds = (by: Decider) =>
    isWaiting(from.state) && from.lease !== null && from.lease.by === by.id && from.lease.until > now;
  const resolve = (resolution: Resolution): Transition =>
    change(
      { state: 'closed', resolution, lease: null },
      resolution === 'overturned' ? ['restore_item', 'void_notice', 'reports_disagreed'] : [],
    );

  switch (event.type) {
    case 'pause': {
      if (!isUndecided(from.state) || from.pausedAt !== null || from.isFrozen) return refuse('NOT_DUE');
      const hours = isSevere(from) ? pauseHours.severe : pauseHours.usual;
      return change({ pausedAt: now, pauseEndsAt: now + hours * hourMs }, ['hide_item']);
    }
    case 'unpause':
      if (!isPaused || from.pauseEndsAt === null || from.pauseEndsAt > now) return refuse('NOT_DUE');
      // Frozen: the item was paused for its time, and reports must not hide it again. As after an escalation nobody holds
      // it: from now on it is for leads.
      return change({ state: 'escalated', isFrozen: true, pausedAt: null, pauseEndsAt: null, lease: null }, [
        'restore_item',
      ]);
    case 'lapse':
      if (from.state !== 'decided' || from.appealUntil === null || from.appealUntil > now)
        return refuse('NOT_DUE');
      return change({ state: 'closed' });
    case 'moot':
      if (!isUndecided(from.state) || isSevere(from)) return refuse('NOT_DUE');
      return change({ state: 'closed', outcome: 'moot', lease: null }, ['reports_unused']);

    case 'take':
      if (!isWaiting(from.state)) return refuse('CASE_CLOSED');
      if (from.state === 'escalated' && !event.by.isLead) return refuse('ROLE_REQUIRED');
      if (from.state === 'appealed' && from.decidedBy === event.by.id) return refuse('SECOND_PERSON');
      if (!isLeaseFree && !holds(event.by)) return refuse('LEASE_LOST');
      return change({ lease: { by: event.by.id, until: now + leaseMinutes * minuteMs } });
    case 'extend':
      if (!holds(event.by)) return refuse('LEASE_LOST');
      return change({ lease: { by: event.by.id, until: now + leaseMinutes * minuteMs } });
    case 'release':
      if (!holds(event.by)) return refuse('LEASE_LOST');
      return change({ lease: null });
    case 'escalate':
      if (!isWaiting(from.state)) return refuse('CASE_CLOSED');
      if (!holds(event.by)) return refuse('LEASE_LOST');
      if (event.version !== from.version) return refuse('CASE_CHANGED');
      if (from.state !== 'open') return refuse('CASE_CHANGED');
      return change({ state: 'escalated', lease: null });

    case 'decide': {
      if (!isUndecided(from.state)) return refuse('CASE_CLOSED');
      if (!holds(event.by)) return refuse('LEASE_LOST');
      if (event.version !== from.version) return refuse('CASE_CHANGED');
      const decided = { outcome: event.outcome, decidedBy: event.by.id, lease: null };
      const restore: CaseEffect[] = isPaused ? ['restore_item'] : [];
      if (event.outcome === 'keep')
        return change({ ...decided, state: 'closed' }, [...restore, 'reports_disagreed']);
      if (event.outcome === 'care')
        return change({ ...decided, state: 'closed' }, [...restore, 'write_notice', 'reports_unused']);
      if (!event.hasPolicy) return refuse('POLICY_REQUIRED');
      return change({ ...decided, state: 'decided', appealUntil: now + event.appealDays * dayMs }, [
        event.outcome === 'hide' ? 'hide_item' : 'remove_item',
        'write_notice',
        'reports_agreed',
      ]);
    }
    case 'appeal':
      if (from.state !== 'decided' || from.appealedAt !== null) return refuse('APPEAL_CLOSED');
      if (from.appealUntil === null || now > from.appealUntil) return refuse('APPEAL_CLOSED');
      return change({ state: 'appealed', appealedAt: appealDay(now), lease: null });
    case 'resolve':
      if (from.state !== 'appealed') return refuse('CASE_CLOSED');
      if (from.decidedBy === event.by.id) return refuse('SECOND_PERSON');
      if (!holds(event.by)) return refuse('LEASE_LOST');
      if (event.version !== from.version) return refuse('CASE_CHANGED');
      return resolve(event.resolution);
    case 'reverse':
      if (from.state !== 'decided' || !isTakenAway(from.outcome)) return refuse('CASE_CLOSED');
      if (!event.by.isLead) return refuse('ROLE_REQUIRED');
      if (from.decidedBy === event.by.id) return refuse('SECOND_PERSON');
      if (event.version !== from.version) return refuse('CASE_CHANGED');
      return resolve('overturned');
  }
}

/**
 * Whether this moderator may read the texts now: who holds the case, and the lead who could reverse its decision. A
 * decided case has no lease, and nobody should reverse what they have not read.
 */
export function mayRead(from: Case, by: Decider, now: number): boolean {
  const isHeld = from.lease !== null && from.lease.by === by.id && from.lease.until > now;
  return isHeld || 'next' in transition(from, { type: 'reverse', by, version: from.version }, now);
}

/** The day alone: who reads several notices appeals them within minutes, so the time would join cases of one author. */
const appealDay = (now: number) => startOfDay(dayOf(now));

/** When an appeal has to be decided. Counted from the beginning of its day, so never late. */
export function appealDueAt(now: number): number {
  return appealDay(now) + appealDueHours * hourMs;
}
