import { limits, type Emotion } from '@unsaid/contract';
import type { Day } from '../platform/clock.ts';
import type { ContentDb, Databases } from '../platform/db.ts';
import type { Person } from '../platform/persons.ts';
import type { Slots } from '../slots/slots.service.ts';
import * as queries from './own-vents.queries.ts';
import type { Slice } from './vents.queries.ts';
import { ventStates } from './vents.state.ts';

/** Somebody's own vents, newest first, found by the keys of their slots (slots/slots.service.ts). */
export interface OwnVents {
  /** Before the vent with this number, or from the newest on. With all of certain words, where they are given. */
  listIds(
    person: Person,
    filter: { readonly before: number | null; readonly words: string | null },
    slice: Slice,
  ): Promise<bigint[]>;
  /** By day and emotion, from a day on, oldest first. */
  weather(person: Person, since: Day): Promise<{ day: Day; emotion: Emotion; count: number }[]>;
  /** All of them in whatever state, a batch at a time, newest first. */
  allIds(person: Person): AsyncIterable<bigint[]>;
  exported(person: Person): Promise<Awaited<ReturnType<typeof queries.listForExport>>>;
  /** The newest few that can still be given something, with what they were given, by number. */
  watched(person: Person): Promise<{ number: number; vent: queries.WatchedVent }[]>;
  countSameText(
    db: ContentDb,
    person: Person,
    beforeNumber: number,
    said: { readonly title: string; readonly body: string; readonly since: Date },
  ): Promise<number>;
}

const mostAtOnce = 1000;
/** These are looked at one by one. Words that too few of them have are asked of their index: once for all the rest. */
const firstSearched = 512;
const mostSearchedAtOnce = 16_384;
/** For who has thousands, on several connections. */
const mostSideBySide = 4;
/** Somebody who floods does it with the newest. */
const comparedForSameText = 32;

/** Half as many again as are wanted, for the gaps that deletions left. */
const withGaps = (wanted: number) => Math.ceil(wanted * 1.5);

/** Numbers downwards from the highest, in batches that grow: past whatever gaps there are in few steps. */
function* batchesBelow(
  highest: number,
  first: number,
  { growth = 2, most = mostAtOnce } = {},
): Generator<number[]> {
  let size = Math.min(first, most);
  for (let from = highest; from > 0; from -= size, size = Math.min(size * growth, most)) {
    yield Array.from({ length: Math.min(size, from) }, (_, n) => from - n);
  }
}

/** Answers in the order of the batches: the first alone, since for most people it is the only one; then several at once. */
async function* sideBySide<T>(
  batches: Iterator<number[]>,
  ask: (numbers: readonly number[]) => Promise<T>,
): AsyncGenerator<T> {
  for (let width = 1; ; width = Math.min(width * 2, mostSideBySide)) {
    const asked: Promise<T>[] = [];
    for (let next = batches.next(); !next.done; next = batches.next()) {
      asked.push(ask(next.value));
      if (asked.length === width) break;
    }
    if (asked.length === 0) return;
    yield* await Promise.all(asked);
  }
}

export function createOwnVents({ db, slots }: { db: Databases; slots: Slots }): OwnVents {
  const last = (person: Person) => slots.last(db.content, person, 'vent');
  const keysOf = (person: Person, numbers: readonly number[]) =>
    Buffer.concat(person.slotKeys('vent', numbers));

  return {
    async listIds(person, { before, words }, { limit, offset }) {
      const enough = offset + limit;
      const highest = before === null ? await last(person) : before - 1;
      const ids: bigint[] = [];
      const batches =
        words === null
          ? batchesBelow(highest, withGaps(enough))
          : batchesBelow(highest, firstSearched, { growth: 32, most: mostSearchedAtOnce });
      for (const numbers of batches) {
        const keys = keysOf(person, numbers);
        ids.push(
          ...(words === null
            ? await queries.listIds(db.content, keys, queries.ownStates)
            : await queries.searchIds(numbers.length > firstSearched ? db.search : db.content, keys, words)),
        );
        if (ids.length >= enough) break;
      }
      return ids.slice(offset, enough);
    },

    async weather(person, since) {
      const days: { day: Day; emotion: Emotion; count: number }[] = [];
      const batches = sideBySide(batchesBelow(await last(person), 128), (numbers) =>
        queries.listWeather(db.content, keysOf(person, numbers)),
      );
      for await (const batch of batches) {
        days.push(...batch.filter(({ day }) => day >= since));
        if ((batch[0]?.day ?? since) < since) break;
      }
      return sumByDay(days);
    },

    async *allIds(person) {
      for (const numbers of batchesBelow(await last(person), mostAtOnce))
        yield await queries.listIds(db.content, keysOf(person, numbers), ventStates);
    },

    async exported(person) {
      const vents: Awaited<ReturnType<typeof queries.listForExport>> = [];
      const batches = sideBySide(batchesBelow(await last(person), mostAtOnce), (numbers) =>
        queries.listForExport(db.content, keysOf(person, numbers)),
      );
      for await (const batch of batches) vents.push(...batch);
      return vents;
    },

    async watched(person) {
      const found: { number: number; vent: queries.WatchedVent }[] = [];
      for (const numbers of batchesBelow(await last(person), withGaps(limits.ventsWatched))) {
        for (const vent of await queries.listTotals(db.content, keysOf(person, numbers)))
          found.push({ number: numbers[vent.position] as number, vent });
        if (found.length >= limits.ventsWatched) break;
      }
      return found.slice(0, limits.ventsWatched);
    },

    countSameText(on, person, beforeNumber, said) {
      const numbers = Array.from({ length: comparedForSameText }, (_, n) => beforeNumber - 1 - n);
      const keys = person.slotKeys(
        'vent',
        numbers.filter((number) => number > 0),
      );
      return queries.countSameText(on, keys, said);
    },
  };
}

/** Batches meet within a day. */
function sumByDay(days: readonly { day: Day; emotion: Emotion; count: number }[]) {
  const sums = new Map<string, { day: Day; emotion: Emotion; count: number }>();
  for (const { day, emotion, count } of days) {
    const key = `${day} ${emotion}`;
    sums.set(key, { day, emotion, count: (sums.get(key)?.count ?? 0) + count });
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
