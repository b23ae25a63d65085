import type { Base, ContentBase } from '../../kernel/base.ts';
import { dayMs, minuteMs } from '../../platform/clock.ts';
import { createLocalCache, type LocalCache } from '../../platform/local-cache.ts';
import { whomToTell, type Listener } from './telling.ts';
import { createTurns, type Answers, type Draw } from './turns.ts';
import * as queries from './waiting.queries.ts';

/** The vents that wait for an answer, and whose turn it is. No call takes the person who asks. */
export interface WaitingList {
  draw(asked: Omit<Draw, 'now'>): Promise<Record<Answers, bigint[]>>;
  /** Those of the listening connections of this process that are told now. Asked again and again while there are any. */
  whomToTell<L extends Listener>(listeners: readonly L[]): Promise<L[]>;
  /** A comment of another person was committed. Other processes see it with the next list. */
  addAnswer(ventId: bigint): void;
  /** Those that were hidden, deleted or closed since the list was read. */
  remove(ventIds: readonly bigint[]): void;
}

interface WaitingListDeps extends Pick<ContentBase, 'db' | 'clock' | 'random'> {
  readonly cache: LocalCache<true>;
}

const listMs = 5000;
/** Older vents are not offered. */
export const waitingDays = 7;
/** The newest. Beyond them a vent waits without being offered. */
const listed: Record<Answers, number> = { 0: 5000, 1: 500 };

/** Read again by whoever asks after five seconds: it costs by time, not by reader. */
export const createWaitingCache = (base: Base) =>
  createLocalCache<true>(base, { name: 'waiting', ttlMs: listMs });

export function createWaitingList({ db, clock, random, cache }: WaitingListDeps): WaitingList {
  const turns = createTurns(random);
  /** After a start no vent counts as new: another process, or this one before, may have offered it. */
  let readAt = Infinity;
  /** Up to when it was asked whom to tell. */
  let toldUntil = -Infinity;

  async function readList(): Promise<true> {
    const now = clock.now();
    const waiting = await queries.listWaiting(db, new Date(now - waitingDays * dayMs), listed);
    const answersOf = new Map(waiting.map(({ ventId, answers }) => [ventId, answers]));
    const isNew = (ventId: bigint) => !turns.has(ventId);
    const found = await queries.findWaiting(db, [...answersOf.keys()].filter(isNew));
    for (const ventId of turns.ventIds()) if (!answersOf.has(ventId)) turns.remove(ventId);
    for (const [ventId, answers] of answersOf) turns.setAnswers(ventId, answers, now);
    for (const vent of found.toSorted((a, b) => (a.ventId < b.ventId ? -1 : 1))) {
      const answers = answersOf.get(vent.ventId);
      if (answers === undefined || turns.has(vent.ventId)) continue;
      // The minute of creation begins before the vent is there.
      turns.add({ ...vent, answers }, now, vent.createdAt >= readAt - minuteMs);
    }
    readAt = now;
    return true;
  }

  const list = () => cache.getOrLoad('list', readList);

  return {
    async draw(asked) {
      await list();
      return turns.draw({ ...asked, now: clock.now() });
    },
    async whomToTell(listeners) {
      await list();
      const now = clock.now();
      // After a time without listeners: what was due then is not made up for.
      const since = Math.max(toldUntil, now - minuteMs);
      toldUntil = now;
      return whomToTell({ unheard: turns.unheard(), listeners, since, now, random });
    },
    addAnswer: (ventId) => turns.addAnswer(ventId, clock.now()),
    remove: (ventIds) => ventIds.forEach(turns.remove),
  };
}
