/** The languages one can read here. `boot.js` picks one before the first frame; this only records a choice. */
export const locales = ['hi', 'en'] as const;
export type Locale = (typeof locales)[number];

/** Each by its own name: whoever looks for theirs may not read the other. */
export const localeNames: Readonly<Record<Locale, string>> = { en: 'English', hi: 'हिन्दी' };

/** Dates and numbers as in India. Hindi keeps 0 to 9, which phones and numbers to call are written in there. */
export const formatLocales: Readonly<Record<Locale, string>> = { en: 'en-IN', hi: 'hi-IN-u-nu-latn' };

const localeKey = 'unsaid.locale';

const isLocale = (tag: unknown): tag is Locale => locales.some((locale) => locale === tag);

/** What `boot.js` has painted: the choice made in this browser, else the first of its languages that we know. */
export function paintedLocale(): Locale {
  const { lang } = document.documentElement;
  return isLocale(lang) ? lang : 'en';
}

export function keepLocale(locale: Locale): void {
  try {
    localStorage.setItem(localeKey, locale);
  } catch {
    // Where nothing can be kept, the choice lasts as long as the page.
  }
}

/** Another tab of this browser has chosen. */
export function onLocaleChosenElsewhere(listener: (locale: Locale) => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === localeKey && isLocale(newValue)) listener(newValue);
  });
}
