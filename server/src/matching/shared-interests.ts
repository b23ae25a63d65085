import { normalizeWord } from './normalize.ts';

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
