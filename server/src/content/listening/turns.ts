import type { ReadingLanguage } from '@unsaid/contract';
import type { Language } from '../../kernel/language.ts';
import { minuteMs } from '../../platform/clock.ts';
import { shuffle } from '../../platform/shuffle.ts';

/**
 * Whose turn it is to be offered to a listener, in the memory of one process. Nothing here knows who asks: if the turns
 * of the asker's own vents moved in another way, turns that do not move would tell whose vents they are
 * (listening.proof.test.ts). No input but the languages chooses what moves, so nobody can starve a vent.
 */
export interface Turns {
  has(ventId: bigint): boolean;
  /** `isUnseen`: created since this process last read the list, so nobody was offered it here. */
  add(vent: NewWaiting, now: number, isUnseen: boolean): void;
  /** Keeps the turn, unless the number of answers changed: then it is the vent's turn now. */
  setAnswers(ventId: bigint, answers: Answers, now: number): void;
  addAnswer(ventId: bigint, now: number): void;
  remove(ventId: bigint): void;
  ventIds(): bigint[];
  /** Those without an answer. */
  unheard(): readonly NewWaiting[];
  /** Candidates by queue, in random order. The turns of the first `count` of both move, whoever asks. */
  draw(asked: Draw): Record<Answers, bigint[]>;
}

/** How many others answered. From two on a vent does not wait. */
export type Answers = 0 | 1;

export interface NewWaiting {
  readonly ventId: bigint;
  readonly answers: Answers;
  readonly createdAt: number;
  /** Null on vents of earlier releases. Those and `other` are offered to everybody. */
  readonly language: Language | null;
}

interface Waiting extends Omit<NewWaiting, 'answers'> {
  answers: Answers;
  turnAt: number;
  draws: number;
}

export interface Draw {
  readonly reads: readonly ReadingLanguage[];
  readonly count: number;
  readonly now: number;
}

/** From one draw of a vent to its next turn: 4 minutes, then half as much more each time. */
const stepMinutes = 4;
const growth = 1.5;
const maxStepMinutes = 240;
/** A draw is random among so many of the earliest turns, or as many as came within the last minutes. */
const leastPool = 8;
const mostPool = 200;
const poolMs = 10 * minuteMs;
/** Candidates beyond `count`, in place of those that are not for this listener. */
const spares = 7;

export function createTurns(random: () => number, pool: number = leastPool): Turns {
  const known = new Map<bigint, Waiting>();
  /** Each sorted by turn. */
  const queues: Record<Answers, Waiting[]> = { 0: [], 1: [] };
  /** When the newest vents were created. */
  let arrivals: number[] = [];

  function insert(vent: Waiting): void {
    const queue = queues[vent.answers];
    let [from, to] = [0, queue.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((queue[middle] as Waiting).turnAt <= vent.turnAt) from = middle + 1;
      else to = middle;
    }
    queue.splice(from, 0, vent);
  }

  function takeOut(vent: Waiting): void {
    const queue = queues[vent.answers];
    queue.splice(queue.indexOf(vent), 1);
  }

  function move(vent: Waiting, now: number): void {
    takeOut(vent);
    const minutes = Math.min(maxStepMinutes, stepMinutes * growth ** vent.draws);
    vent.turnAt = Math.max(vent.turnAt, now) + minutes * minuteMs * (0.75 + random() / 2);
    vent.draws += 1;
    insert(vent);
  }

  function drawFrom(queue: readonly Waiting[], { reads, count, now }: Draw): bigint[] {
    const size = Math.min(mostPool, Math.max(pool, arrivals.length));
    const earliest: Waiting[] = [];
    for (const vent of queue) {
      if (earliest.length === size) break;
      if (isReadable(vent.language, reads)) earliest.push(vent);
    }
    const drawn = shuffle(earliest, random).slice(0, count + spares);
    for (const vent of drawn.slice(0, count)) move(vent, now);
    return drawn.map(({ ventId }) => ventId);
  }

  function setAnswers(ventId: bigint, answers: Answers, now: number): void {
    const vent = known.get(ventId);
    if (!vent || vent.answers === answers) return;
    takeOut(vent);
    vent.answers = answers;
    vent.turnAt = now;
    insert(vent);
  }

  function remove(ventId: bigint): void {
    const vent = known.get(ventId);
    if (!vent) return;
    takeOut(vent);
    known.delete(ventId);
  }

  return {
    has: (ventId) => known.has(ventId),

    add(vent, now, isUnseen) {
      const age = Math.max(0, now - vent.createdAt);
      const waiting = { ...vent, ...(isUnseen ? { turnAt: vent.createdAt, draws: 0 } : guessTurn(age, now)) };
      known.set(vent.ventId, waiting);
      insert(waiting);
      if (age < poolMs) arrivals.push(vent.createdAt);
    },

    setAnswers,

    addAnswer(ventId, now) {
      if (known.get(ventId)?.answers === 0) setAnswers(ventId, 1, now);
      else remove(ventId);
    },

    remove,

    ventIds: () => [...known.keys()],

    unheard: () => queues[0],

    draw(asked) {
      arrivals = arrivals.filter((at) => asked.now - at < poolMs);
      return { 0: drawFrom(queues[0], asked), 1: drawFrom(queues[1], asked) };
    },
  };

  /** After a restart: about the turn that a vent of this age would have. */
  function guessTurn(ageMs: number, now: number): Pick<Waiting, 'turnAt' | 'draws'> {
    const minutes = ageMs / minuteMs;
    return {
      turnAt: now + random() * Math.min(maxStepMinutes, minutes / 3) * minuteMs,
      draws: Math.round(Math.log(Math.max(1, minutes / 12)) / Math.log(growth)),
    };
  }
}

export const isReadable = (language: Language | null, reads: readonly ReadingLanguage[]) =>
  language === null || language === 'other' || reads.includes(language);
