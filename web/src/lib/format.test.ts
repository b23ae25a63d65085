import { expect, test } from 'vitest';
import {
  dayInIndia,
  formatAgo,
  formatAgoInWords,
  formatCount,
  formatDay,
  formatDecimals,
  formatDayInIndia,
  formatFull,
  formatList,
  formatPart,
  formatPartAgo,
  formatWait,
  countryName,
} from './format.ts';
import { dates as hindiDates } from '../locales/hi/language.ts';
import { dates as hinglishDates } from '../locales/hi-Latn/language.ts';
import { addDateWords } from './date-words.ts';
import { formatLocales } from './locale.ts';

addDateWords(formatLocales.hi, hindiDates);
addDateWords(formatLocales['hi-Latn'], hinglishDates);

test('a wait is rounded up, in the largest useful unit', () => {
  expect(formatWait(1)).toBe('1 second');
  expect(formatWait(61)).toBe('61 seconds');
  expect(formatWait(121)).toBe('3 minutes');
  expect(formatWait(7201)).toBe('3 hours');
});

test('a day is today, yesterday or a date', () => {
  const now = new Date('2026-11-15T01:00:00Z');
  expect(formatDay('2026-11-15', now)).toBe('today');
  expect(formatDay('2026-11-14', now)).toBe('yesterday');
  expect(formatDay('2026-11-01', now)).toBe('1 Nov 2026');
});

test('a day changes at midnight in India, in any time zone', () => {
  expect(dayInIndia(Date.parse('2026-11-14T18:29:59Z'))).toBe('2026-11-14');
  expect(dayInIndia(Date.parse('2026-11-14T18:30:00Z'))).toBe('2026-11-15');
  expect(dayInIndia(Date.parse('2026-11-15T00:00:00+05:30'))).toBe('2026-11-15');
  const { hi } = formatLocales;
  expect(formatDayInIndia('2026-11-15', '2026-11-15')).toBe('Today');
  expect(formatDayInIndia('2026-11-14', '2026-11-15')).toBe('Yesterday');
  expect(formatDayInIndia('2026-11-13', '2026-11-15')).toBe('13 Nov 2026');
  expect(formatDayInIndia('2026-11-15', '2026-11-15', hi)).toBe('आज');
  expect(formatDayInIndia('2026-11-14', '2026-11-15', hi)).toBe('कल');
  expect(formatDayInIndia('2026-11-13', '2026-11-15', hi)).toBe('13 नवंबर 2026');
});

test('relative time gets coarser with age', () => {
  const now = Date.parse('2026-11-15T12:00:30Z');
  expect(formatAgo('2026-11-15T12:00:00Z', now)).toBe('just now');
  // A slow client clock must not produce a time in the future.
  expect(formatAgo('2026-11-15T12:03:00Z', now)).toBe('just now');
  expect(formatAgo('2026-11-15T11:55:00Z', now)).toBe('5 min ago');
  expect(formatAgo('2026-11-15T09:00:00Z', now)).toBe('3 hr ago');
  expect(formatAgoInWords('2026-11-15T09:00:00Z', now)).toBe('3 hours ago');
  expect(formatAgo('2026-11-13T09:00:00Z', now)).toBe('2 days ago');
  expect(formatAgo('2026-11-01T09:00:00Z', now)).toBe('1 Nov 2026');
});

test('a date has the day before the month, as in India', () => {
  expect(formatFull('2026-11-01T09:00:00Z')).toMatch(/^1 Nov 2026, /u);
});

