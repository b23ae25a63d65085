import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';

/** Dates are written as they are read in India: 12 Nov 2026. */
const dateLocale = () => (i18n.locale === 'en' ? 'en-IN' : i18n.locale);

/** "42 seconds", "3 minutes": rounded up, because trying too early helps nobody. */
export function formatWait(seconds: number, locale = i18n.locale): string {
  const [value, unit]: [number, string] =
    seconds < 100
      ? [Math.max(1, Math.ceil(seconds)), 'second']
      : seconds < 100 * 60
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3600), 'hour'];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

const dayMs = 24 * 60 * 60 * 1000;

/** A calendar day (`2026-11-15`) in words: "today", "yesterday", "12 Nov 2026". */
export function formatDay(day: string, now = new Date(), locale = dateLocale()): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return day;
  // The server counts days in UTC; so does this, or a day would be off by one at night.
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const daysAgo = Math.round((today - at) / dayMs);
  if (daysAgo === 0 || daysAgo === 1) {
    return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-daysAgo, 'day');
  }
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(at);
}

const minuteMs = 60_000;

/** "just now", "5 min ago", "2 days ago", and from a week on the date. */
export function formatAgo(iso: string, now: number, locale = dateLocale()): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const minutes = Math.floor((now - at) / minuteMs);
  if (minutes < 1) return t`just now`;
  const relative = new Intl.RelativeTimeFormat(locale, { style: 'short' });
  if (minutes < 60) return relative.format(-minutes, 'minute');
  if (minutes < 24 * 60) return relative.format(-Math.floor(minutes / 60), 'hour');
  if (minutes < 7 * 24 * 60) return relative.format(-Math.floor(minutes / (24 * 60)), 'day');
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(at);
}

/** The date in full, in the reader's own time: "12 Nov 2026, 5:35 pm". */
export function formatFull(iso: string, locale = dateLocale()): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** "7", "1.2K": short enough for a button. */
export function formatCount(count: number, locale = i18n.locale): string {
  return new Intl.NumberFormat(locale, { notation: 'compact' }).format(count);
}

export function countryName(country: string, locale = i18n.locale): string {
  return new Intl.DisplayNames([locale], { type: 'region', fallback: 'code' }).of(country) ?? country;
}
