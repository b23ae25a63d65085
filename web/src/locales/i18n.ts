import { i18n, type Messages } from '@lingui/core';
import { formatLocales, keepLocale, onLocaleChosenElsewhere, paintedLocale, type Locale } from '../lib/locale.ts';
import { messages as english } from './en/app.po';

// English is the source and the fallback, so it comes with the entry; the rest is fetched when asked for.
const catalogues = import.meta.glob<{ messages: Messages }>(['./*/*.po', '!./en/app.po']);

async function load(locale: Locale, name: 'app' | 'info'): Promise<Messages> {
  if (locale === 'en' && name === 'app') return english;
  const catalogue = await catalogues[`./${locale}/${name}.po`]?.();
  return catalogue?.messages ?? {};
}

/** Whether the long texts have been opened: they then change along with the rest. */
let hasOpenedInfo = false;
/** The last one asked for; an earlier one may arrive after it. */
let wanted: Locale = 'en';

function speak(locale: Locale, messages: Messages): void {
  wanted = locale;
  i18n.load(locale, messages);
  i18n.activate(locale, formatLocales[locale]);
  document.documentElement.lang = locale;
}

export function activateEnglish(): void {
  speak('en', english);
}

/** Throws when the words do not arrive; everything then stays as it was. */
async function change(locale: Locale): Promise<void> {
  const before = wanted;
  wanted = locale;
  try {
    const [app, info] = await Promise.all([load(locale, 'app'), hasOpenedInfo ? load(locale, 'info') : {}]);
    if (wanted === locale) speak(locale, { ...app, ...info });
  } catch (error) {
    if (wanted === locale) wanted = before;
    throw error;
  }
}

/** Before anything is drawn. Words that do not arrive are no reason to show nothing. */
export async function startLocale(): Promise<void> {
  onLocaleChosenElsewhere((locale) => void change(locale).catch(() => undefined));
  const locale = paintedLocale();
  if (locale === 'en') activateEnglish();
  else await change(locale).catch(activateEnglish);
}

export async function chooseLocale(locale: Locale): Promise<void> {
  await change(locale);
  keepLocale(locale);
}

/** The long texts of terms, privacy, FAQ and support; called before those pages render. */
export async function loadInfoMessages(): Promise<void> {
  hasOpenedInfo = true;
  const locale = wanted;
  i18n.load(locale, await load(locale, 'info'));
}
