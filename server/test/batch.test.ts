import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatcher } from '../src/platform/batch.ts';

function createCountingBatcher() {
  const groups: number[][] = [];
  const double = createBatcher(async (numbers: readonly number[]) => {
    groups.push([...numbers]);
    return numbers.map((number) => number * 2);
  });
  return { groups, double };
}

test('calls in one turn of the event loop share a batch, and each gets its own result', async () => {
  const { groups, double } = createCountingBatcher();
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(groups).toEqual([[1, 2, 3]]);
  expect(await double(4)).toBe(8);
  expect(groups).toEqual([[1, 2, 3], [4]]);
});

test('calls during a running batch do not wait for it', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  const ask = createBatcher(async (names: readonly string[]) => {
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

test('an error rejects every call of its batch and no later call', async () => {
  let isBroken = true;
  const ask = createBatcher(async (names: readonly string[]) => {
    if (isBroken) throw new Error('away');
    return names;
  });
  const settled = await Promise.allSettled([ask('a'), ask('b')]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await ask('c')).toBe('c');
});

test('no batch is larger than fifty, and no call is lost between two batches', async () => {
  const { groups, double } = createCountingBatcher();
  const numbers = Array.from({ length: 120 }, (_, n) => n);
  expect(await Promise.all(numbers.map(double))).toEqual(numbers.map((number) => number * 2));
  expect(groups.map(({ length }) => length)).toEqual([50, 50, 20]);
});
