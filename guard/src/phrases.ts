import { foldWord, work } from './fold.ts';

/**
 * Finds phrases in a sentence. A phrase is a line of slots:
 *
 *   want|wish    one of these words        to?    may be left out
 *   @relation    one of a named list       ~3     up to three words of any kind
 *   kar+         a Hindi verb, inflected   ^ $        start and end of the sentence
 *
 * All alternatives advance together, as bits of one number, so that a phrase costs at most a constant per word,
 * whatever the text is.
 */

interface Slot {
  /** Null: any words, as many as `gap`. */
  readonly words: ReadonlySet<string> | null;
  readonly gap: number;
  readonly isOptional: boolean;
}

interface Phrase<Meaning> {
  readonly meaning: Meaning;
  readonly slots: readonly Slot[];
  readonly isAtStart: boolean;
  /** The sentence, as counted by `find`, that has a word of this phrase's rarest slot. Others cannot match. */
  candidateIn: number;
}

export interface Match<Meaning> {
  readonly meaning: Meaning;
  /** First word, and the word after the last. */
  readonly start: number;
  readonly end: number;
}

export interface Lexicon<Meaning> {
  find(words: readonly string[]): Match<Meaning>[];
}

const inflections =
  ',na,ne,ni,ta,ti,te,u,unga,enge,egi,ega,e,o,kar,ke,i,a,ata,ana,ane,ani,au,aunga,aya,ayi,aye'.split(',');

/** A match is at most this many words long: one bit for each. */
const longest = 30;

/** The lists stand in many phrases, and folding a word takes many steps. */
const folds = new Map<string, string>();

function foldOnce(word: string): string {
  const known = folds.get(word) ?? foldWord(word);
  folds.set(word, known);
  return known;
}

function readSlot(part: string, lists: Readonly<Record<string, string>>): Slot {
  if (part.startsWith('~')) return { words: null, gap: Number(part.slice(1)), isOptional: false };
  const isOptional = part.endsWith('?');
  const words = new Set<string>();
  const add = (alternatives: string): void => {
    for (const word of alternatives.split('|')) {
      if (word.startsWith('@')) add(lists[word.slice(1)] as string);
      else if (word.endsWith('+'))
        for (const ending of inflections) words.add(foldOnce(word.slice(0, -1) + ending));
      else words.add(/^[#$]/u.test(word) ? word : foldOnce(word));
    }
  };
  add(isOptional ? part.slice(0, -1) : part);
  return { words, gap: 0, isOptional };
}

/** The ends of the phrase from this word on, as bits: bit n is set where n words match. */
function endsOf(slots: readonly Slot[], words: readonly string[], start: number): number {
  const left = Math.min(longest, words.length - start);
  const within = 2 ** (left + 1) - 1;
  let ends = 1;
  for (const { words: wanted, gap, isOptional } of slots) {
    let next = isOptional || wanted === null ? ends : 0;
    work.steps += 1;
    if (wanted === null) for (let step = 0; step < gap; step += 1) next |= next << 1;
    else {
      for (let rest = ends; rest !== 0; rest &= rest - 1) {
        work.steps += 1;
        const at = 31 - Math.clz32(rest & -rest);
        // The end of the sentence is not a word: nothing is consumed.
        if (start + at === words.length && wanted.has('$')) next |= 1 << at;
        if (at < left && wanted.has(words[start + at] as string)) next |= 2 << at;
      }
    }
    ends = next & within;
    if (ends === 0) return 0;
  }
  return ends;
}

function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** Each group of lines gives its phrases one meaning. A phrase does not begin with a gap. */
export function createLexicon<Meaning>(
  groups: readonly (readonly [Meaning, string])[],
  lists: Readonly<Record<string, string>>,
): Lexicon<Meaning> {
  const phrases = groups.flatMap(([meaning, lines]) =>
    lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): Phrase<Meaning> => {
        const parts = line.trim().split(' ');
        const isAtStart = parts[0] === '^';
        const slots = (isAtStart ? parts.slice(1) : parts).map((part) => readSlot(part, lists));
        return { meaning, slots, isAtStart, candidateIn: 0 };
      }),
  );
  const byFirstWord = new Map<string, Phrase<Meaning>[]>();
  const byRareWord = new Map<string, Phrase<Meaning>[]>();
  const uses = new Map<string, number>();
  for (const { slots } of phrases)
    for (const { words } of slots) for (const word of words ?? []) uses.set(word, (uses.get(word) ?? 0) + 1);
  const commonness = ({ words, isOptional }: Slot) => {
    if (words === null || isOptional || words.has('$')) return Infinity;
    return [...words].reduce((sum, word) => sum + (uses.get(word) ?? 0), 0);
  };
  for (const phrase of phrases) {
    for (const { words, isOptional } of phrase.slots) {
      for (const word of words ?? []) addTo(byFirstWord, word, phrase);
      if (!isOptional) break;
    }
    const common = phrase.slots.map(commonness);
    const rarest = phrase.slots[common.indexOf(Math.min(...common))] as Slot;
    for (const word of rarest.words ?? []) addTo(byRareWord, word, phrase);
  }
  let sentences = 0;

  return {
    find(words) {
      sentences += 1;
      for (const word of words) {
        const rare = byRareWord.get(word) ?? [];
        work.steps += 1 + rare.length;
        for (const phrase of rare) phrase.candidateIn = sentences;
      }
      const matches: Match<Meaning>[] = [];
      for (const [start, word] of words.entries()) {
        const begun = byFirstWord.get(word) ?? [];
        work.steps += begun.length;
        for (const { meaning, slots, isAtStart, candidateIn } of begun) {
          if (candidateIn !== sentences || (isAtStart && start > 0)) continue;
          const ends = endsOf(slots, words, start);
          if (ends !== 0) matches.push({ meaning, start, end: start + 31 - Math.clz32(ends) });
        }
      }
      return matches;
    },
  };
}
