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
  /** For each score, what is added to it, in steps. */
  readonly starts: readonly number[];
}

/** Digits of a weight: the one in the middle is zero. */
export const weightDigits = '0123456789ABCDE';
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

/** What a sum of this many weights is divided by. */
export const lengthOf = (count: number): number => Math.sqrt(Math.max(12, count));

/** Gives the scores of one part. */
export function createScorer({
  hashes,
  weights,
  starts,
}: PackedModel): (part: ReadonlySet<number>) => number[] {
  const zero = (weightDigits.length - 1) / 2;
  const places = new Map(unpackHashes(hashes).map((hash, at) => [hash, at]));
  const rows = weights.map((steps) => Int8Array.from(steps, (step) => weightDigits.indexOf(step) - zero));
  return (part) => {
    const sums = starts.map(() => 0);
    for (const hash of part) {
      work.steps += 1;
      const place = places.get(hash);
      if (place === undefined) continue;
      for (let at = 0; at < rows.length; at += 1)
        sums[at] = (sums[at] as number) + (rows[at]?.[place] as number);
    }
    // A few words count nearly as much as many; one or two say little.
    const length = lengthOf(part.size);
    return sums.map((sum, at) => sum / length + (starts[at] as number));
  };
}
