import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { saveLocale, locales, onLocaleChangedInOtherTab, initialLocale } from './locale.ts';

const boot = readFileSync(join(import.meta.dirname, '../../public/boot.js'), 'utf8');

/** Runs boot.js as served, in a browser with these languages. */
function localeFor(...languages: string[]) {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);
  // The globals of this file's own DOM: it has a realm of its own, which node:vm does not know.
  runInNewContext(
    boot,
    Object.fromEntries(Object.getOwnPropertyNames(window).map((name) => [name, Reflect.get(window, name)])),
  );
  return initialLocale();
}

beforeEach(() => sessionStorage.setItem('unsaid.splash', 'seen'));
afterEach(() => {
  localStorage.clear();
  document.documentElement.lang = 'en';
});

test('boot.js takes the first supported language of the browser', () => {
  expect(localeFor('hi-IN', 'en-IN')).toBe('hi');
  expect(localeFor('hi')).toBe('hi');
  expect(localeFor('HI-Deva-IN')).toBe('hi');
  expect(localeFor('en-IN', 'hi-IN')).toBe('en');
  expect(localeFor('hi-Latn-IN', 'en-IN')).toBe('hi-Latn');
  expect(localeFor('ta-IN', 'en-GB')).toBe('en');
});

test.each(['mr-IN', 'bho', 'mai', 'ne-NP', 'sa-IN'])('boot.js takes Hindi for %s', (tag) => {
  expect(localeFor(tag, 'en-IN')).toBe('hi');
  expect(localeFor('en-IN', tag)).toBe('en');
});

test('boot.js falls back to English', () => {
  expect(localeFor('ta-IN')).toBe('en');
  expect(localeFor()).toBe('en');
  expect(localeFor('hil', 'eng-x')).toBe('en');
  expect(localeFor('ta-Latn-IN', 'mr-Latn')).toBe('en');
  expect(localeFor('en-Latn-IN')).toBe('en');
});

test('boot.js prefers the stored choice over the languages of the browser', () => {
  saveLocale('en');
  expect(localeFor('hi-IN')).toBe('en');
  saveLocale('hi');
  expect(localeFor('en-IN')).toBe('hi');
  localStorage.setItem('unsaid.locale', 'xx');
  expect(localeFor('hi-IN')).toBe('hi');
});

test('boot.js works without storage', () => {
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new Error('forbidden');
  });
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new Error('forbidden');
  });
  expect(localeFor('hi-IN')).toBe('hi');
  expect(() => saveLocale('hi')).not.toThrow();
});

test('the list of locales equals that of boot.js', () => {
  for (const locale of locales) expect(localeFor(locale)).toBe(locale);
  expect(boot).toContain(`['${locales.join("', '")}']`);
});

test('the listener is told of a choice in another tab', () => {
  const heard = vi.fn();
  onLocaleChangedInOtherTab(heard);
  const say = (key: string, newValue: string | null) =>
    window.dispatchEvent(new StorageEvent('storage', { key, newValue }));
  say('unsaid.scheme', 'hi');
  say('unsaid.locale', 'xx');
  say('unsaid.locale', null);
  expect(heard).not.toHaveBeenCalled();
  say('unsaid.locale', 'hi');
  expect(heard).toHaveBeenCalledExactlyOnceWith('hi');
});
