import type { Base, ContentBase } from '../../kernel/base.ts';
import { dayMs } from '../../platform/clock.ts';
import { createLocalCache, type LocalCache } from '../../platform/local-cache.ts';
import { drawWaiting, type Answers, type Draw, type Waiting } from './draw.ts';
import * as queries from './waiting.queries.ts';

/** The vents that wait for an answer. No call takes the person who asks. */
export type WaitingList = ReturnType<typeof createWaitingList>;

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

export function createWaitingList({ db, clock, random, cache }: WaitingListDeps) {
  /** As of the last list, and what this process knows since. */
  const waiting = new Map<bigint, Waiting>();

  async function readList(): Promise<true> {
    const since = new Date(clock.now() - waitingDays * dayMs);
    const rows = await queries.listWaiting(db, since, listed);
    const answersOf = new Map(rows.map(({ ventId, answers }) => [ventId, answers]));
    const isNew = (ventId: bigint) => !waiting.has(ventId);
    const found = await queries.findWaiting(db, [...answersOf.keys()].filter(isNew));
    const known = [...waiting.values(), ...found];
    waiting.clear();
    for (const vent of known) {
      const answers = answersOf.get(vent.ventId);
      if (answers !== undefined) waiting.set(vent.ventId, { ...vent, answers });
    }
    return true;
  }

  return {
    async draw(asked: Pick<Draw, 'reads' | 'count'>): Promise<Record<Answers, bigint[]>> {
      await cache.getOrLoad('list', readList);
      return drawWaiting(waiting.values(), { ...asked, now: clock.now(), random });
    },
    /** A comment of another person was committed. Other processes see it with the next list. */
    addAnswer(ventId: bigint): void {
      const vent = waiting.get(ventId);
      if (vent?.answers === 0) waiting.set(ventId, { ...vent, answers: 1 });
      else waiting.delete(ventId);
    },
    /** Those that were hidden, deleted or closed since the list was read. */
    remove: (ventIds: readonly bigint[]) => ventIds.forEach((ventId) => waiting.delete(ventId)),
  };
}
