import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allHelplineNumbers,
  countryByTimeZone,
  emergencyNumber,
  type Helpline,
  helplines,
  isOpenNow,
  isVerified,
  knownCountry,
  lineFor,
  type OpeningHours,
  opensAt,
  textOptionFor,
} from '../src/helplines.ts';

function makeLine(changes: Partial<Helpline> = {}): Helpline {
  return {
    id: 'in-tele-manas',
    country: 'IN',
    name: 'A line',
    kind: 'distress',
    call: [{ shown: '1-800-123', href: 'tel:1800123' }],
    text: [],
    languages: null,
    hours: null,
    cost: null,
    verifiedOn: '2026-06-01',
    ...changes,
  };
}

const days = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, step) => from + step);
const hoursIn = (zone: string, from: string, to: string, on = days(0, 6)): { hours: OpeningHours } => ({
  hours: { zone, spans: [{ days: on, from, to }] },
});
const at = (iso: string) => new Date(iso);
const indianOffice = hoursIn('Asia/Kolkata', '08:00', '22:00', days(1, 6));

describe('isOpenNow', () => {
  test('is null without hours, and true day and night', () => {
    expect(isOpenNow({ hours: null }, at('2026-11-16T03:00:00Z'))).toBeNull();
    expect(isOpenNow({ hours: 'always' }, at('2026-11-16T03:00:00Z'))).toBe(true);
  });

  test.each([
    ['Monday 07:59', '2026-11-16T02:29:59Z', false],
    ['Monday 08:00', '2026-11-16T02:30:00Z', true],
    ['Monday 21:59', '2026-11-16T16:29:59Z', true],
    ['Monday 22:00', '2026-11-16T16:30:00Z', false],
    ['Saturday 21:59', '2026-11-14T16:29:00Z', true],
    ['Sunday noon', '2026-11-15T06:30:00Z', false],
  ])('counts in the time zone of the line, not of the reader: %s in India', (_, moment, isOpen) => {
    expect(isOpenNow(indianOffice, at(moment))).toBe(isOpen);
  });

  test('runs over midnight into a day that has no hours of its own', () => {
    const fridayNight = hoursIn('Asia/Dhaka', '15:00', '03:00', [5]);
    expect(isOpenNow(fridayNight, at('2026-11-13T08:59:00Z'))).toBe(false);
    expect(isOpenNow(fridayNight, at('2026-11-13T20:59:00Z'))).toBe(true);
    expect(isOpenNow(fridayNight, at('2026-11-13T21:00:00Z'))).toBe(false);
    expect(isOpenNow(fridayNight, at('2026-11-14T10:00:00Z'))).toBe(false);
  });

  test('runs over midnight from Saturday to Sunday, where the week turns', () => {
    const saturdayNight = hoursIn('Asia/Kolkata', '22:00', '06:00', [6]);
    expect(isOpenNow(saturdayNight, at('2026-11-14T18:00:00Z'))).toBe(true);
    expect(isOpenNow(saturdayNight, at('2026-11-14T19:00:00Z'))).toBe(true);
    expect(isOpenNow(saturdayNight, at('2026-11-15T00:29:00Z'))).toBe(true);
    expect(isOpenNow(saturdayNight, at('2026-11-15T00:30:00Z'))).toBe(false);
  });

  test('follows the clock of the zone when that is changed', () => {
    const london = hoursIn('Europe/London', '09:00', '17:00');
    expect(isOpenNow(london, at('2026-10-24T08:00:00Z'))).toBe(true); // Summer time.
    expect(isOpenNow(london, at('2026-10-25T08:00:00Z'))).toBe(false);
    expect(isOpenNow(london, at('2026-10-25T09:00:00Z'))).toBe(true);
  });

  test('takes equal times for the whole day', () => {
    const monday = hoursIn('Asia/Kolkata', '00:00', '00:00', [1]);
    expect(isOpenNow(monday, at('2026-11-15T18:29:00Z'))).toBe(false);
    expect(isOpenNow(monday, at('2026-11-15T18:30:00Z'))).toBe(true);
    expect(isOpenNow(monday, at('2026-11-16T18:29:00Z'))).toBe(true);
    expect(isOpenNow(monday, at('2026-11-16T18:30:00Z'))).toBe(false);
  });
});

