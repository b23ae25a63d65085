import { expect, test } from 'vitest';
import { padToMultiple, padToPowerOfTwo } from '../src/platform/padding.ts';

/** JSON of this many bytes. */
const ofBytes = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

test('JSON is filled with spaces to the next multiple, and one that fits gets none', () => {
  expect(padToMultiple('{}', 8)).toBe('{}      ');
  expect([2, 7, 8, 9, 16, 17].map((bytes) => padToMultiple(ofBytes(bytes), 8).length)).toEqual([
    8, 8, 8, 16, 16, 24,
  ]);
});

test('what is added later is part of the multiple', () => {
  expect([2, 995, 996, 997].map((bytes) => padToMultiple(ofBytes(bytes), 1024, 28).length)).toEqual([
    996, 996, 996, 2020,
  ]);
});

test('JSON is filled to a power of two, from the least on', () => {
  expect([2, 1024, 1025, 2048, 2049].map((bytes) => padToPowerOfTwo(ofBytes(bytes), 1024).length)).toEqual([
    1024, 1024, 2048, 2048, 4096,
  ]);
});

test.each(['नमस्ते', '🙂🙂🙂', 'é'])('bytes count, not characters, and it reads as before: %s', (text) => {
  for (const padded of [padToMultiple(JSON.stringify(text), 64), padToPowerOfTwo(JSON.stringify(text), 64)]) {
    expect(Buffer.byteLength(padded)).toBe(64);
    expect(JSON.parse(padded)).toBe(text);
  }
});
