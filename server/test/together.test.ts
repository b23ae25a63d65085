import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { together } from '../src/platform/together.ts';

function counting() {
  const groups: number[][] = [];
  const double = together(async (numbers: readonly number[]) => {
    groups.push([...numbers]);
    return numbers.map((number) => number * 2);
  });
  return { groups, double };
}

test('who asks in one turn of the event loop goes together, and each gets their own answer', async () => {
  const { groups, double } = counting();
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(groups).toEqual([[1, 2, 3]]);
  expect(await double(4)).toBe(8);
  expect(groups).toEqual([[1, 2, 3], [4]]);
});

test('who comes while an answer is awaited does not wait for it', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  const ask = together(async (names: readonly string[]) => {
    if (names.includes('slow')) await slow;
    return names;
  });
  const first = ask('slow');
  await nextTurn();
  await nextTurn();
  expect(await ask('quick')).toBe('quick');
  resolve();
  expect(await first).toBe('slow');
});

test('a failure is told to all of its group and to nobody after it', async () => {
  let isBroken = true;
  const ask = together(async (names: readonly string[]) => {
    if (isBroken) throw new Error('away');
    return names;
  });
  const settled = await Promise.allSettled([ask('a'), ask('b')]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await ask('c')).toBe('c');
});

test('no group grows beyond fifty, and nobody is lost between two', async () => {
  const { groups, double } = counting();
  const numbers = Array.from({ length: 120 }, (_, n) => n);
  expect(await Promise.all(numbers.map(double))).toEqual(numbers.map((number) => number * 2));
  expect(groups.map(({ length }) => length)).toEqual([50, 50, 20]);
});
