import { work, type Sentence } from './fold.ts';

/**
 * A linear model over folded words and pairs of neighbours: each has a weight, and the weights of a text's words are
 * added up. A word is stored as a hash of 17 bits, not as letters, which takes a third of the bytes. Pure and linear.
 */

export interface PackedModel {
  /** Sorted hashes, each as its distance from the one before: digits of five bits, the lowest first. */
  readonly hashes: string;
  /** For each score, one digit per hash: its weight in steps. */
  readonly weights: readonly string[];
  /** For each score, where the sum begins, in steps. */
  readonly starts: readonly number[];
}

/** Digits of a weight: the one in the middle is zero. */
export const weightDigits = '0123456789A';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
const hashRange = 2 ** 17;
/** Words that are judged together: about two sentences. In a longer text the rest must not outweigh a few words. */
const partLength = 30;

/** FNV-1a, mixed once more. */
function hashOf(text: string): number {
  work.steps += text.length;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) & (hashRange - 1);
}

/** The hashes of words and pairs, for each part of the text: whole sentences where they are short enough. */
export function toParts(sentences: readonly Sentence[]): ReadonlySet<number>[] {
  const parts: Set<number>[] = [];
  let length = Infinity;
  for (const { words } of sentences) {
    if (length + words.length > partLength) length = Infinity;
    let before: string | undefined;
    for (const word of words) {
      if (word === '') continue;
      if (length >= partLength) {
        parts.push(new Set());
        length = 0;
      }
      length += 1;
      const part = parts.at(-1) as Set<number>;
      part.add(hashOf(word));
      if (before !== undefined) part.add(hashOf(`${before} ${word}`));
      before = word;
    }
  }
  return parts;
}

export function packHashes(sorted: readonly number[]): string {
  let packed = '';
  let last = 0;
  for (const hash of sorted) {
    let distance = hash - last;
    last = hash;
    for (; distance > 31; distance >>>= 5) packed += digits[32 + (distance & 31)];
    packed += digits[distance];
  }
  return packed;
}

function unpackHashes(packed: string): number[] {
  const hashes: number[] = [];
  let hash = 0;
  let shift = 0;
  for (const char of packed) {
    const digit = digits.indexOf(char);
    hash += (digit & 31) << shift;
    shift += 5;
    if (digit > 31) continue;
    hashes.push(hash);
    shift = 0;
  }
  return hashes;
}

/** Gives the scores of one part. */
export function createScorer({
  hashes,
  weights,
  starts,
}: PackedModel): (part: ReadonlySet<number>) => number[] {
  const zero = (weightDigits.length - 1) / 2;
  const known = new Map(
    unpackHashes(hashes).map((hash, at) => [
      hash,
      weights.map((steps) => weightDigits.indexOf(steps[at] as string) - zero),
    ]),
  );
  return (part) => {
    const scores = [...starts];
    for (const hash of part) {
      work.steps += 1;
      for (const [at, steps] of known.get(hash)?.entries() ?? []) scores[at] = (scores[at] as number) + steps;
    }
    return scores;
  };
}
