import { i18n } from '@lingui/core';
import { dayMs } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { questionCount, questionOfTheDay } from './questions.ts';

const ask = (at: string | number) => i18n._(questionOfTheDay(typeof at === 'string' ? Date.parse(at) : at));

test('the question is the same for everyone all day, and changes at midnight in India', () => {
  expect(ask('2026-11-15T00:00:00+05:30')).toBe(ask('2026-11-15T23:59:59+05:30'));
  expect(ask('2026-11-15T23:59:59+05:30')).not.toBe(ask('2026-11-16T00:00:00+05:30'));
});

test('the list has more than a month of questions, each short and unique', () => {
  const start = Date.parse('2026-11-15T12:00:00Z');
  const asked = Array.from({ length: questionCount }, (_, day) => ask(start + day * dayMs));
  expect(new Set(asked).size).toBe(questionCount);
  expect(questionCount).toBeGreaterThanOrEqual(31);
  for (const question of asked) {
    expect(question).toMatch(/\?$/u);
    expect(question.length).toBeLessThan(60);
  }
});
