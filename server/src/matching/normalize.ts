import { foldHashtag } from '@unsaid/contract';

/** Memo size. Distinct words are few compared with people, and a lookup is cheaper than normalizing again. */
const maxEntries = 20_000;
const memo = new Map<string, string>();

/** The form in which words of two profiles are compared: `foldHashtag`, memoized. */
export function normalizeWord(word: string): string {
  let normalized = memo.get(word);
  if (normalized === undefined) {
    normalized = foldHashtag(word);
    // Bounds the memory: people can invent any number of words.
    if (memo.size >= maxEntries) memo.clear();
    memo.set(word, normalized);
  }
  return normalized;
}
