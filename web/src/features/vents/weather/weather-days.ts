import { dayMs, emotions, type Emotion } from '@unsaid/contract';

export interface WeatherDay {
  readonly day: string;
  readonly emotion: Emotion;
  readonly count: number;
}

export const weeks = 12;
export const daysShown = weeks * 7;

interface Mark {
  /** 0 is today. */
  readonly daysAgo: number;
  /** The most frequent emotion of the day. */
  readonly emotion: Emotion | null;
}

/** One mark per day of the twelve weeks, oldest first. Days are in UTC, as on the server. */
export function markDays(days: readonly WeatherDay[], now: number): Mark[] {
  const today = Math.floor(now / dayMs);
  const most = new Map<number, WeatherDay>();
  for (const one of days) {
    const daysAgo = today - Math.floor(Date.parse(`${one.day}T00:00:00Z`) / dayMs);
    if (one.count > (most.get(daysAgo)?.count ?? 0)) most.set(daysAgo, one);
  }
  return Array.from({ length: daysShown }, (_, index) => {
    const daysAgo = daysShown - 1 - index;
    return { daysAgo, emotion: most.get(daysAgo)?.emotion ?? null };
  });
}

/** Number of vents per emotion, most frequent first. */
export function countEmotions(days: readonly WeatherDay[]): (readonly [Emotion, number])[] {
  return emotions
    .map(
      (emotion) =>
        [emotion, days.reduce((sum, one) => sum + (one.emotion === emotion ? one.count : 0), 0)] as const,
    )
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a);
}
