import { readFileSync } from 'node:fs';
import { repo } from '../test-env.ts';

export type Locale = 'en' | 'hi' | 'hi-Latn';
/** From the English words of the source; `{0}` and `{1}` are replaced by the values. */
export type Translate = (text: string, ...values: readonly (string | number)[]) => string;

function readCatalogue(locale: Locale): Map<string, string> {
  const catalogue = [
    'legal',
    'info',
    'app',
    'inbox',
    'crisis',
    'identity',
    'moderation',
    'choices',
    'recovery',
    'listening',
  ]
    .map((name) => readFileSync(`${repo}web/src/locales/${locale}/${name}.po`, 'utf8'))
    .join('\n');
  const entries = catalogue.matchAll(/^msgid (".+")\nmsgstr (".*")$/gmu);
  return new Map(
    [...entries].map(([, source = '""', words = '""']) => [
      JSON.parse(source) as string,
      // The legal texts stay in English in Hinglish.
      (JSON.parse(words) || JSON.parse(source)) as string,
    ]),
  );
}

export function createTranslate(locale: Locale): Translate {
  const catalogue = locale === 'en' ? undefined : readCatalogue(locale);
  return (text, ...values) => {
    const words = catalogue ? catalogue.get(text) : text;
    if (words === undefined) throw new Error(`no translation of "${text}"`);
    return words.replaceAll(/\{(\d)\}/gu, (_, at: string) => String(values[Number(at)]));
  };
}

/** Whether a text is one of another language's, and not of this one. */
export function createIsForeign(locale: Locale): (text: string) => boolean {
  const own = new Set(readCatalogue(locale).values());
  const others = new Set(
    [...readCatalogue('hi')].flatMap(([english, hindi]) => [english, hindi]).filter((text) => !own.has(text)),
  );
  return (text) => others.has(text);
}
