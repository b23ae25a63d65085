/** What a catalogue must not say: see docs/translating.md, whose table of terms is read here. */

export interface Entry {
  readonly source: string;
  readonly text: string;
}

/** Catalogues have one line for each part of an entry. */
export function readCatalogue(po: string): Entry[] {
  return po
    .split('\n\n')
    .map((block) => ({
      source: JSON.parse(/^msgid (".*")$/mu.exec(block)?.[1] ?? '""') as string,
      text: JSON.parse(/^msgstr (".*")$/mu.exec(block)?.[1] ?? '""') as string,
    }))
    .filter(({ source }) => source !== '');
}

/** Catalogues that stay in English in a language; their pages say so. */
export const staysEnglish: Readonly<Record<string, readonly string[]>> = { 'hi-Latn': ['legal.po'] };

/** Abbreviations that are the same in every script. */
const sameInAll = new Set(['OTP']);

const scripts: Readonly<Record<string, RegExp>> = { hi: /\p{Script=Devanagari}/u };

/** Texts without a translation: empty, without a letter of the script, or the English sentence again. */
export function isMissing(locale: string, { source, text }: Entry): boolean {
  const hasWords = /\p{L}/u.test(source.replaceAll(/\{[^}]*\}/gu, ''));
  if (!hasWords) return false;
  if (text === '') return true;
  const script = scripts[locale];
  // A number needs no letters.
  if (script) return /\p{L}/u.test(text) && !script.test(text) && !sameInAll.has(text);
  return text === source && source.split(' ').length > 3;
}

export interface Term {
  /** What is said: a phrase of it may hold a word that is ruled out alone. */
  readonly said: readonly string[];
  readonly never: readonly string[];
}

const phrasesOf = (cell = '') =>
  cell
    .replaceAll(/\([^)]*\)/gu, '')
    .split(/[,;]/u)
    .map((phrase) => phrase.trim())
    .filter(Boolean);

/** The rows of the table whose last column is headed "never". */
export function readTerms(markdown: string): Term[] {
  const rows = markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const head = rows.findIndex((cells) => cells.at(-1) === 'never');
  return head < 0
    ? []
    : rows
        .slice(head + 2)
        .map((cells) => ({ said: cells.slice(1, -1).flatMap(phrasesOf), never: phrasesOf(cells.at(-1)) }));
}

const asWord = (phrase: string) => new RegExp(`(?<![\\p{L}\\p{M}])${phrase}(?![\\p{L}\\p{M}])`, 'giu');

/** The words that the table rules out and that a text has. */
export function wrongTerms(text: string, terms: readonly Term[]): string[] {
  return terms.flatMap(({ said, never }) =>
    never.filter((word) => {
      const around = said.filter((phrase) => asWord(word).test(phrase));
      const rest = around.reduce((left, phrase) => left.replaceAll(asWord(phrase), ' '), text);
      return asWord(word).test(rest);
    }),
  );
}

/** "आप … सकते हैं", "मैं … रहा हूँ": shows a gender. Not "आप तक", nor "लोग आपको … सकते हैं". */
const genders: Readonly<Record<string, readonly RegExp[]>> = {
  hi: [
    /(?<![\p{L}\p{M}])आप (?!(?:तक|पर|में|से|को|का|के|की|जैसे|दोनों)(?![\p{L}\p{M}]))[^।:;,?]*(?:सकते|सकती|चाहते|चाहती|रहे|रही|[ेो]ंगे|एँगे|ते हैं|ते हों)(?![\p{L}\p{M}])/u,
    /(?<![\p{L}\p{M}])(?:रहा|रही|सकता|सकती|चाहता|चाहती|गया|गई) हूँ/u,
  ],
  'hi-Latn': [
    /\baap (?!(?:tak|par|mein|se|ko|ka|ke|ki|jaise|dono)\b)[^.:;,?]*\b(?:sakte|sakti|chahte|chahti|rahe|rahi|\w+oge|\w+ogi|\w+enge|\w+te (?:hain|hon?))\b/iu,
    /\b(?:raha|rahi|sakta|sakti|chahta|chahti|gaya|gayi) (?:hoon|hun|hu)\b/iu,
  ],
};

export function problemsOf(locale: string, entry: Entry, terms: readonly Term[]): string[] {
  if (isMissing(locale, entry)) return ['has no translation'];
  return [
    ...wrongTerms(entry.text, terms).map((word) => `says "${word}", which the table of terms rules out`),
    ...(genders[locale] ?? [])
      .map((pattern) => pattern.exec(entry.text)?.[0])
      .filter((seen) => seen !== undefined)
      .map((seen) => `shows a gender: "${seen}"`),
  ];
}
