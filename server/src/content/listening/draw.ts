import type { ReadingLanguage } from '@unsaid/contract';
import type { Language } from '@unsaid/guard/language';
import { minuteMs } from '../../platform/clock.ts';

/** How many others answered. From two on a vent does not wait. */
export type Answers = 0 | 1;

export interface Waiting {
  readonly ventId: bigint;
  readonly answers: Answers;
  readonly createdAt: number;
  /** Null on vents of earlier releases. Those and `other` are offered to everybody. */
  readonly language: Language | null;
}

export interface Draw {
  readonly reads: readonly ReadingLanguage[];
  readonly count: number;
  readonly now: number;
  readonly random: () => number;
}

/** A newer vent is likelier: an answer soon is worth most. At this age it is half as likely as a new one. */
const halvedAfterMinutes = 5;
/** The share of draws in which all are as likely, so that no vent is left behind. */
const evenShare = 0.25;
/** Candidates beyond `count`, in place of those that are not for this listener. */
const spares = 7;

/**
 * Draws vents to offer, by their number of answers, the first ones first. It knows neither who asks nor what was drawn
 * before. Why: if what is drawn left the asker's own vents out, or moved them in another way, what is offered next would
 * tell whose vents they are. Whatever a caller sends, no vent of the same age and language is likelier: nobody can starve
 * one.
 */
export function drawWaiting(
  waiting: Iterable<Waiting>,
  { reads, count, now, random }: Draw,
): Record<Answers, bigint[]> {
  const isEven = random() < evenShare;
  const weightOf = ({ createdAt }: Waiting) =>
    isEven ? 1 : 1 / (Math.max(0, now - createdAt) / minuteMs + halvedAfterMinutes);
  const readable = [...waiting].filter(({ language }) => isReadable(language, reads));
  const drawOf = (queue: Answers) => {
    const vents = readable.filter(({ answers }) => answers === queue);
    return drawWeighted(vents, weightOf, count + spares, random).map(({ ventId }) => ventId);
  };
  return { 0: drawOf(0), 1: drawOf(1) };
}

const isReadable = (language: Language | null, reads: readonly ReadingLanguage[]) =>
  language === null || language === 'other' || reads.includes(language);

/** Without repetition, each time by the weights of those that are left. */
function drawWeighted<T>(
  items: readonly T[],
  weightOf: (item: T) => number,
  size: number,
  random: () => number,
) {
  const weights = items.map(weightOf);
  let sum = weights.reduce((all, one) => all + one, 0);
  const drawn: T[] = [];
  while (drawn.length < Math.min(size, items.length)) {
    let left = random() * sum;
    let next = 0;
    // If rounding leaves a little over, the last of them.
    for (let n = 0; n < weights.length && left >= 0; n += 1) {
      const weight = weights[n] as number;
      if (weight === 0) continue;
      left -= weight;
      next = n;
    }
    drawn.push(items[next] as T);
    sum -= weights[next] as number;
    weights[next] = 0;
  }
  return drawn;
}