describe('opensAt', () => {
  const opening = (line: { hours: Helpline['hours'] }, moment: string) =>
    opensAt(line, at(moment))?.toISOString() ?? null;

  test('is null while open, day and night, and without hours', () => {
    expect(opening(indianOffice, '2026-11-16T05:00:00Z')).toBeNull();
    expect(opening({ hours: 'always' }, '2026-11-16T05:00:00Z')).toBeNull();
    expect(opening({ hours: null }, '2026-11-16T05:00:00Z')).toBeNull();
  });

  test('is this morning, tomorrow, or after the day off', () => {
    expect(opening(indianOffice, '2026-11-16T01:07:09Z')).toBe('2026-11-16T02:30:00.000Z');
    expect(opening(indianOffice, '2026-11-16T16:30:00Z')).toBe('2026-11-17T02:30:00.000Z');
    expect(opening(indianOffice, '2026-11-14T16:30:00Z')).toBe('2026-11-16T02:30:00.000Z');
  });

  test('follows the clock of the zone over a change to or from summer time', () => {
    const newYork = hoursIn('America/New_York', '09:00', '17:00');
    expect(opening(newYork, '2026-03-07T22:30:00Z')).toBe('2026-03-08T13:00:00.000Z');
    expect(opening(newYork, '2026-10-31T21:30:00Z')).toBe('2026-11-01T14:00:00.000Z');
    // It has just closed, and the clock is set back to a time at which it is open.
    const untilQuarterPast = hoursIn('America/New_York', '01:15', '01:15', [6]);
    expect(opening(untilQuarterPast, '2026-11-01T05:59:59Z')).toBe('2026-11-01T06:00:00.000Z');
    // By half an hour.
    const lordHowe = hoursIn('Australia/Lord_Howe', '09:00', '17:00');
    expect(opening(lordHowe, '2026-10-03T10:00:00Z')).toBe('2026-10-03T22:00:00.000Z');
  });

  test('is the moment after the gap when the clock skips the opening', () => {
    const early = hoursIn('America/New_York', '02:30', '05:00', [0]);
    expect(opening(early, '2026-03-08T06:00:00Z')).toBe('2026-03-08T07:00:00.000Z');
  });

  test('is a week later when the clock skips the whole span', () => {
    const skipped = hoursIn('America/New_York', '02:15', '02:45', [0]);
    expect(opening(skipped, '2026-03-08T06:00:00Z')).toBe('2026-03-15T06:15:00.000Z');
  });
});

const zoneNames = [
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/New_York',
  'America/St_Johns',
  'Europe/London',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'America/Sao_Paulo',
  'UTC',
];
const quarter = fc
  .integer({ min: 0, max: 95 })
  .map((n) => `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`);
const someHours: fc.Arbitrary<OpeningHours> = fc.record({
  zone: fc.constantFrom(...zoneNames),
  spans: fc.array(
    fc.record({ days: fc.subarray(days(0, 6), { minLength: 1 }), from: quarter, to: quarter }),
    { minLength: 1, maxLength: 3 },
  ),
});
/** Half of the moments are near a change of the clock. */
const changes = ['2026-03-08T07:00Z', '2026-11-01T06:00Z', '2026-03-29T01:00Z', '2026-10-25T01:00Z']
  .concat(['2026-04-04T14:00Z', '2026-09-26T14:00Z', '2026-10-03T15:30Z', '2026-04-04T15:00Z'])
  .map((moment) => Date.parse(moment));
const someMoment = fc.oneof(
  fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
  fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -36 * 3600, max: 36 * 3600 }))
    .map(([change, seconds]) => change + seconds * 1000),
);

const clocks = new Map(
  zoneNames.map((zone) => [
    zone,
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }),
  ]),
);

/** By the clock as text, and span by span: another way than that of the product. */
function isOpenByTheBook({ zone, spans }: OpeningHours, moment: number): boolean {
  const [day = '', clock = ''] = clocks.get(zone)?.format(moment).split(' ') ?? [];
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const time = clock.slice(0, 5);
  return spans.some(({ days, from, to }) => {
    const isToday = days.includes(weekday);
    const wasYesterday = days.includes((weekday + 6) % 7);
    if (from < to) return isToday && from <= time && time < to;
    return (isToday && time >= from) || (wasYesterday && time < to);
  });
}

describe('opening hours, for any hours and moment', () => {
  test('isOpenNow agrees with reading the clock in the zone', () => {
    fc.assert(
      fc.property(someHours, someMoment, (hours, moment) => {
        expect(isOpenNow({ hours }, new Date(moment))).toBe(isOpenByTheBook(hours, moment));
      }),
      { numRuns: 2000 },
    );
  });

  test('opensAt is the first quarter hour that is open', () => {
    fc.assert(
      fc.property(someHours, someMoment, (hours, moment) => {
        const opening = opensAt({ hours }, new Date(moment));
        if (isOpenByTheBook(hours, moment)) {
          expect(opening).toBeNull();
          return;
        }
        const quarterMs = 900_000;
        let next = Math.ceil(moment / quarterMs) * quarterMs;
        while (!isOpenByTheBook(hours, next)) next += quarterMs;
        expect(opening?.getTime()).toBe(next);
      }),
      { numRuns: 300 },
    );
  });
});

