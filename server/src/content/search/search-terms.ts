import { cleanLine, fold, limits } from '@unsaid/contract';
import { soundOf } from './sound.ts';

/**
 * Characters that `unaccent` turns into a quote or a backslash. They are replaced before quoting: the database folds
 * after it, and a quote made there would break out of the quoted term.
 */
const becomesQuote = /[\u02B9\u02BB-\u02BD\u02C8\u2018\u2019\u201B\u2032\uFF07]/gu;
const becomesBackslash = /[\u2216\uFE68\uFF3C]/gu;

/** One typed word. A vent matches by its words or by their sound. */
export interface SearchTerm {
  /** For `to_tsquery`, after folding. */
  readonly words: string;
  /** A tsquery of sound lexemes. Null where the word is found by its spelling alone. */
  readonly sounds: string | null;
}

const word = /[\p{L}\p{M}\p{N}]+/gu;

/** The beginning with so many words: what has no spaces can have many, such as a-b-c. */
function cutToWords(text: string, most: number): { readonly cut: string; readonly count: number } {
  const all = [...text.matchAll(word)];
  const last = all[most - 1];
  const isWhole = all.length <= most;
  return {
    cut: isWhole || !last ? text : text.slice(0, last.index + last[0].length),
    count: Math.min(all.length, most),
  };
}

/**
 * Parses typed text, one prefix query a word, for at most eight different words. Empty when it holds no word. A `#tag` matches hashtags only. Each word is
 * quoted, so that no character is read as a tsquery operator. Case and accents are folded by the database, with the
 * function that built the index.
 */
export function parseSearchTerms(typed: string): SearchTerm[] {
  let left: number = limits.searchWords;
  const known = new Set<string>();
  return cleanLine(typed)
    .split(' ')
    .map((typedWord) => {
      const isTag = /^#+/u.test(typedWord);
      const whole = typedWord
        .replace(/^#+/u, '')
        .replaceAll('\u0149', "'n")
        .replace(becomesQuote, "'")
        .replace(becomesBackslash, '\\');
      if (!/[\p{L}\p{N}]/u.test(whole) || left === 0) return null;
      const { cut: bare, count } = cutToWords(whole, left);
      const key = `${isTag ? '#' : ''}${fold(bare)}`;
      if (known.has(key)) return null;
      known.add(key);
      left -= count;
      return {
        words: `'${bare.replace(/['\\]/gu, '$&$&')}':*${isTag ? 'A' : ''}`,
        sounds: soundQuery(bare.replace(joiners, ''), isTag),
      };
    })
    .filter((term) => term !== null);
}

/*
 * Sound lexemes begin with a sign that no word has. `~nind;` is the sound of a Latin word and `~nind;d` that of a
 * Devanagari word, so that one prefix query finds both. `~नींद` is the common spelling of a Devanagari word.
 */

/** Characters inside of words that nobody sees. */
const joiners = /[\u200C\u200D]/gu;

/** Below that many letters, half of the language begins so. */
const shortestSoundPrefix = 4;

function soundQuery(word: string, isTag: boolean): string | null {
  const sound = soundOf(word);
  if (!sound) return null;
  const { keys, spelling } = sound;
  const queries = keys.map((key) => {
    // Devanagari words that merely sound alike are other words: काम is not कम.
    if (spelling !== null) return `'~${key};'${isTag ? ':A' : ''}`;
    // Further letters may follow, and an a between consonants has no letter in a key.
    const prefix = key.replace(/a$/u, '');
    return `'~${prefix.length >= shortestSoundPrefix ? prefix : `${key};`}':*${isTag ? 'A' : ''}`;
  });
  if (spelling !== null) queries.push(`'~${spelling}'${isTag ? ':A' : ''}`);
  return queries.join(' | ');
}

/** The sound lexemes of a vent, as a tsvector. Those of hashtags have the weight A, like their words. */
export function soundsOfVent({
  title,
  body,
  hashtags,
}: {
  readonly title: string;
  readonly body: string;
  readonly hashtags: readonly string[];
}): string {
  const lexemes = new Map<string, string>();
  const add = (text: string, position: string) => {
    for (const word of new Set(text.replace(joiners, '').match(/[\p{L}\p{M}]+/gu))) {
      const sound = soundOf(word);
      if (!sound) continue;
      const { keys, spelling } = sound;
      for (const key of keys) lexemes.set(spelling === null ? `~${key};` : `~${key};d`, position);
      if (spelling !== null) lexemes.set(`~${spelling}`, position);
    }
  };
  // With a position: lexemes without one match every weight.
  add(title, ':1');
  add(body, ':1');
  for (const hashtag of hashtags) add(hashtag, ':1A');
  return [...lexemes].map(([lexeme, position]) => `'${lexeme}'${position}`).join(' ');
}
