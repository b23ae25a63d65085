import { crisisWeights } from './crisis-weights.ts';
import type { Sentence } from './fold.ts';
import { createScorer, toParts } from './word-model.ts';

/**
 * What a text is about, as the word model sees it: distress of one's own, a wish to die, a plan; worry about somebody
 * else; abuse, and of a child. The highest score over its parts counts, so that a long text does not hide its worst one.
 */
export interface Scores {
  readonly distress: number;
  readonly wish: number;
  readonly plan: number;
  readonly others: number;
  readonly abuse: number;
  readonly child: number;
}

/** In the order of the weights. */
const scoreNames: readonly (keyof Scores)[] = ['distress', 'wish', 'plan', 'others', 'abuse', 'child'];

export const highest = (parts: readonly (readonly number[])[]): Scores =>
  Object.fromEntries(
    scoreNames.map((name, at) => [name, Math.max(-Infinity, ...parts.map((part) => part[at] as number))]),
  ) as Record<keyof Scores, number>;

let scorer: ReturnType<typeof createScorer> | undefined;

export function readScores(sentences: readonly Sentence[]): Scores {
  // Unpacked at the first scan: most visits never need it.
  scorer ??= createScorer(crisisWeights);
  return highest(toParts(sentences).map(scorer));
}
