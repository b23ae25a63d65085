import { describe, expect, test } from 'vitest';
import {
  decide,
  answers,
  isClosedOn,
  statusFor,
  type Answer,
  type Transition,
  type PairState,
} from '../src/matching/matches.state.ts';

describe('the state machine of a pair', () => {
  // My answer, the other's answer, open or closed; the transitions for accept, reject, withdraw and part.
  const table: [Answer, Answer, 'open' | 'closed', Transition, Transition, Transition, Transition][] = [
    ['none', 'none', 'open', 'yes', 'no', 'too_late', 'too_late'],
    ['none', 'yes', 'open', 'yes', 'no', 'too_late', 'too_late'],
    ['none', 'no', 'open', 'yes', 'no', 'too_late', 'too_late'],
    ['yes', 'none', 'open', 'repeat', 'no', 'no', 'too_late'],
    ['yes', 'yes', 'open', 'repeat', 'too_late', 'too_late', 'no'],
    ['yes', 'no', 'open', 'repeat', 'no', 'no', 'too_late'],
    ['no', 'none', 'open', 'too_late', 'repeat', 'repeat', 'repeat'],
    ['no', 'yes', 'open', 'too_late', 'repeat', 'repeat', 'repeat'],
    ['no', 'no', 'open', 'too_late', 'repeat', 'repeat', 'repeat'],
    ['none', 'none', 'closed', 'too_late', 'too_late', 'too_late', 'too_late'],
    ['none', 'yes', 'closed', 'too_late', 'too_late', 'too_late', 'too_late'],
    ['none', 'no', 'closed', 'too_late', 'too_late', 'too_late', 'too_late'],
    ['yes', 'none', 'closed', 'too_late', 'too_late', 'too_late', 'too_late'],
    ['yes', 'no', 'closed', 'too_late', 'too_late', 'too_late', 'too_late'],
    ['no', 'none', 'closed', 'too_late', 'repeat', 'repeat', 'repeat'],
    ['no', 'yes', 'closed', 'too_late', 'repeat', 'repeat', 'repeat'],
    ['no', 'no', 'closed', 'too_late', 'repeat', 'repeat', 'repeat'],
  ];

  test.each(table)(
    'goes from %s, %s, %s by accept to %s, by reject to %s, by withdraw to %s and by part to %s',
    (mine, theirs, time, accept, reject, withdraw, part) => {
      const state = { mine, theirs, isClosed: time === 'closed' };
      expect(decide(state, 'accept')).toBe(accept);
      expect(decide(state, 'reject')).toBe(reject);
      expect(decide(state, 'withdraw')).toBe(withdraw);
      expect(decide(state, 'part')).toBe(part);
    },
  );

  test('is tested in every state, except two yeses that closed, which cannot occur (S4.10)', () => {
    expect(new Set(table.map((row) => row.slice(0, 3).join())).size).toBe(answers.length ** 2 * 2 - 1);
    expect(isClosedOn('2026-12-31', { a: 'yes', b: 'yes', closesOn: '2026-01-01' })).toBe(false);
    expect(isClosedOn('2026-01-01', { a: 'yes', b: 'no', closesOn: '2026-01-01' })).toBe(true);
    expect(isClosedOn('2025-12-31', { a: 'none', b: 'no', closesOn: '2026-01-01' })).toBe(false);
  });

  test('shows no one a no that they received (SC-32)', () => {
    for (const mine of ['none', 'yes'] as const) {
      for (const isClosed of [false, true]) {
        const silent = statusFor({ mine, theirs: 'none', isClosed });
        expect(statusFor({ mine, theirs: 'no', isClosed })).toBe(silent);
        for (const decision of ['accept', 'reject', 'withdraw', 'part'] as const) {
          const one: PairState = { mine, theirs: 'no', isClosed };
          expect(decide(one, decision)).toBe(decide({ ...one, theirs: 'none' }, decision));
        }
      }
    }
    expect(statusFor({ mine: 'no', theirs: 'none', isClosed: false })).toBe('rejected');
    expect(statusFor({ mine: 'yes', theirs: 'yes', isClosed: false })).toBe('accepted');
    expect(statusFor({ mine: 'yes', theirs: 'none', isClosed: true })).toBe('closed');
  });
});