test('the words of dates and small numbers are those of Intl', () => {
  // Intl has no Hinglish.
  for (const locale of [formatLocales.en, formatLocales.hi]) {
    const isHindi = locale.startsWith('hi');
    const ago = new Intl.RelativeTimeFormat(locale, { style: isHindi ? 'long' : 'short' });
    const now = Date.parse('2026-11-15T12:00:30Z');
    const past = (minutes: number) => formatAgo(new Date(now - minutes * 60_000).toISOString(), now, locale);
    for (let n = 1; n < 60; n += 1) expect(past(n)).toBe(ago.format(-n, 'minute'));
    for (let n = 1; n < 24; n += 1) expect(past(n * 60 + 59)).toBe(ago.format(-n, 'hour'));
    for (let n = 1; n < 7; n += 1) expect(past(n * 24 * 60)).toBe(ago.format(-n, 'day'));

    const near = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
    expect(formatDay('2026-11-15', new Date(now), locale)).toBe(near.format(-0, 'day'));
    expect(formatDay('2026-11-14', new Date(now), locale)).toBe(near.format(-1, 'day'));
    const date = new Intl.DateTimeFormat(locale, { dateStyle: isHindi ? 'long' : 'medium' });
    const full = new Intl.DateTimeFormat(
      locale,
      isHindi
        ? // "शाम 6:35 बजे". The short style would give "6:35 pm बजे".
          {
            day: 'numeric',
            month: 'long',
            year: 'numeric',
            hour: 'numeric',
            minute: '2-digit',
            dayPeriod: 'long',
          }
        : { dateStyle: 'medium', timeStyle: 'short' },
    );
    // Every day of a leap year, and with it every month, hour and minute.
    for (let n = 0; n < 366; n += 1) {
      const at = new Date(2024, 0, 1 + n, n % 24, (n * 7) % 60);
      expect(formatAgo(at.toISOString(), now, locale)).toBe(date.format(at));
      expect(formatFull(at.toISOString(), locale)).toBe(full.format(at));
    }

    const score = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    for (let n = 0; n <= 20; n += 1) expect(formatDecimals(n / 20, 2, locale)).toBe(score.format(n / 20));
    const list = new Intl.ListFormat(locale, { type: 'conjunction' });
    const units = new Intl.ListFormat(locale, { type: 'unit', style: 'short' });
    for (const parts of [[], ['5 sad'], ['2 hearts', '1 hug'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']]) {
      expect(formatList(parts, 'conjunction', locale)).toBe(list.format(parts));
      expect(formatList(parts, 'unit', locale)).toBe(units.format(parts));
    }

    const count = new Intl.NumberFormat(locale, { notation: isHindi ? 'standard' : 'compact' });
    for (let n = 0; n < 1100; n += 1) expect(formatCount(n, locale)).toBe(count.format(n));
  }
});

test('of what others wrote, the hours after midnight belong to the night before', () => {
  const iso = (day: number, hour: number) => new Date(2026, 10, day, hour, 30).toISOString();
  const ago = (at: string, day: number, hour: number, locale?: string) =>
    formatPartAgo(at, Date.parse(iso(day, hour)), locale);
  expect(ago(iso(15, 21), 16, 1)).toBe('tonight');
  expect(ago(iso(16, 1), 16, 2)).toBe('tonight');
  expect(ago(iso(16, 1), 16, 9)).toBe('last night');
  expect(ago(iso(15, 21), 16, 9)).toBe('last night');
  expect(ago(iso(15, 13), 15, 22)).toBe('this afternoon');
  expect(ago(iso(14, 18), 16, 1)).toBe('yesterday evening');
  expect(ago(iso(14, 1), 16, 9)).toBe('14 Nov 2026, at night');
  expect(ago(iso(15, 21), 16, 9, formatLocales.hi)).toBe('कल रात');
  expect(formatPart(iso(14, 9), formatLocales.hi)).toBe('14 नवंबर 2026, सुबह');
});

test('Hindi uses full words and Latin digits', () => {
  const { hi } = formatLocales;
  const now = Date.parse('2026-11-15T12:00:30Z');
  expect(formatAgo('2026-11-15T11:55:00Z', now, hi)).toBe('5 मिनट पहले');
  expect(formatAgo('2026-11-15T09:00:00Z', now, hi)).toBe('3 घंटे पहले');
  expect(formatDay('2026-11-14', new Date(now), hi)).toBe('कल');
  expect(formatWait(42, hi)).toBe('42 सेकंड');
  expect(formatFull('2026-11-15T13:05:00Z', hi)).toMatch(/^15 नवंबर 2026 को \p{L}+.* \d?\d:05 बजे$/u);
  expect(formatFull('2026-11-15T13:05:00Z', hi)).not.toMatch(/[ap]m/iu);
  expect(formatDay('2026-11-01', new Date(now), hi)).toBe('1 नवंबर 2026');
  expect(formatCount(1234, hi)).toBe('1,234');
  expect(formatCount(123_456, hi)).toMatch(/^1\.2\sलाख$/u);
  expect(formatList(['2 दिल', '1 झप्पी'], 'conjunction', hi)).toBe('2 दिल और 1 झप्पी');
  expect(formatList(['5 उदासी', '3 खुशी'], 'unit', hi)).toBe('5 उदासी, 3 खुशी');
  expect(countryName('IN', hi)).toBe('भारत');
});

test('Hinglish has Latin letters, its own words and the numbers of India', () => {
  const hinglish = formatLocales['hi-Latn'];
  const now = Date.parse('2026-11-15T12:00:30Z');
  expect(formatAgo('2026-11-15T11:55:00Z', now, hinglish)).toBe('5 min pehle');
  expect(formatAgoInWords('2026-11-15T09:00:00Z', now, hinglish)).toBe('3 ghante pehle');
  expect(formatDay('2026-11-14', new Date(now), hinglish)).toBe('kal');
  expect(formatDay('2026-11-09', new Date(now), hinglish)).toBe('9 Nov 2026');
  expect(formatDayInIndia('2026-11-15', '2026-11-15', hinglish)).toBe('Aaj');
  expect(formatWait(42, hinglish)).toBe('42 second');
  expect(formatWait(2 * 3600, hinglish)).toBe('2 ghante');
  expect(formatFull(new Date(2026, 10, 15, 18, 35).toISOString(), hinglish)).toBe(
    '15 Nov 2026 ko shaam 6:35 baje',
  );
  expect(formatPart(new Date(2026, 10, 14, 9).toISOString(), hinglish)).toBe('14 Nov 2026, subah');
  expect(formatCount(123_456, hinglish)).toBe('1.2L');
  expect(formatDecimals(123_456, 0, hinglish)).toBe('1,23,456');
  expect(formatList(['2 dil', '1 jhappi', '3 comment'], 'conjunction', hinglish)).toBe(
    '2 dil, 1 jhappi aur 3 comment',
  );
  expect(countryName('IN', hinglish)).toBe('India');
});

test('numbers are grouped as in India, in English too', () => {
  expect(formatCount(123_456)).toBe('1.2L');
  expect(formatList(['2 hearts', '1 hug', '3 comments'])).toBe('2 hearts, 1 hug and 3 comments');
  expect(formatList(['5 sad', '3 happy'], 'unit')).toBe('5 sad, 3 happy');
});
