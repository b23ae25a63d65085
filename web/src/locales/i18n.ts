import { i18n, type Messages } from '@lingui/core';
import { formatLocales, saveLocale, onLocaleChangedInOtherTab, initialLocale, type Locale } from '../lib/locale.ts';

// English is the source and the fallback: its words are in the code that shows them (vite.config.ts). Other languages are
// loaded on demand.
const catalogues = import.meta.glob<{ messages: Messages }>(['./*/*.po', '!./en/*.po']);

/** Catalogues that are loaded with what shows them. */
export type LazyCatalogue = 'info' | 'inbox' | 'crisis' | 'identity' | 'moderation' | 'choices' | 'recovery' | 'listening';

async function load(locale: Locale, name: 'app' | LazyCatalogue): Promise<Messages> {
  const catalogue = await catalogues[`./${locale}/${name}.po`]?.();
  return catalogue?.messages ?? {};
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

async function loadMessages(name: LazyCatalogue): Promise<void> {
  inUse.add(name);
  const locale = requested;
  const messages = await load(locale, name);
  // Without the event of `i18n.load`, at which everything on screen renders again: what shows these comes after them.
  if (locale === i18n.locale) Object.assign(i18n.messages, messages);
  else i18n.load(locale, messages);
}

/** Resolves once both are loaded: a module, and the catalogues of what it shows. */
export async function withMessages<M>(loading: Promise<M>, ...names: LazyCatalogue[]): Promise<M> {
  const [module] = await Promise.all([loading, ...names.map(loadMessages)]);
  return module;
}
