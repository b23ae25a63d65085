import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';

/** `en-IN`, `hi-IN`: the one place that says how dates, numbers and lists are written now. */
const here = () => i18n.locales ?? i18n.locale;

const made = new Map<string, unknown>();

/** Each is made once: on a cheap phone making one takes longer than a hundred uses of it. */
function kept<F>(
  Format: new (locale: string | string[], options: never) => F,
  locale: string | string[],
  options: object,
): F {
  const key = JSON.stringify([Format.name, locale, options]);
  const format = (made.get(key) as F | undefined) ?? new Format(locale, options as never);
  made.set(key, format);
  return format;
}

// Hindi's words are short as they are, and its abbreviations ("मि॰", "नव॰") are read nowhere.
const isHindi = (locale: string | string[]) => String(locale).startsWith('hi');
const dayStyle = (locale: string | string[]) => (isHindi(locale) ? 'long' : 'medium');
/** "शाम 6:35 बजे", where the short style would say "6:35 pm बजे". */
const hindiFull: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  dayPeriod: 'long',
};

/** "42 seconds", "3 minutes": rounded up, because trying too early helps nobody. */
export function formatWait(seconds: number, locale = here()): string {
  const [value, unit]: [number, string] =
    seconds < 100
      ? [Math.max(1, Math.ceil(seconds)), 'second']
      : seconds < 100 * 60
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3600), 'hour'];
  return kept(Intl.NumberFormat, locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

const dayMs = 24 * 60 * 60 * 1000;

/** A calendar day (`2026-11-15`) in words: "today", "yesterday", "12 Nov 2026". */
export function formatDay(day: string, now = new Date(), locale = here()): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return day;
  // The server counts days in UTC; so does this, or a day would be off by one at night.
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const daysAgo = Math.round((today - at) / dayMs);
  if (daysAgo === 0 || daysAgo === 1) {
    return kept(Intl.RelativeTimeFormat, locale, { numeric: 'auto' }).format(-daysAgo, 'day');
  }
  return formatDate(day, locale);
}

/** The same as a date whatever day it is: "12 Nov 2026". */
export function formatDate(day: string, locale = here()): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  return kept(Intl.DateTimeFormat, locale, { dateStyle: dayStyle(locale), timeZone: 'UTC' }).format(at);
}

const indiaOffsetMs = 5.5 * 60 * 60 * 1000;

/** The date in India at a moment (`2026-11-15`), whatever the browser's time zone. */
export function dayInIndia(at: number): string {
  return new Date(at + indiaOffsetMs).toISOString().slice(0, 10);
}

/** A calendar day in India on its own, not within a sentence: "Today", "Yesterday", "12 Nov 2026". */
export function formatDayInIndia(day: string, today: string, locale = here()): string {
  const text = formatDay(day, new Date(`${today}T00:00:00Z`), locale);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const minuteMs = 60_000;

/** "just now", "5 min ago", "2 days ago", and from a week on the date. */
export function formatAgo(
  iso: string,
  now: number,
  locale = here(),
  style: 'short' | 'long' = isHindi(locale) ? 'long' : 'short',
): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const minutes = Math.floor((now - at) / minuteMs);
  if (minutes < 1) return t`just now`;
  const relative = kept(Intl.RelativeTimeFormat, locale, { style });
  if (minutes < 60) return relative.format(-minutes, 'minute');
  if (minutes < 24 * 60) return relative.format(-Math.floor(minutes / 60), 'hour');
  if (minutes < 7 * 24 * 60) return relative.format(-Math.floor(minutes / (24 * 60)), 'day');
  return kept(Intl.DateTimeFormat, locale, { dateStyle: dayStyle(locale) }).format(at);
}

/** The date in full, in the reader's own time: "12 Nov 2026, 5:35 pm". */
export function formatFull(iso: string, locale = here()): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  if (isHindi(locale)) return kept(Intl.DateTimeFormat, locale, hindiFull).format(at);
  return kept(Intl.DateTimeFormat, locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** "7", "1.2K": short enough for a button. In Hindi "1,234" is shorter than "1.2 हज़ार". */
export function formatCount(count: number, locale = here()): string {
  return kept(Intl.NumberFormat, locale, {
    notation: isHindi(locale) && count < 100_000 ? 'standard' : 'compact',
  }).format(count);
}

/** "0.87": always so many decimals. */
export function formatDecimals(value: number, decimals: number, locale = here()): string {
  return kept(Intl.NumberFormat, locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);
}

/** "2 hearts and 1 hug"; as units, without the "and": "5 sad, 3 happy". */
export function formatList(
  parts: readonly string[],
  type: 'conjunction' | 'unit' = 'conjunction',
  locale = here(),
): string {
  return kept(Intl.ListFormat, locale, { type, style: type === 'unit' ? 'short' : 'long' }).format(parts);
}

/** Puts names in the order of the alphabet they are written in. */
export function nameOrder(locale = here()): Intl.Collator {
  return new Intl.Collator(locale);
}

export function countryName(country: string, locale = here()): string {
  return kept(Intl.DisplayNames, locale, { type: 'region', fallback: 'code' }).of(country) ?? country;
}
