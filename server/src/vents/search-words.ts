import { cleanLine } from '@unsaid/contract';

/** What unaccent would turn into a quote or a backslash: done here, before quoting, so that it cannot break out. */
const becomesQuote = /[\u02B9\u02BB-\u02BD\u02C8\u2018\u2019\u201B\u2032\uFF07]/gu;
const becomesBackslash = /[\u2216\uFE68\uFF3C]/gu;

/**
 * The words a person typed, each as a tsquery of word beginnings; none when there is no word in it. A `#tag`
 * looks at hashtags alone. Quoting keeps every sign that means something to the parser from meaning it.
 * Case and accents are left to the database's own folding, the same as in the index.
 */
export function toSearchWords(typed: string): string[] {
  return cleanLine(typed)
    .split(' ')
    .map((word) => {
      const isTag = /^#+/u.test(word);
      const bare = word
        .replace(/^#+/u, '')
        .replaceAll('\u0149', "'n")
        .replace(becomesQuote, "'")
        .replace(becomesBackslash, '\\');
      if (!/[\p{L}\p{N}]/u.test(bare)) return null;
      return `'${bare.replace(/['\\]/gu, '$&$&')}':*${isTag ? 'A' : ''}`;
    })
    .filter((word) => word !== null);
}

/** A tsquery that asks for all of them. */
export const allOf = (words: readonly string[]): string => words.join(' & ');
