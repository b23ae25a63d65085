import { readFileSync } from 'node:fs';
import { repo } from '../test-env.ts';

export type Locale = 'en' | 'hi';
/** From the English words of the source; `{0}` and `{1}` are replaced by the values. */
export type Translate = (text: string, ...values: readonly (string | number)[]) => string;

function readCatalogue(): Map<string, string> {
  const catalogue = [
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
    .map((name) => readFileSync(`${repo}web/src/locales/hi/${name}.po`, 'utf8'))
    .join('\n');
  const entries = catalogue.matchAll(/^msgid (".+")\nmsgstr (".+")$/gmu);
  return new Map(
    [...entries].map(([, source = '""', hindi = '""']) => [JSON.parse(source), JSON.parse(hindi)]),
  );
}

export function createTranslate(locale: Locale): Translate {
  const hindi = locale === 'hi' ? readCatalogue() : undefined;
  return (text, ...values) => {
    const words = hindi ? hindi.get(text) : text;
    if (words === undefined) throw new Error(`no translation of "${text}"`);
    return words.replaceAll(/\{(\d)\}/gu, (_, at: string) => String(values[Number(at)]));
  };
}
