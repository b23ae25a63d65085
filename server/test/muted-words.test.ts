import { wordsOf } from '@unsaid/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMutedWords } from '../src/kernel/hiding.ts';

/** The definition: the words of the text contain the words that are muted, side by side and whole. */
const isMuted = (muted: readonly string[], text: string) =>
  muted.some((word) => wordsOf(text).includes(wordsOf(word)));

/** Few letters, so that words meet: cases, accents, marks of Hindi, pictographs, what is special in expressions. */
const pieces = [
  'a',
  'A',
  'b',
  'é',
  'e\u0301',
  'ß',
  'İ',
  'क',
  'क़',
  'ि',
  '्',
  '१',
  '1',
  '😢',
  '👩‍👧',
  '©',
  '\uD83D',
];
const gaps = [' ', '-', '.', '|', '(', ')', '$', '\\', '\n', '\u200D', '\0'];
const text = fc.array(fc.constantFrom(...pieces, ...gaps), { maxLength: 12 }).map((parts) => parts.join(''));
const word = text.filter((said) => wordsOf(said) !== '');

test('muted words are found exactly where the words of a text have them side by side', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), text, text, (muted, before, after) => {
      const has = createMutedWords(muted);
      for (const said of [
        before,
        ...muted.map((one) => `${before} ${one.toUpperCase()}. ${after}`),
        before + after,
      ]) {
        found += Number(has(said));
        expect(has(said)).toBe(isMuted(muted, said));
      }
    }),
    { numRuns: 2000 },
  );
  // Not a test of two functions that never find anything.
  expect(found).toBeGreaterThan(1000);
});

test('without muted words nothing is muted', () => {
  expect(createMutedWords([])('anything')).toBe(false);
});
