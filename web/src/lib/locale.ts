import { localStore } from './storage.ts';

/** Supported languages. `boot.js` picks one before the first paint; this module stores the user's choice. */
export const locales = ['hi', 'hi-Latn', 'en'] as const;
export type Locale = (typeof locales)[number];

/** Each language is named in itself, for readers who know only that one. */
export const localeNames: Readonly<Record<Locale, string>> = {
  en: 'English',
  hi: 'हिन्दी',
  'hi-Latn': 'Hinglish',
};

/**
 * Indian formats. Hindi uses the digits 0 to 9 (`latn`), as phone numbers in India are written. For `hi-Latn` browsers have
 * no data and take Devanagari: Hinglish has the numbers of English, and its own words (date-words.ts).
 */
export const formatLocales: Readonly<Record<Locale, string>> = {
  en: 'en-IN',
  hi: 'hi-IN-u-nu-latn',
  'hi-Latn': 'en-IN-x-hinglish',
};

const localeKey = 'unsaid.locale';

const isLocale = (tag: unknown): tag is Locale => locales.some((locale) => locale === tag);

/** The locale that `boot.js` set: the stored choice, or the first supported language of the browser. */
export function initialLocale(): Locale {
  const { lang } = document.documentElement;
  return isLocale(lang) ? lang : 'en';
}

export function saveLocale(locale: Locale): void {
  localStore.set(localeKey, locale);
}

export function onLocaleChangedInOtherTab(listener: (locale: Locale) => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === localeKey && isLocale(newValue)) listener(newValue);
  });
}
