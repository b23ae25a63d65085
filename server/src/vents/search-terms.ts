import { cleanLine } from '@unsaid/contract';

/**
 * Characters that `unaccent` turns into a quote or a backslash. They are replaced before quoting: the database folds
 * after it, and a quote made there would break out of the quoted term.
 */
const becomesQuote = /[\u02B9\u02BB-\u02BD\u02C8\u2018\u2019\u201B\u2032\uFF07]/gu;
const becomesBackslash = /[\u2216\uFE68\uFF3C]/gu;

/**
 * Parses typed text into tsqueries, one prefix query a word. Empty when it holds no word. A `#tag` matches hashtags
 * only. Each word is quoted, so that no character is read as a tsquery operator. Case and accents are folded by the
 * database, with the function that built the index.
 */
export function parseSearchTerms(typed: string): string[] {
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
    .filter((term) => term !== null);
}

/** One tsquery that matches where all terms match. */
export const andQuery = (terms: readonly string[]): string => terms.join(' & ');
