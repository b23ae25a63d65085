import { i18n, type Messages } from '@lingui/core';
import { messages as english } from './en/app.po';

/** Languages that are ready to be chosen. */
export const locales = ['en'] as const;
type Locale = (typeof locales)[number];

// English is the source and the fallback, so it comes with the entry; the rest is fetched when asked for.
const catalogues = import.meta.glob<{ messages: Messages }>(['./*/*.po', '!./en/app.po']);

async function load(locale: Locale, name: 'app' | 'info'): Promise<Messages> {
  const catalogue = await catalogues[`./${locale}/${name}.po`]?.();
  return catalogue?.messages ?? {};
}

export function activateEnglish(): void {
  i18n.load('en', english);
  i18n.activate('en');
}

/** The long texts of terms, privacy, FAQ and support; called before those pages render. */
export async function loadInfoMessages(): Promise<void> {
  const locale = locales.find((one) => one === i18n.locale) ?? 'en';
  i18n.load(locale, await load(locale, 'info'));
}
