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

interface Likes {
  readonly interests: readonly string[];
  readonly likes: readonly string[];
}

/** Interests and likes that both name, in the order of theirs. */
export function sharedInterests(mine: Likes, theirs: Likes): string[] {
  const spelled = new Map([...mine.interests, ...mine.likes].map((item) => [normalizeWord(item), item]));
  // Of two spellings always the same one: the choice must not reveal whose search made the pair.
  const shared = new Map(
    [...theirs.interests, ...theirs.likes].flatMap((item) => {
      const own = spelled.get(normalizeWord(item));
      return own === undefined ? [] : [[normalizeWord(item), own > item ? own : item] as const];
    }),
  );
  return [...shared.values()];
}
