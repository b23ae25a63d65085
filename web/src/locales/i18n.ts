import { i18n, setupI18n, type I18n, type Messages } from '@lingui/core';
import { useLingui } from '@lingui/react';
import { addDateWords, type DateWords } from '../lib/date-words.ts';
import { formatLocales, locales, saveLocale, onLocaleChangedInOtherTab, initialLocale, type Locale } from '../lib/locale.ts';
import { createStore } from '../lib/store.ts';

// English is the source and the fallback: its words are in the code that shows them (vite.config.ts). Other languages are
// loaded on demand, with the list of their catalogues.
interface Language {
  readonly catalogues: Readonly<Record<string, () => Promise<{ messages: Messages }>>>;
  readonly dates: DateWords;
}

const languages = import.meta.glob<Language>('./*/language.ts');

/** Catalogues that are loaded with what shows them. */
export type LazyCatalogue = 'info' | 'legal' | 'inbox' | 'crisis' | 'identity' | 'moderation' | 'choices' | 'recovery' | 'listening';

async function load(locale: Locale, name: 'app' | LazyCatalogue): Promise<Messages> {
  const language = await languages[`./${locale}/language.ts`]?.();
  if (!language) return {};
  addDateWords(formatLocales[locale], language.dates);
  return (await language.catalogues[`./${name}.po`]?.())?.messages ?? {};
}

/** The lazy catalogues in use. A change of language loads them too. */
const inUse = new Set<LazyCatalogue>();
/** The locale requested last. Catalogues can arrive out of order. */
let requested: Locale = 'en';

function activate(locale: Locale, messages: Messages): void {
  requested = locale;
  i18n.load(locale, messages);
  i18n.activate(locale, formatLocales[locale]);
  document.documentElement.lang = locale;
}

export function activateEnglish(): void {
  activate('en', {});
}

/** Throws when a catalogue cannot be loaded; the locale then stays unchanged. */
async function switchLocale(locale: Locale): Promise<void> {
  const before = requested;
  requested = locale;
  try {
    const parts = await Promise.all((['app', ...inUse] as const).map((name) => load(locale, name)));
    if (requested === locale) activate(locale, Object.assign({}, ...parts) as Messages);
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

export async function loadMessages(name: LazyCatalogue): Promise<void> {
  inUse.add(name);
  const locale = requested;
  const messages = await load(locale, name);
  // Without the event of `i18n.load`, at which everything on screen renders again: what shows these comes after them.
  if (locale === i18n.locale) Object.assign(i18n.messages, messages);
  else i18n.load(locale, messages);
}

/** For what speaks the language of a text, not of the menu. */
const others = createStore<ReadonlyMap<Locale, I18n>>(new Map());

/** Loads a catalogue in every language, for everybody alike: which one is read then tells nothing. */
export async function loadEveryLanguage(name: LazyCatalogue): Promise<void> {
  await Promise.all(
    locales.map(async (locale) => {
      const other = setupI18n();
      other.load(locale, locale === 'en' ? {} : await load(locale, name));
      other.activate(locale, formatLocales[locale]);
      others.set(new Map(others.get()).set(locale, other));
    }),
  );
}

/** The menu's own where that is the language, or until the other is loaded. */
export function useWordsIn(locale: Locale): I18n {
  const { i18n: menu } = useLingui();
  const other = others.useValue((words) => words.get(locale));
  return menu.locale === locale ? menu : (other ?? menu);
}
