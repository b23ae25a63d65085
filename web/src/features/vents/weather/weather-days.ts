import { dayMs, emotions, type Emotion } from '@unsaid/contract';

export interface WeatherDay {
  readonly day: string;
  readonly emotion: Emotion;
  readonly count: number;
}

/** A person's first weeks: two in one row. Later twelve, a week in each column. */
export interface WeatherSpan {
  readonly weeks: 2 | 12;
  readonly days: number;
  readonly rows: number;
}

const first: WeatherSpan = { weeks: 2, days: 14, rows: 1 };
const full: WeatherSpan = { weeks: 12, days: 84, rows: 7 };

interface Mark {
  /** 0 is today. */
  readonly daysAgo: number;
  /** The most frequent emotion of the day. */
  readonly emotion: Emotion | null;
}

/** Days are in UTC, as on the server. */
const daysAgoOf = ({ day }: WeatherDay, now: number) =>
  Math.floor(now / dayMs) - Math.floor(Date.parse(`${day}T00:00:00Z`) / dayMs);

/** Few days in a grid of twelve weeks would look empty. */
export function spanOf(days: readonly WeatherDay[], now: number): WeatherSpan {
  return days.every((one) => daysAgoOf(one, now) < first.days) ? first : full;
}

/** One mark per day of the span, oldest first. */
export function markDays(days: readonly WeatherDay[], span: WeatherSpan, now: number): Mark[] {
  const most = new Map<number, WeatherDay>();
  for (const one of days) {
    const daysAgo = daysAgoOf(one, now);
    if (one.count > (most.get(daysAgo)?.count ?? 0)) most.set(daysAgo, one);
  }
  return Array.from({ length: span.days }, (_, index) => {
    const daysAgo = span.days - 1 - index;
    return { daysAgo, emotion: most.get(daysAgo)?.emotion ?? null };
  });
}

const isLight = (emotion: Emotion) => emotion === 'Happy' || emotion === 'Neutral';
/** Fewer vents say nothing about a month. */
const enough = 3;
const muchLighter = 0.15;

/** The newest month (0 to 11), if clearly fewer of its vents were heavy than before. That one was heavier is not said. */
export function lighterMonth(days: readonly WeatherDay[]): number | undefined {
  const newest = days
    .map(({ day }) => day.slice(0, 7))
    .toSorted()
    .at(-1);
  const share = (some: readonly WeatherDay[]) => {
    const count = (of: readonly WeatherDay[]) => of.reduce((sum, one) => sum + one.count, 0);
    return count(some) < enough
      ? undefined
      : count(some.filter(({ emotion }) => isLight(emotion))) / count(some);
  };
  const now = share(days.filter(({ day }) => day.startsWith(newest ?? '')));
  const before = share(days.filter(({ day }) => !day.startsWith(newest ?? '')));
  if (newest === undefined || now === undefined || before === undefined) return undefined;
  return now - before >= muchLighter ? Number(newest.slice(5)) - 1 : undefined;
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