describe('countryByTimeZone', () => {
  test.each([
    ['Asia/Kolkata', 'IN'],
    ['Asia/Calcutta', 'IN'],
    ['America/New_York', 'US'],
    ['America/Indiana/Knox', 'US'],
    ['America/Toronto', 'CA'],
    ['Europe/London', 'GB'],
    ['Europe/Dublin', 'IE'],
    ['Australia/Perth', 'AU'],
    ['Pacific/Auckland', 'NZ'],
    ['Asia/Dubai', 'AE'],
    ['Asia/Riyadh', 'SA'],
    ['Asia/Singapore', 'SG'],
    ['Asia/Kuala_Lumpur', 'MY'],
    ['Asia/Katmandu', 'NP'],
    ['Asia/Dhaka', 'BD'],
    ['Asia/Colombo', 'LK'],
    ['Asia/Karachi', 'PK'],
    ['Europe/Berlin', 'IN'],
    ['Etc/Unknown', 'IN'],
    ['', 'IN'],
  ])('%s is %s', (zone, country) => {
    expect(countryByTimeZone(zone)).toBe(country);
  });

  test('tells a guess from a default', () => {
    expect(knownCountry('Asia/Calcutta')).toBe('IN');
    for (const zone of ['Asia/Qatar', 'Europe/Berlin', 'UTC', '']) expect(knownCountry(zone)).toBeUndefined();
  });

  test('gives a country that has helplines, for every zone that this runtime knows', () => {
    const countries = new Set(helplines.map((line) => line.country));
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      expect(countries).toContain(countryByTimeZone(zone));
    }
  });
});

describe('the list', () => {
  test('has each id once', () => {
    expect(new Set(helplines.map((line) => line.id)).size).toBe(helplines.length);
  });

  test('puts India first, and has one emergency number and someone to talk to in each country', () => {
    expect(helplines[0]?.name).toBe('Tele-MANAS');
    const countries = helplines.map((line) => line.country);
    // Each country in one piece.
    expect(countries.filter((country, index) => country !== countries[index - 1])).toEqual([
      ...new Set(countries),
    ]);
    for (const country of new Set(countries)) {
      const kinds = helplines.filter((line) => line.country === country).map((line) => line.kind);
      expect(kinds.filter((kind) => kind === 'emergency')).toHaveLength(1);
      expect(kinds).toContain('distress');
      expect(emergencyNumber(country)?.href).toMatch(/^tel:\d{3,4}$/u);
    }
    expect(emergencyNumber('IN')?.shown).toBe('112');
    expect(emergencyNumber('DE')).toBeNull();
  });

  test('lets every number of it pass the identity guard, as it is written in India', () => {
    for (const digits of ['112', '108', '181', '1098', '1930', '100', '101', '102', '14416', '18008914416']) {
      expect(allHelplineNumbers).toContain(digits);
    }
    for (const digits of ['9999666555', '919999666555', '09999666555', '02227546669', '912227546669']) {
      expect(allHelplineNumbers).toContain(digits);
    }
    for (const one of helplines.flatMap((line) => [...line.call, ...line.text])) {
      expect(allHelplineNumbers).toContain(one.shown.replace(/\D/gu, ''));
    }
  });
});

describe('lineFor', () => {
  test('is free, day and night, and can be called, in India at any hour', () => {
    for (let hour = 0; hour < 24; hour += 1) {
      expect(lineFor('IN', new Date(Date.UTC(2026, 10, 16, hour))).id).toBe('in-tele-manas');
    }
  });

  test('is the one that is open', () => {
    expect(lineFor('MY', at('2026-11-16T18:00:00Z')).id).toBe('my-befrienders');
  });

  test('is one to call, and of India where we know none', () => {
    expect(lineFor('GB', at('2026-11-16T18:00:00Z')).id).toBe('gb-samaritans');
    expect(lineFor('DE', at('2026-11-16T18:00:00Z')).id).toBe('in-tele-manas');
    for (const { country } of helplines) {
      expect(lineFor(country, at('2026-11-16T18:00:00Z'))).toMatchObject({ country, kind: 'distress' });
    }
  });
});

describe('verification', () => {
  test('lasts 180 days, the last of them included', () => {
    const line = { verifiedOn: '2026-01-01' };
    expect(isVerified(line, at('2026-01-01T12:00:00Z'))).toBe(true);
    expect(isVerified(line, at('2026-06-30T23:59:59Z'))).toBe(true);
    expect(isVerified(line, at('2026-07-01T00:00:00Z'))).toBe(false);
    expect(isVerified({ verifiedOn: null }, at('2026-01-01T00:00:00Z'))).toBe(false);
  });

  test('is what a text option needs, and that the line is open', () => {
    const now = at('2026-11-16T12:00:00Z');
    const text = [{ kind: 'sms', shown: '988', href: 'sms:988' }] as const;
    const verified = makeLine({ text, hours: 'always' });
    expect(textOptionFor('IN', now, [makeLine(), verified])).toEqual({ line: verified, text: text[0] });
    for (const change of [
      { verifiedOn: null },
      { verifiedOn: '2026-05-19' },
      { hours: null },
      { kind: 'women' as const },
      hoursIn('Asia/Kolkata', '08:00', '10:00'),
    ]) {
      expect(textOptionFor('IN', now, [{ ...verified, ...change }])).toBeNull();
    }
    expect(textOptionFor('US', now, [verified])).toBeNull();
  });
});
