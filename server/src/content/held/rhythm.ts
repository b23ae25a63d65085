import { sql } from 'kysely';
import type { ContentBase } from '../../kernel/base.ts';
import { dayMs, hourMs, minuteMs } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';

/**
 * When a held vent goes out: at the later of a random time and a random place among the vents to come. Whoever knows when
 * its author wrote it guesses among that many (docs/adr/0013-held-vents.md).
 */

/** Vents expected in each hour of a UTC day. Real ones are not counted: who posts many would hurry those of others. */
export type Rhythm = readonly number[];

const minutes = { least: 5, most: 60 };
const mostPlaces = 40;
export const longestMs = 48 * hourMs;

/** Calls `visit` with each hour, or part of one, and the vents expected in it, until it says that it is done. */
function walkHours(
  rhythm: Rhythm,
  from: number,
  ms: number,
  visit: (at: number, lasts: number, expected: number) => boolean,
): void {
  for (let at = from; at < from + ms;) {
    const lasts = Math.min(from + ms, (Math.floor(at / hourMs) + 1) * hourMs) - at;
    const perHour = rhythm[Math.floor((at % dayMs) / hourMs)] ?? 0;
    if (visit(at, lasts, (perHour * lasts) / hourMs)) return;
    at += lasts;
  }
}

function expectedWithin(rhythm: Rhythm, from: number, ms: number): number {
  let sum = 0;
  walkHours(rhythm, from, ms, (_, __, expected) => ((sum += expected), false));
  return sum;
}

/** Until so many vents are expected to have come, or the longest. */
function waitForPlace(rhythm: Rhythm, from: number, place: number, longest: number): number {
  let [left, wait] = [place, longest];
  walkHours(rhythm, from, longest, (at, lasts, expected) => {
    if (expected > 0 && expected >= left) {
      wait = at + (lasts * left) / expected - from;
      return true;
    }
    left -= expected;
    return false;
  });
  return wait;
}

/** Where fewer vents are expected in the longest time: never its end, which many would share, so that it was a clock. */
const placesFrom = (rhythm: Rhythm, now: number, longest: number) =>
  Math.min(mostPlaces, expectedWithin(rhythm, now, longest));

/** Over whole minutes: its second is any of the sixty, whatever the second of now. */
export const drawShortWaitMs = (random: () => number): number =>
  Math.floor((minutes.least + random() * (minutes.most - minutes.least)) * minuteMs);

/** `longest` is another one in `npm run bench:partner` alone. */
export function drawWaitMs(
  rhythm: Rhythm,
  now: number,
  random: () => number,
  longest: number = longestMs,
): number {
  const atLeast = drawShortWaitMs(random);
  const place = random() * placesFrom(rhythm, now, longest);
  // No vent is expected: there is nothing to hide among.
  return place === 0 ? atLeast : Math.max(atLeast, Math.floor(waitForPlace(rhythm, now, place, longest)));
}

/** The waits that `drawWaitMs` may return: what somebody who knows the rule guesses among. */
export function waitsFrom(rhythm: Rhythm, now: number, longest: number = longestMs) {
  const places = placesFrom(rhythm, now, longest);
  const atEnd = places === 0 ? 0 : waitForPlace(rhythm, now, places, longest);
  return { least: minutes.least * minuteMs, most: Math.max(minutes.most * minuteMs, atEnd) };
}

/** The hours within which it usually goes out. The same for all in an hour. */
export function usuallyWithinHours(rhythm: Rhythm, now: number): 1 | 3 | 6 | 12 | 24 | 48 {
  const from = Math.floor(now / hourMs) * hourMs;
  if (expectedWithin(rhythm, from, longestMs) === 0) return 1;
  const covers = (hours: number) => expectedWithin(rhythm, from, hours * hourMs) >= mostPlaces;
  return ([1, 3, 6, 12, 24] as const).find(covers) ?? 48;
}

const weekDays = 7;

/** The average day of the week before this hour, counted once an hour. */
export function createRhythmReader({ db, clock }: Pick<ContentBase, 'db' | 'clock'>): () => Promise<Rhythm> {
  let counted: { readonly hour: number; readonly rhythm: Promise<Rhythm> } | null = null;
  return async () => {
    const hour = Math.floor(clock.now() / hourMs) * hourMs;
    if (counted?.hour !== hour) counted = { hour, rhythm: countRhythm(db, hour) };
    const mine = counted;
    try {
      return await mine.rhythm;
    } catch (error) {
      if (counted === mine) counted = null;
      throw error;
    }
  };
}

async function countRhythm(db: ContentDb, until: number): Promise<Rhythm> {
  const { rows } = await sql<{ hour: number; count: number }>`
    select extract(hour from created_at at time zone 'UTC')::integer as hour, count(*)::integer as count
    from content.vents
    where state = 'visible' and created_at >= ${new Date(until - weekDays * dayMs)} and created_at < ${new Date(until)}
    group by 1`.execute(db);
  const counts = new Map(rows.map(({ hour, count }) => [hour, count]));
  return Array.from({ length: 24 }, (_, hour) => (counts.get(hour) ?? 0) / weekDays);
}
