import { i18n, type Messages } from '@lingui/core';
import { formatLocales, saveLocale, onLocaleChangedInOtherTab, initialLocale, type Locale } from '../lib/locale.ts';
import { messages as english } from './en/app.po';

// English is the source and the fallback, so it is part of the entry chunk. Other catalogues are loaded on
// demand.
const catalogues = import.meta.glob<{ messages: Messages }>(['./*/*.po', '!./en/app.po']);

async function load(locale: Locale, name: 'app' | 'info'): Promise<Messages> {
  if (locale === 'en' && name === 'app') return english;
  const catalogue = await catalogues[`./${locale}/${name}.po`]?.();
  return catalogue?.messages ?? {};
}

/** Whether a page of long texts was opened. A change of language then loads its catalogue too. */
let hasOpenedInfo = false;
/** The locale requested last. Catalogues can arrive out of order. */
let requested: Locale = 'en';

function activate(locale: Locale, messages: Messages): void {
  requested = locale;
  i18n.load(locale, messages);
  i18n.activate(locale, formatLocales[locale]);
  document.documentElement.lang = locale;
}

export function activateEnglish(): void {
  activate('en', english);
}

/** Throws when a catalogue cannot be loaded; the locale then stays unchanged. */
async function switchLocale(locale: Locale): Promise<void> {
  const before = requested;
  requested = locale;
  try {
    const [app, info] = await Promise.all([load(locale, 'app'), hasOpenedInfo ? load(locale, 'info') : {}]);
    if (requested === locale) activate(locale, { ...app, ...info });
  } catch (error) {
    if (requested === locale) requested = before;
    throw error;
  }
}

/** Runs before the first render. Falls back to English when the catalogue cannot be loaded. */
export async function startLocale(): Promise<void> {
  onLocaleChangedInOtherTab((locale) => void switchLocale(locale).catch(() => undefined));
  const locale = initialLocale();
  if (locale === 'en') activateEnglish();
  else await switchLocale(locale).catch(activateEnglish);
}

export async function chooseLocale(locale: Locale): Promise<void> {
  await switchLocale(locale);
  saveLocale(locale);
}

/** Catalogue of the long texts: terms, privacy, FAQ and support. Loaded before those pages render. */
export async function loadInfoMessages(): Promise<void> {
  hasOpenedInfo = true;
  const locale = requested;
  i18n.load(locale, await load(locale, 'info'));
}
