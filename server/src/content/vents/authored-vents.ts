import { limits, type Emotion } from '@unsaid/contract';
import { addDays, today, type Day } from '../../platform/clock.ts';
import type { Person } from '../../kernel/person-keys.ts';
import { ventPlace } from '../../kernel/speakers.ts';
import { findLastSlot, descendingBatches, maxBatch, withGaps } from '../slots/slots.ts';
import * as queries from './authored-vents.queries.ts';
import type { SearchTerm } from '../search/search-terms.ts';
import type { LimitOffset } from '../feed/feed.hot.queries.ts';
import { findSpeaker } from './vents.queries.ts';
import { statesShownToAuthor, ventStates, type VentState } from './vents.state.ts';
import type { ContentContext } from '../context.ts';

/** The vents of one person, newest first, found by the keys of their slots (slots/slots.ts). */
export interface OwnFilter {
  readonly before: number | null;
  readonly emotions: readonly Emotion[] | null;
}

export interface DayOfWeather {
  readonly day: Day;
  readonly emotion: Emotion;
  readonly count: number;
}

/** Searched by slot. Where the first batch has too few matches, one search by the word index covers the rest. */
const firstSearchBatch = 512;
const maxSearchBatch = 16_384;
/** For people with thousands of vents, on several connections. */
const maxConcurrency = 4;
/** A flood shows in the newest vents. */
const duplicateCheckSlots = 32;
const weatherDays = 84;

/** Loads batches in their order: the first alone, because for most people it is the only one, then several at once. */
async function* loadConcurrently<T>(
  batches: Iterator<number[]>,
  load: (numbers: readonly number[]) => Promise<T>,
): AsyncGenerator<T> {
  for (let concurrency = 1; ; concurrency = Math.min(concurrency * 2, maxConcurrency)) {
    const loading: Promise<T>[] = [];
    for (let next = batches.next(); !next.done; next = batches.next()) {
      loading.push(load(next.value));
      if (loading.length === concurrency) break;
    }
    if (loading.length === 0) return;
    yield* await Promise.all(loading);
  }
}

/** Loads batch after batch until there are enough for the slice. */
async function takeSlice<T>(
  batches: Iterable<number[]>,
  { limit, offset }: LimitOffset,
  load: (numbers: readonly number[]) => Promise<T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for (const numbers of batches) {
    found.push(...(await load(numbers)));
    if (found.length >= offset + limit) break;
  }
  return found.slice(offset, offset + limit);
}

const keysOf = (person: Person, numbers: readonly number[]) =>
  Buffer.concat(person.slotKeys('vent', numbers));

const highestBefore = async (ctx: ContentContext, person: Person, before: number | null) =>
  before === null ? findLastSlot(ctx, person, 'vent') : before - 1;

/** The state of a vent and its number among this person's own. Null where it has another author or does not exist. */
export async function findOwnVent(
  ctx: ContentContext,
  person: Person,
  ventId: bigint,
): Promise<{ number: number; state: VentState } | null> {
  const vent = await findSpeaker(ctx.db, ventId);
  const author = vent && { ...ventPlace(ventId), speaker: vent.speaker };
  const number = author ? ctx.speakers.numberOf(author, person.speakerId) : null;
  return vent && number !== null ? { number, state: vent.state } : null;
}

/** Before the vent with this number, or from the newest on. */
export async function listOwnIds(
  ctx: ContentContext,
  person: Person,
  { before, emotions }: OwnFilter,
  slice: LimitOffset,
): Promise<bigint[]> {
  const batches = descendingBatches(
    await highestBefore(ctx, person, before),
    withGaps(slice.offset + slice.limit),
  );
  return takeSlice(batches, slice, (numbers) =>
    queries.findIds(ctx.db, keysOf(person, numbers), statesShownToAuthor, emotions),
  );
}

/** Those among them that match all terms. */
export async function searchOwn(
  ctx: ContentContext,
  person: Person,
  { before, terms, emotions }: OwnFilter & { readonly terms: readonly SearchTerm[] },
  slice: LimitOffset,
) {
  const growing = { growth: 32, max: maxSearchBatch };
  const batches = descendingBatches(await highestBefore(ctx, person, before), firstSearchBatch, growing);
  return takeSlice(batches, slice, (numbers) =>
    queries.search(ctx.db, keysOf(person, numbers), terms, emotions),
  );
}

/** The last twelve weeks by day and emotion, oldest first. */
export async function listOwnWeather(ctx: ContentContext, person: Person): Promise<DayOfWeather[]> {
  const since = addDays(today(ctx.clock), 1 - weatherDays);
  const days: DayOfWeather[] = [];
  const batches = loadConcurrently(
    descendingBatches(await findLastSlot(ctx, person, 'vent'), 128),
    (numbers) => queries.listWeather(ctx.db, keysOf(person, numbers)),
  );
  for await (const batch of batches) {
    days.push(...batch.filter(({ day }) => day >= since));
    if ((batch[0]?.day ?? since) < since) break;
  }
  return sumByDay(days);
}

/** All vents in any state, in batches. */
export async function* listAllOwnIds(ctx: ContentContext, person: Person): AsyncIterable<bigint[]> {
  for (const numbers of descendingBatches(await findLastSlot(ctx, person, 'vent'), maxBatch))
    yield await queries.findIds(ctx.db, keysOf(person, numbers), ventStates);
}

export async function listOwnForExport(ctx: ContentContext, person: Person): Promise<queries.ExportedVent[]> {
  const vents: queries.ExportedVent[] = [];
  const batches = loadConcurrently(
    descendingBatches(await findLastSlot(ctx, person, 'vent'), maxBatch),
    (numbers) => queries.listForExport(ctx.db, keysOf(person, numbers)),
  );
  for await (const batch of batches) vents.push(...batch);
  return vents;
}

/** The newest visible vents with their counters, by number. The person has written `atLeast` so many. */
export async function listWatchedVents(ctx: ContentContext, person: Person, atLeast: number) {
  const found: { number: number; vent: queries.WatchedVent }[] = [];
  for (const numbers of descendingBatches(
    await findLastSlot(ctx, person, 'vent', atLeast),
    withGaps(limits.ventsWatched),
  )) {
    for (const vent of await queries.listWatched(ctx.db, keysOf(person, numbers)))
      found.push({ number: numbers[vent.position] as number, vent });
    if (found.length >= limits.ventsWatched) break;
  }
  return found.slice(0, limits.ventsWatched);
}

/** Among the newest vents before a number. */
export function countSameText(
  ctx: ContentContext,
  person: Person,
  beforeNumber: number,
  text: { readonly title: string; readonly body: string; readonly since: Date },
) {
  const numbers = Array.from({ length: duplicateCheckSlots }, (_, n) => beforeNumber - 1 - n);
  const keys = person.slotKeys(
    'vent',
    numbers.filter((number) => number > 0),
  );
  return queries.countSameText(ctx.db, keys, text);
}

/** Two batches can share a day. */
function sumByDay(days: readonly DayOfWeather[]): DayOfWeather[] {
  const sums = new Map<string, DayOfWeather>();
  for (const { day, emotion, count } of days) {
    const key = `${day} ${emotion}`;
    sums.set(key, { day, emotion, count: (sums.get(key)?.count ?? 0) + count });
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
