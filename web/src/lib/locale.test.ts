import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepLocale, locales, onLocaleChosenElsewhere, paintedLocale } from './locale.ts';

const boot = readFileSync(join(import.meta.dirname, '../../public/boot.js'), 'utf8');

/** What boot.js, as it is served, makes of a browser with these languages. */
function localeFor(...languages: string[]) {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);
  runInThisContext(boot);
  return paintedLocale();
}

beforeEach(() => sessionStorage.setItem('unsaid.splash', 'seen'));
afterEach(() => {
  localStorage.clear();
  document.documentElement.lang = 'en';
});

it('takes the first of the browser’s languages that we have', () => {
  expect(localeFor('hi-IN', 'en-IN')).toBe('hi');
  expect(localeFor('hi')).toBe('hi');
  expect(localeFor('HI-Deva-IN')).toBe('hi');
  expect(localeFor('en-IN', 'hi-IN')).toBe('en');
  expect(localeFor('mr-IN', 'hi-IN', 'en-US')).toBe('hi');
  expect(localeFor('ta-IN', 'en-GB')).toBe('en');
});

it('is English for whoever reads neither, and for Hindi in Latin letters', () => {
  expect(localeFor('ta-IN')).toBe('en');
  expect(localeFor()).toBe('en');
  expect(localeFor('hil', 'eng-x')).toBe('en');
  expect(localeFor('hi-Latn-IN', 'en-IN')).toBe('en');
});

it('puts what was chosen in this browser before its languages', () => {
  keepLocale('en');
  expect(localeFor('hi-IN')).toBe('en');
  keepLocale('hi');
  expect(localeFor('en-IN')).toBe('hi');
  localStorage.setItem('unsaid.locale', 'xx');
  expect(localeFor('hi-IN')).toBe('hi');
});

it('does not need storage', () => {
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new Error('forbidden');
  });
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new Error('forbidden');
  });
  expect(localeFor('hi-IN')).toBe('hi');
  expect(() => keepLocale('hi')).not.toThrow();
});

it('knows every language that boot.js knows', () => {
  for (const locale of locales) expect(localeFor(locale)).toBe(locale);
  expect(boot).toContain(`['${locales.join("', '")}']`);
});

it('hears of a choice made in another tab', () => {
  const heard = vi.fn();
  onLocaleChosenElsewhere(heard);
  const say = (key: string, newValue: string | null) =>
    window.dispatchEvent(new StorageEvent('storage', { key, newValue }));
  say('unsaid.scheme', 'hi');
  say('unsaid.locale', 'xx');
  say('unsaid.locale', null);
  expect(heard).not.toHaveBeenCalled();
  say('unsaid.locale', 'hi');
  expect(heard).toHaveBeenCalledExactlyOnceWith('hi');
});
