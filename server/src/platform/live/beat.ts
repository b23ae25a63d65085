import { randomInt } from 'node:crypto';

/**
 * The beat of the live connections. Each member has a phase of its own, drawn when it joins, and is due once in every
 * period, whatever has happened since. What is to be sent is prepared a second ahead, so that the moment of sending does
 * not depend on how long a statement takes.
 */
export interface Beat<M> {
  /** From now on due once a period, at a random phase. */
  add(member: M): void;
  remove(member: M): void;
  /** Does what has become due until `now`. */
  advance(now: number): void;
}

interface BeatOptions<M> {
  readonly periodMs: number;
  readonly now: number;
  /** All members that are due within a second, so that they share one statement; one to two seconds before. */
  prepare(members: readonly M[]): void;
  send(member: M, now: number): void;
  /** A whole number from 0 up to, not including, `count`. */
  readonly draw?: (count: number) => number;
}

/** Members of one step are sent to in one turn of the event loop. */
const stepMs = 100;
const preparedSteps = 10;

export function createBeat<M>({
  periodMs,
  now: start,
  prepare,
  send,
  draw = randomInt,
}: BeatOptions<M>): Beat<M> {
  const stepCount = Math.max(1, Math.round(periodMs / stepMs));
  const wheel = Array.from({ length: stepCount }, () => new Set<M>());
  const slots = new Map<M, Set<M>>();
  const at = (step: number) => wheel[step % stepCount] as Set<M>;
  let step = 0;

  function prepareFrom(first: number): void {
    const due: M[] = [];
    // A period shorter than a second prepares each member once.
    for (let n = first; n < first + Math.min(preparedSteps, stepCount); n += 1) due.push(...at(n));
    if (due.length > 0) prepare(due);
  }

  return {
    add(member) {
      const slot = at(draw(stepCount));
      slot.add(member);
      slots.set(member, slot);
    },
    remove(member) {
      slots.get(member)?.delete(member);
      slots.delete(member);
    },
    advance(now) {
      const target = Math.floor((now - start) / stepMs);
      // After a pause of the process, one tick for each member, not one for each that was missed.
      step = Math.max(step, target - stepCount);
      while (step < target) {
        step += 1;
        // A copy: sending may end a connection.
        for (const member of [...at(step)]) send(member, now);
        if (step % preparedSteps === 0) prepareFrom(step + preparedSteps);
      }
    },
  };
}
