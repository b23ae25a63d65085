import type { ReadingLanguage } from '@unsaid/contract';
import { minuteMs } from '../../platform/clock.ts';
import { shuffle } from '../../platform/shuffle.ts';
import { isReadable, type NewWaiting } from './turns.ts';

/** A live connection that wants to be told when somebody waits. It does not say whose it is: an author may be told, too. */
export interface Listener {
  readonly reads: readonly ReadingLanguage[];
  /** When it was told last; -Infinity if never. */
  readonly toldAt: number;
}

/** After so many minutes without an answer, so many connections of a process are told. */
const steps = [
  { minutes: 2, count: 3 },
  { minutes: 8, count: 3 },
  { minutes: 20, count: 4 },
  { minutes: 60, count: 6 },
  { minutes: 180, count: 8 },
  { minutes: 480, count: 10 },
] as const;
const restMs = 30 * minuteMs;

interface Telling<L extends Listener> {
  /** Those without an answer. */
  readonly unheard: readonly Pick<NewWaiting, 'createdAt' | 'language'>[];
  readonly listeners: readonly L[];
  /** Steps reached up to here were told before. */
  readonly since: number;
  readonly now: number;
  readonly random: () => number;
}

/** Whom to tell of the vents that reached a step since then: listeners at random, each at most once in half an hour. */
export function whomToTell<L extends Listener>({ unheard, listeners, since, now, random }: Telling<L>): L[] {
  const rested = new Set(listeners.filter(({ toldAt }) => now - toldAt >= restMs));
  const told: L[] = [];
  for (const { createdAt, language } of unheard) {
    const reached = steps.findLast(({ minutes }) => createdAt + minutes * minuteMs <= now);
    if (!reached || createdAt + reached.minutes * minuteMs <= since) continue;
    const fitting = [...rested].filter(({ reads }) => isReadable(language, reads));
    for (const one of shuffle(fitting, random).slice(0, reached.count)) {
      told.push(one);
      rested.delete(one);
    }
  }
  return told;
}
