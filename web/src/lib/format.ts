import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { dayMs } from '@unsaid/contract';
import { dateWords, nightEndsAt, partOfDay } from './date-words.ts';

/** Locale for dates, numbers and lists (`formatLocales`), unless a caller passes another. */
const currentLocale = () => i18n.locales ?? i18n.locale;

const formatters = new Map<string, unknown>();

/** Cache of Intl formatters. On a slow phone, creating one takes longer than using it a hundred times. */
function getFormatter<F>(
  Format: new (locale: string | string[], options: never) => F,
  locale: string | string[],
  options: object,
): F {
  const key = JSON.stringify([Format.name, locale, options]);
  const format = (formatters.get(key) as F | undefined) ?? new Format(locale, options as never);
  formatters.set(key, format);
  return format;
}

const isHindi = (locale: string | string[]) => String(locale).startsWith('hi');
const wordsIn = (locale: string | string[]) => dateWords(String(locale));

/** "42 seconds", "3 minutes". Rounded up: an early retry would fail again. */
export function formatWait(seconds: number, locale = currentLocale()): string {
  const [value, unit]: [number, 'second' | 'minute' | 'hour'] =
    seconds < 100
      ? [Math.max(1, Math.ceil(seconds)), 'second']
      : seconds < 100 * 60
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3600), 'hour'];
  const { units } = wordsIn(locale);
  if (units) return `${value} ${units[unit]}`;
  return getFormatter(Intl.NumberFormat, locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** A calendar day (`2026-11-15`) in words: "today", "yesterday", "12 Nov 2026". */
export function formatDay(day: string, now = new Date(), locale = currentLocale()): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return day;
  // In UTC, as the server counts days. Local time would be off by one at night.
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const daysAgo = Math.round((today - at) / dayMs);
  if (daysAgo === 0) return wordsIn(locale).today;
  return daysAgo === 1 ? wordsIn(locale).yesterday : formatDate(day, locale);
}

/** A calendar day always as a date: "12 Nov 2026". */
export function formatDate(day: string, locale = currentLocale()): string {
  const at = new Date(`${day}T00:00:00Z`);
  return `${at.getUTCDate()} ${wordsIn(locale).months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** "November" for 10. */
export const monthName = (month: number, locale = currentLocale()) => wordsIn(locale).monthNames[month] ?? '';

const indiaOffsetMs = 5.5 * 60 * 60 * 1000;

/** The calendar day in India (`2026-11-15`) of a timestamp, in any time zone of the browser. */
export function dayInIndia(at: number): string {
  return new Date(at + indiaOffsetMs).toISOString().slice(0, 10);
}

/** A calendar day in India, capitalised to stand alone: "Today", "Yesterday", "12 Nov 2026". */
export function formatDayInIndia(day: string, today: string, locale = currentLocale()): string {
  const text = formatDay(day, new Date(`${today}T00:00:00Z`), locale);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The day of a moment in the reader's time zone: "12 Nov 2026". */
const localDay = (at: Date, locale: string | string[]) =>
  `${at.getDate()} ${wordsIn(locale).months[at.getMonth()]} ${at.getFullYear()}`;

const minuteMs = 60_000;

/** "just now", "5 min ago", "2 days ago". A date after one week. */
export function formatAgo(iso: string, now: number, locale = currentLocale()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const minutes = Math.floor((now - at.getTime()) / minuteMs);
  const words = wordsIn(locale);
  if (minutes < 1) return t`just now`;
  if (minutes < 60) return words.minutesAgo(minutes);
  if (minutes < 24 * 60) return words.hoursAgo(Math.floor(minutes / 60));
  if (minutes < 7 * 24 * 60) return words.daysAgo(Math.floor(minutes / (24 * 60)));
  return localDay(at, locale);
}

/** "3 hours ago": in whole words, within a sentence. */
export function formatAgoInWords(iso: string, now: number, locale = currentLocale()): string {
  const minutes = Math.floor((now - Date.parse(iso)) / minuteMs);
  if (wordsIn(locale).units || !(minutes >= 1 && minutes < 7 * 24 * 60)) return formatAgo(iso, now, locale);
  const relative = getFormatter(Intl.RelativeTimeFormat, locale, { style: 'long' });
  if (minutes < 60) return relative.format(-minutes, 'minute');
  if (minutes < 24 * 60) return relative.format(-Math.floor(minutes / 60), 'hour');
  return relative.format(-Math.floor(minutes / (24 * 60)), 'day');
}

/** Full date and time in the reader's time zone: "12 Nov 2026, 5:35 pm". */
export function formatFull(iso: string, locale = currentLocale()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const hour = at.getHours();
  const time = `${hour % 12 || 12}:${String(at.getMinutes()).padStart(2, '0')}`;
  return wordsIn(locale).full(localDay(at, locale), time, hour);
}

/** The day and the part of it in the reader's time zone, for what somebody else wrote: "12 Nov 2026, at night". */
export function formatPart(iso: string, locale = currentLocale()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return wordsIn(locale).dayAndPart(localDay(at, locale), partOfDay(at.getHours()));
}

/** The same in words: "tonight", "yesterday evening". The hours after midnight belong to the night before them. */
export function formatPartAgo(iso: string, now: number, locale = currentLocale()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const dayNumber = (time: Date) => {
    const day = time.getDate() - Number(time.getHours() < nightEndsAt);
    return Date.UTC(time.getFullYear(), time.getMonth(), day) / dayMs;
  };
  const daysAgo = dayNumber(new Date(now)) - dayNumber(at);
  const part = partOfDay(at.getHours());
  if (daysAgo <= 0) return wordsIn(locale).thisPart[part];
  return daysAgo === 1 ? wordsIn(locale).lastPart[part] : formatPart(iso, locale);
}

/** "7", "1.2K": compact, to fit a button. In Hindi "1,234" is shorter than "1.2 हज़ार". */
export function formatCount(count: number, locale = currentLocale()): string {
  // The same without a formatter, whose first costs a tenth of a second on a cheap phone.
  if (count < 1000) return String(count);
  return getFormatter(Intl.NumberFormat, locale, {
    notation: isHindi(locale) && count < 100_000 ? 'standard' : 'compact',
  }).format(count);
}

/** A fixed number of decimals: "0.87". */
export function formatDecimals(value: number, decimals: number, locale = currentLocale()): string {
  // The same without a formatter, as the matches need it.
  if (value >= 0 && value <= 1) return value.toFixed(decimals);
  return getFormatter(Intl.NumberFormat, locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);
}

/** "2 hearts and 1 hug". As units, without "and": "5 sad, 3 happy". */
export function formatList(
  parts: readonly string[],
  type: 'conjunction' | 'unit' = 'conjunction',
  locale = currentLocale(),
): string {
  // The same without a formatter, in the languages that we have.
  if (parts.length < 2 || type === 'unit') return parts.join(', ');
  const and = wordsIn(locale).and(parts.length);
  return parts.slice(0, -1).join(', ') + and + parts.at(-1);
}

/** Collator for names in the current language. */
export function nameOrder(locale = currentLocale()): Intl.Collator {
  return new Intl.Collator(locale);
}

export function countryName(country: string, locale = currentLocale()): string {
  return getFormatter(Intl.DisplayNames, locale, { type: 'region', fallback: 'code' }).of(country) ?? country;
}
