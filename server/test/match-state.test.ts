import { describe, expect, test } from 'vitest';
import {
  answer,
  answers,
  isClosedOn,
  statusFor,
  type Answer,
  type Outcome,
  type Stance,
} from '../src/matches/matches.state.ts';

describe('the life of a pair', () => {
  // My answer, theirs, whether it is closed; what becomes of accept and of reject.
  const table: [Answer, Answer, 'open' | 'closed', Outcome, Outcome][] = [
    ['none', 'none', 'open', 'yes', 'no'],
    ['none', 'yes', 'open', 'yes', 'no'],
    ['none', 'no', 'open', 'yes', 'no'],
    ['yes', 'none', 'open', 'repeat', 'no'],
    ['yes', 'yes', 'open', 'repeat', 'too_late'],
    ['yes', 'no', 'open', 'repeat', 'no'],
    ['no', 'none', 'open', 'too_late', 'repeat'],
    ['no', 'yes', 'open', 'too_late', 'repeat'],
    ['no', 'no', 'open', 'too_late', 'repeat'],
    ['none', 'none', 'closed', 'too_late', 'too_late'],
    ['none', 'yes', 'closed', 'too_late', 'too_late'],
    ['none', 'no', 'closed', 'too_late', 'too_late'],
    ['yes', 'none', 'closed', 'too_late', 'too_late'],
    ['yes', 'no', 'closed', 'too_late', 'too_late'],
    ['no', 'none', 'closed', 'too_late', 'repeat'],
    ['no', 'yes', 'closed', 'too_late', 'repeat'],
    ['no', 'no', 'closed', 'too_late', 'repeat'],
  ];

  test.each(table)('%s, %s, %s: accept gives %s, reject gives %s', (mine, theirs, time, accept, reject) => {
    const stance = { mine, theirs, isClosed: time === 'closed' };
    expect(answer(stance, 'accept')).toBe(accept);
    expect(answer(stance, 'reject')).toBe(reject);
  });

  test('is written down whole: every state but two yeses that closed, which there are not', () => {
    expect(new Set(table.map((row) => row.slice(0, 3).join())).size).toBe(answers.length ** 2 * 2 - 1);
    expect(isClosedOn('2026-12-31', { a: 'yes', b: 'yes', closesOn: '2026-01-01' })).toBe(false);
    expect(isClosedOn('2026-01-01', { a: 'yes', b: 'no', closesOn: '2026-01-01' })).toBe(true);
    expect(isClosedOn('2025-12-31', { a: 'none', b: 'no', closesOn: '2026-01-01' })).toBe(false);
  });

  test('shows nobody a no that was said to them (SC-32)', () => {
    for (const mine of ['none', 'yes'] as const) {
      for (const isClosed of [false, true]) {
        const silent = statusFor({ mine, theirs: 'none', isClosed });
        expect(statusFor({ mine, theirs: 'no', isClosed })).toBe(silent);
        for (const wish of ['accept', 'reject'] as const) {
          const one: Stance = { mine, theirs: 'no', isClosed };
          expect(answer(one, wish)).toBe(answer({ ...one, theirs: 'none' }, wish));
        }
      }
    }
    expect(statusFor({ mine: 'no', theirs: 'none', isClosed: false })).toBe('rejected');
    expect(statusFor({ mine: 'yes', theirs: 'yes', isClosed: false })).toBe('accepted');
    expect(statusFor({ mine: 'yes', theirs: 'none', isClosed: true })).toBe('closed');
  });
});
