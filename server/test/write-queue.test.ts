import { expect, test } from 'vitest';
import { createWriteQueue } from '../src/platform/write-queue.ts';

/** A queue whose batches end when the test says so. */
function makeQueue() {
  const batches: { key: string; items: readonly number[]; end: () => void; fail: () => void }[] = [];
  const write = createWriteQueue(
    (key: string, items: readonly number[]) =>
      new Promise<number>((resolve, reject) => {
        batches.push({ key, items, end: () => resolve(items.length), fail: () => reject(new Error('down')) });
      }),
  );
  const next = () => new Promise(setImmediate);
  return { batches, write, next };
}

test('a lone call is written at once, and calls that arrive meanwhile share the next batch', async () => {
  const { batches, write, next } = makeQueue();
  const first = write('a', 1);
  await next();
  const others = [write('a', 2), write('a', 3)];
  await next();
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  batches[0]?.end();
  expect(await first).toBe(1);
  await next();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  batches[1]?.end();
  expect(await Promise.all(others)).toEqual([2, 2]);
});

test('keys do not wait for each other', async () => {
  const { batches, write, next } = makeQueue();
  void write('a', 1);
  void write('b', 2);
  await next();
  expect(batches.map(({ key }) => key)).toEqual(['a', 'b']);
});

test('a batch has at most a hundred, and every call is written once', async () => {
  const { batches, write, next } = makeQueue();
  const all = Array.from({ length: 250 }, (_, n) => write('a', n));
  for (let n = 0; n < 3; n += 1) {
    await next();
    expect(batches).toHaveLength(n + 1);
    batches[n]?.end();
  }
  await Promise.all(all);
  expect(batches.map(({ items }) => items.length)).toEqual([100, 100, 50]);
  expect(batches.flatMap(({ items }) => items)).toEqual(Array.from({ length: 250 }, (_, n) => n));
});

test('a batch that fails does not stop the next one', async () => {
  const { batches, write, next } = makeQueue();
  const first = write('a', 1);
  await next();
  const second = write('a', 2);
  batches[0]?.fail();
  await expect(first).rejects.toThrow('down');
  await next();
  batches[1]?.end();
  expect(await second).toBe(1);
  const third = write('a', 3);
  await next();
  batches[2]?.end();
  expect(await third).toBe(1);
});
