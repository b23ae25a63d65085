import type { Messages } from '@lingui/core';
import { expect, it } from 'vitest';
import { locales } from '../lib/locale.ts';

const catalogues = import.meta.glob<{ messages: Messages }>('./*/*.po', { eager: true });
const messagesOf = (locale: string, name: string) => catalogues[`./${locale}/${name}.po`]?.messages ?? {};

/** Every {placeholder} and <tag> of a compiled message, whatever order a language puts them in. */
function holes(message: unknown): string[] {
  const found = new Set<string>();
  for (const token of Array.isArray(message) ? (message as unknown[]) : [message]) {
    if (typeof token === 'string') {
      for (const [tag] of token.matchAll(/<\/?\d+\/?>/gu)) found.add(tag);
    } else if (Array.isArray(token)) {
      // A placeholder: its name, and for a plural the messages to choose from.
      const [name, , cases] = token as [string, string?, unknown?];
      found.add(`{${name}}`);
      if (typeof cases !== 'object' || cases === null) continue;
      for (const one of Object.values(cases)) for (const hole of holes(one)) found.add(hole);
    }
  }
  return [...found].toSorted();
}

const wordsOf = (message: unknown): string => JSON.stringify(message);

for (const locale of locales.filter((one) => one !== 'en')) {
  for (const name of ['app', 'info']) {
    it(`${locale}/${name} fills every gap that English fills`, () => {
      const english = messagesOf('en', name);
      const theirs = messagesOf(locale, name);
      expect(Object.keys(theirs).toSorted()).toEqual(Object.keys(english).toSorted());
      for (const [id, message] of Object.entries(english)) {
        expect(holes(theirs[id]), wordsOf(message)).toEqual(holes(message));
      }
    });
  }
}

it('every message in Hindi is in Hindi', () => {
  for (const name of ['app', 'info']) {
    for (const message of Object.values(messagesOf('hi', name))) {
      const text = wordsOf(message);
      expect(text).toMatch(/[\u0900-\u097f]/u);
      // A full stop of the Latin kind was left behind.
      expect(text).not.toMatch(/[\u0900-\u097f]\.(?:"|\s)/u);
    }
  }
});
