import { readFileSync } from 'node:fs';
import type { Messages } from '@lingui/core';
import { expect, test } from 'vitest';
import { locales } from '../lib/locale.ts';

const catalogues = import.meta.glob<{ messages: Messages }>(['./*/*.po', '!./hi-Latn/legal.po'], { eager: true });
const names = [...new Set(Object.keys(catalogues).map((path) => /([a-z]+)\.po$/u.exec(path)?.[1] ?? ''))];
const messagesOf = (locale: string, name: string) => catalogues[`./${locale}/${name}.po`]?.messages ?? {};

/** Sorted placeholders and tags of a compiled message. Their order differs by language. */
function holes(message: unknown): string[] {
  const found = new Set<string>();
  for (const token of Array.isArray(message) ? (message as unknown[]) : [message]) {
    if (typeof token === 'string') {
      for (const [tag] of token.matchAll(/<\/?\d+\/?>/gu)) found.add(tag);
    } else if (Array.isArray(token)) {
      // A placeholder: its name and, for a plural, its variants.
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
  for (const name of names.filter((one) => `./${locale}/${one}.po` in catalogues)) {
    test(`${locale}/${name} has every placeholder of English`, () => {
      const english = messagesOf('en', name);
      const theirs = messagesOf(locale, name);
      expect(Object.keys(theirs).toSorted()).toEqual(Object.keys(english).toSorted());
      for (const [id, message] of Object.entries(english)) {
        expect(holes(theirs[id]), wordsOf(message)).toEqual(holes(message));
      }
    });
  }
}

test('a message in two catalogues has one translation', () => {
  // All loaded catalogues share one table: the one that is loaded last would win.
  for (const locale of locales) {
    const first: Record<string, string> = {};
    for (const name of names)
      for (const [id, message] of Object.entries(messagesOf(locale, name)))
        expect(wordsOf(message)).toBe((first[id] ??= wordsOf(message)));
  }
});

test('every Hindi message is in Hindi', () => {
  for (const name of names) {
    for (const message of Object.values(messagesOf('hi', name))) {
      const text = wordsOf(message);
      // The abbreviation on every phone is in Latin letters in every language, and a number has none.
      if (text !== '["OTP"]' && /[a-z]/iu.test(text)) expect(text).toMatch(/[\u0900-\u097f]/u);
      // A Latin full stop after Devanagari text.
      expect(text).not.toMatch(/[\u0900-\u097f]\.(?:"|\s)/u);
    }
  }
});

const publicFile = (name: string) => readFileSync(`${import.meta.dirname}/../../${name}`, 'utf8');

test('the labels that are in the page before the application are those it then sets', () => {
  const page = publicFile('index.html').replaceAll(/\s+/gu, ' ');
  const hashes = new Map(Object.entries(messagesOf('en', 'app')).map(([id, message]) => [wordsOf(message), id]));
  for (const label of [
    'Skip to the page',
    'Leave quickly',
    'Leave',
    'Or press Escape three times.',
    'Press Escape once more to leave.',
  ])
    for (const locale of locales) {
      const id = hashes.get(JSON.stringify([label])) ?? '';
      const [words] = messagesOf(locale, 'app')[id] as [string];
      expect(page).toContain(`<span lang="${locale}">${words}</span`);
    }
});

test('each language has its manifest, which differs in words alone', () => {
  const wordless = (name: string) =>
    JSON.parse(publicFile(`public/${name}`), (key, value: unknown) =>
      ['lang', 'description'].includes(key) || (key === 'name' && value !== 'Unsaid') ? undefined : value,
    ) as object;
  for (const locale of locales.filter((one) => one !== 'en')) {
    const name = `manifest-${locale}.webmanifest`;
    expect(JSON.parse(publicFile(`public/${name}`))).toMatchObject({ lang: locale });
    expect(wordless(name)).toEqual(wordless('manifest.webmanifest'));
  }
});
