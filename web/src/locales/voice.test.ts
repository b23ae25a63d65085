import { globSync, readFileSync } from 'node:fs';
import { errorKinds } from '@unsaid/contract';
import { expect, test } from 'vitest';

/** Solemn or translated-sounding words. docs/translating.md describes the voice and what to write instead. */
const stiff =
  /\b(?:whoever|whomever|somebody|nor|shall|anew|cannot|not even we|(?:do|does|did|is|are|was|will|has|have|could|would) not)\b/iu;

const english = globSync('en/*.po', { cwd: import.meta.dirname })
  .flatMap((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8').split('\n'))
  .filter((line) => line.startsWith('msgid "'))
  .map((line) => line.slice('msgid "'.length, -1));

test('the long pages, the inbox, the crisis card, the identity notice, moderation and the error messages use everyday English', () => {
  const messages = Object.values(errorKinds).map(({ message }) => message);
  expect(english.length).toBeGreaterThan(150);
  expect([...english, ...messages].filter((text) => stiff.test(text))).toEqual([]);
});
