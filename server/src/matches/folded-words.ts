import { foldHashtag } from '@unsaid/contract';

/** Words are few where people are many, and folding one costs more than looking it up. */
const mostKept = 20_000;
const kept = new Map<string, string>();

export function foldWord(word: string): string {
  let folded = kept.get(word);
  if (folded === undefined) {
    folded = foldHashtag(word);
    // People could make up words without end.
    if (kept.size >= mostKept) kept.clear();
    kept.set(word, folded);
  }
  return folded;
}
