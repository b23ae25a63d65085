/**
 * The words of dates, as Intl has them: format.test.ts compares them, so that a new release of its data is noticed. The
 * first Intl formatter of a page costs a tenth of a second on a cheap phone, and the first screen needs nothing else of it.
 */
export interface DateWords {
  readonly today: string;
  readonly yesterday: string;
  readonly minutesAgo: (count: number) => string;
  readonly hoursAgo: (count: number) => string;
  readonly daysAgo: (count: number) => string;
  /** Where Intl does not have them. */
  readonly units?: Readonly<Record<'second' | 'minute' | 'hour', string>>;
  /** From January on. */
  readonly months: readonly string[];
  readonly monthNames: readonly string[];
  /** The day, and the time of 0:00 to 23:59 on a clock of twelve hours: "6:35". */
  readonly full: (day: string, time: string, hour: number) => string;
  /** "this morning", "tonight". */
  readonly thisPart: Readonly<Record<PartOfDay, string>>;
  /** Of the day before. */
  readonly lastPart: Readonly<Record<PartOfDay, string>>;
  /** Of an earlier day: "12 Nov 2026, at night". */
  readonly dayAndPart: (day: string, part: PartOfDay) => string;
  /** Before the last of so many. */
  readonly and: (count: number) => string;
}

export type PartOfDay = 'morning' | 'afternoon' | 'evening' | 'night';

/** A night ends at four. */
export const nightEndsAt = 4;

export function partOfDay(hour: number): PartOfDay {
  if (hour < nightEndsAt || hour >= 20) return 'night';
  if (hour < 12) return 'morning';
  return hour < 16 ? 'afternoon' : 'evening';
}

/** Hinglish has them too. */
export const englishMonths: Pick<DateWords, 'months' | 'monthNames'> = {
  months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'],
  monthNames: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
};

const english: DateWords = {
  today: 'today',
  yesterday: 'yesterday',
  minutesAgo: (count) => `${count} min ago`,
  hoursAgo: (count) => `${count} hr ago`,
  daysAgo: (count) => (count === 1 ? '1 day ago' : `${count} days ago`),
  ...englishMonths,
  full: (day, time, hour) => `${day}, ${time} ${hour < 12 ? 'am' : 'pm'}`,
  thisPart: {
    morning: 'this morning',
    afternoon: 'this afternoon',
    evening: 'this evening',
    night: 'tonight',
  },
  lastPart: {
    morning: 'yesterday morning',
    afternoon: 'yesterday afternoon',
    evening: 'yesterday evening',
    night: 'last night',
  },
  dayAndPart: (day, part) => `${day}, ${part === 'night' ? 'at night' : `in the ${part}`}`,
  and: () => ' and ',
};

/** By the locale of formats (lib/locale.ts). Those of other languages come with their catalogue. */
const known = new Map<string, DateWords>();

export const addDateWords = (locale: string, words: DateWords): void => void known.set(locale, words);

export const dateWords = (locale: string): DateWords => known.get(locale) ?? english;
