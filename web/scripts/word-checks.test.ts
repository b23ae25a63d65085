import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isMissing, problemsOf, readCatalogue, readTerms, type Entry } from './word-checks.ts';

const terms = readTerms(readFileSync(`${import.meta.dirname}/../../docs/translating.md`, 'utf8'));
const said = (text: string, source = 'Something in English here'): Entry => ({ source, text });
const hindi = (text: string) => problemsOf('hi', said(text), terms);

test('a word that the table of terms rules out is found, with its endings and no others', () => {
  expect(hindi('अपना खाता हटाएँ')).toEqual(['says "खाता", which the table of terms rules out']);
  expect(hindi('दो खातों को')).toHaveLength(1);
  expect(hindi('किसी को नहीं दिखाता')).toEqual([]);
  expect(problemsOf('hi-Latn', said('Aapka vent'), terms)).toHaveLength(1);
  // The name that the law gives.
  expect(hindi('शिकायत अधिकारी को लिखें')).toEqual([]);
  expect(hindi('शिकायत अधिकारी को शिकायत करें')).toHaveLength(1);
});

test.each([
  ['hi', 'आप यहाँ लिख सकते हैं'],
  ['hi', 'जब आप तैयार होंगे'],
  ['hi', 'मैं सुन रहा हूँ'],
  ['hi-Latn', 'Aap yahan likh sakte hain'],
  ['hi-Latn', 'Jab aap likhenge'],
  ['hi-Latn', 'Main sun rahi hoon'],
])('a gender is found in %s: %s', (locale, text) => {
  expect(problemsOf(locale, said(text), terms)).toEqual([expect.stringContaining('shows a gender')]);
});

test.each([
  ['hi', 'लोग आप तक पहुँच सकते हैं'],
  ['hi', 'हम आपको लिख सकते हैं'],
  ['hi', 'आप चुनें। वे देख सकते हैं।'],
  ['hi-Latn', 'Log aap tak pahunch sakte hain'],
  ['hi-Latn', 'Aapne jo likha'],
])('no gender is found in %s: %s', (locale, text) => {
  expect(problemsOf(locale, said(text), terms)).toEqual([]);
});

test('a text without its translation is found: empty, in another script, or the English again', () => {
  expect(isMissing('hi', said(''))).toBe(true);
  expect(isMissing('hi', said('Something'))).toBe(true);
  expect(isMissing('hi', said('OTP'))).toBe(false);
  expect(isMissing('hi-Latn', said('Something in English here'))).toBe(true);
  expect(isMissing('hi-Latn', said('Log in', 'Log in'))).toBe(false);
  expect(isMissing('hi', said('{what}.', '{what}.'))).toBe(false);
});

test('a catalogue is read', () => {
  const po =
    'msgid ""\nmsgstr ""\n"Language: hi\\n"\n\n#: src/a.tsx\n#: src/b.tsx\nmsgid "A \\"b\\""\nmsgstr "अ"\n';
  expect(readCatalogue(po)).toEqual([{ source: 'A "b"', text: 'अ' }]);
});
