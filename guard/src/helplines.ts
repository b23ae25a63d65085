/**
 * Helplines of the support page, the crisis card and the identity guard's allow-list. It is loaded with the
 * crisis card, so it stays small: where each fact comes from is in `web/scripts/helpline-checks.ts`. An unknown fact is
 * null and not shown: wrong information about a helpline is worse than none.
 */
import { checkedOn } from './helplines-checked.ts';

export type HelplineKind = 'distress' | 'emergency' | 'women' | 'children';

export interface CallOption {
  readonly shown: string;
  readonly href: string;
}

export interface TextOption extends CallOption {
  readonly kind: 'sms' | 'whatsapp';
}

/** `days` counts from Sunday, 0. Times are quarter hours of the zone; a span with `to` before `from` ends the next day. */
export interface OpeningHours {
  readonly zone: string;
  readonly spans: readonly { readonly days: readonly number[]; readonly from: string; readonly to: string }[];
}

export interface Helpline {
  readonly id: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** A proper name, not translated. The page names emergency lines by their kind. */
  readonly name: string;
  /** Who it is for. */
  readonly kind: HelplineKind;
  readonly call: readonly CallOption[];
  readonly text: readonly TextOption[];
  /** BCP 47 codes, or how many where only the number is published. */
  readonly languages: readonly string[] | number | null;
  readonly hours: 'always' | OpeningHours | null;
  readonly cost: 'free' | null;
  /** The day a person called it, or an official source confirmed it (`2026-11-15`). Null: not verified. */
  readonly verifiedOn: string | null;
}

const digitsOf = (number: string) => number.replace(/\D/gu, '');

const call = (...numbers: string[]): CallOption[] =>
  numbers.map((shown) => ({ shown, href: `tel:${digitsOf(shown)}` }));

const sms = (shown: string): TextOption => ({ kind: 'sms', shown, href: `sms:${digitsOf(shown)}` });

/** The app's own scheme: a wa.me address would stay in the browser history of a shared phone. */
const whatsapp = (callingCode: string, shown: string): TextOption => ({
  kind: 'whatsapp',
  shown,
  href: `whatsapp://send?phone=${callingCode}${digitsOf(shown)}`,
});

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const daily = (zone: string, from: string, to: string): OpeningHours => ({
  zone,
  spans: [{ days: everyDay, from, to }],
});

/** The id begins with the country. */
function line(id: string, name: string, facts: Partial<Helpline>): Helpline {
  return {
    id,
    country: id.slice(0, 2).toUpperCase(),
    name,
    kind: 'distress',
    call: [],
    text: [],
    languages: null,
    hours: null,
    cost: null,
    verifiedOn: checkedOn[id] ?? null,
    ...facts,
  };
}

/** Where ambulance and police have numbers of their own: the ambulance. */
const emergency = (country: string, number: string) =>
  line(`${country}-emergency`, 'Emergency', { kind: 'emergency', call: call(number) });

const alwaysFree = { hours: 'always', cost: 'free' } as const;

/** By country, India first. In a country, the order of the page. Sources and doubts: `helpline-checks.ts`. */
export const helplines: readonly Helpline[] = [
  line('in-tele-manas', 'Tele-MANAS', {
    call: call('14416', '1-800-891-4416'),
    languages: 20,
    ...alwaysFree,
  }),
  line('in-vandrevala', 'Vandrevala Foundation', {
    call: call('9999 666 555'),
    text: [whatsapp('91', '9999 666 555')],
    languages: 11,
    ...alwaysFree,
  }),
  line('in-icall', 'iCALL', {
    call: call('91529 87821'),
    hours: { zone: 'Asia/Kolkata', spans: [{ days: [1, 2, 3, 4, 5, 6], from: '10:00', to: '20:00' }] },
  }),
  line('in-women', 'Women’s helpline', { kind: 'women', call: call('181') }),
  line('in-children', 'Children’s helpline', { kind: 'children', call: call('1098') }),
  line('in-aasra', 'AASRA', { call: call('98204 66726', '022 2754 6669'), hours: 'always' }),
  line('in-sneha', 'Sneha', { call: call('044 2464 0050'), hours: 'always' }),
  emergency('in', '112'),

  line('us-988', '988 Lifeline', {
    call: call('988'),
    text: [sms('988')],
    languages: ['en', 'es'],
    ...alwaysFree,
  }),
  emergency('us', '911'),
  line('ca-988', '9-8-8 Suicide Crisis Helpline', {
    call: call('988'),
    text: [sms('988')],
    languages: ['en', 'fr'],
    ...alwaysFree,
  }),
  emergency('ca', '911'),
  line('gb-samaritans', 'Samaritans', { call: call('116 123'), ...alwaysFree }),
  line('gb-shout', 'Shout', { text: [sms('85258')], ...alwaysFree }),
  emergency('gb', '999'),
  line('ie-samaritans', 'Samaritans', { call: call('116 123'), ...alwaysFree }),
  emergency('ie', '999'),
  line('au-lifeline', 'Lifeline', {
    call: call('13 11 14'),
    text: [sms('0477 13 11 14')],
    hours: 'always',
  }),
  emergency('au', '000'),
  line('nz-1737', '1737', { call: call('1737'), text: [sms('1737')], ...alwaysFree }),
  emergency('nz', '111'),
  line('ae-hope', '800 HOPE', {
    call: call('800 4673'),
    languages: ['ar', 'en'],
    hours: daily('Asia/Dubai', '08:00', '20:00'),
    cost: 'free',
  }),
  emergency('ae', '998'),
  line('sa-ncmh', 'National Center for Mental Health', { call: call('920 033 360') }),
  emergency('sa', '997'),
  line('sg-sos', 'Samaritans of Singapore', {
    call: call('1767'),
    text: [whatsapp('65', '9151 1767')],
    hours: 'always',
  }),
  emergency('sg', '995'),
  line('my-heal', 'Talian HEAL', {
    call: call('15555'),
    hours: daily('Asia/Kuala_Lumpur', '08:00', '00:00'),
  }),
  line('my-befrienders', 'Befrienders KL', { call: call('03 7627 2929'), ...alwaysFree }),
  emergency('my', '999'),
  line('np-1166', '1166', { call: call('1166') }),
  emergency('np', '102'),
  line('bd-kaan-pete-roi', 'Kaan Pete Roi', {
    call: call('09612 119911'),
    hours: daily('Asia/Dhaka', '15:00', '03:00'),
  }),
  emergency('bd', '999'),
  line('lk-1926', '1926', {
    call: call('1926'),
    text: [sms('1926')],
    languages: ['si', 'ta', 'en'],
    ...alwaysFree,
  }),
  emergency('lk', '1990'),
  line('pk-umang', 'Umang', { call: call('0311 7786264'), languages: ['ur', 'en'], ...alwaysFree }),
  emergency('pk', '1122'),
];

/**
 * Public numbers that the page does not list: police, fire, ambulance, cybercrime, and helplines that people
 * pass on although we found too little about them (KIRAN, NIMHANS, Vandrevala's old number).
 */
const otherPublicNumbers = '100 101 102 104 108 1091 1930 18005990019 08046110007 18602662345'.split(' ');

/** Digits only. Indian numbers of full length also with 0 and with 91 before them. */
export const allHelplineNumbers: ReadonlySet<string> = new Set([
  ...helplines.flatMap((one) =>
    [...one.call, ...one.text].flatMap(({ shown }) => {
      const digits = digitsOf(shown);
      if (one.country !== 'IN' || digits.length < 10) return digits;
      const national = digits.replace(/^0/u, '');
      return [national, `0${national}`, `91${national}`];
    }),
  ),
  ...otherPublicNumbers,
]);

export const verifiedForDays = 180;
const dayMs = 86_400_000;

/** Counted again on the reader's phone: a page that is kept for offline use grows old there. */
export function isVerified({ verifiedOn }: Pick<Helpline, 'verifiedOn'>, at: Date): boolean {
  return verifiedOn !== null && at.getTime() - Date.parse(verifiedOn) < (verifiedForDays + 1) * dayMs;
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A formatter is slow to make. */
const clocks = new Map<string, Intl.DateTimeFormat>();

/** The weekday and the minutes after midnight on a clock in the zone. */
function clockIn(zone: string, at: number): { day: number; minutes: number } {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  clocks.set(zone, clock);
  const parts = clock.formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  return {
    day: weekdays.indexOf(part('weekday')),
    minutes: Number(part('hour')) * 60 + Number(part('minute')),
  };
}

/** Minutes by this clock until the next span begins, 0 within a span. */
function minutesUntilOpen(
  { spans }: OpeningHours,
  { day, minutes }: { day: number; minutes: number },
): number {
  const waits = spans.flatMap(({ days, from, to }) =>
    days.map((start) => {
      const begin = minutesOf(from);
      const length = (minutesOf(to) - begin + 1440) % 1440 || 1440;
      const since = ((day - start + 7) * 1440 + minutes - begin + 7 * 1440) % (7 * 1440);
      return since < length ? 0 : 7 * 1440 - since;
    }),
  );
  return Math.min(...waits);
}

/** Null if the hours are unknown. */
export function isOpenNow({ hours }: Pick<Helpline, 'hours'>, at: Date): boolean | null {
  if (hours === null || hours === 'always') return hours === null ? null : true;
  return minutesUntilOpen(hours, clockIn(hours.zone, at.getTime())) === 0;
}

const quarterMs = 15 * 60_000;

/** The moment a closed line opens. Null if it is open, or if its hours are unknown. */
export function opensAt({ hours }: Pick<Helpline, 'hours'>, at: Date): Date | null {
  if (hours === null || hours === 'always' || isOpenNow({ hours }, at) === true) return null;
  // Two hours before the time by the clock, then in quarter hours: the clock may be changed in between. In quarter hours
  // from now on, too: a line that has just closed opens again where the clock is set back.
  const start = at.getTime();
  for (let next = start, end = start + 15 * dayMs; next < end;) {
    const wait = minutesUntilOpen(hours, clockIn(hours.zone, next));
    if (wait === 0) return new Date(next);
    const isFar = wait > 135 && next - start > 120 * 60_000;
    next = isFar ? next + (wait - 120) * 60_000 : (Math.floor(next / quarterMs) + 1) * quarterMs;
  }
  return null;
}

/** Zones by country. Canada has few of them here: the rest is left to `Canada/` and to the manual choice. */
const zones: Readonly<Record<string, string>> = {
  IN: 'Asia/Kolkata Asia/Calcutta',
  US: 'America/New_York America/Chicago America/Denver America/Los_Angeles America/Phoenix America/Detroit America/Boise America/Anchorage America/Juneau America/Indianapolis America/Louisville Pacific/Honolulu',
  CA: 'America/Toronto America/Vancouver America/Edmonton America/Winnipeg America/Halifax America/St_Johns America/Regina America/Moncton America/Montreal America/Whitehorse America/Yellowknife',
  GB: 'Europe/London Europe/Belfast',
  IE: 'Europe/Dublin',
  NZ: 'Pacific/Auckland',
  AE: 'Asia/Dubai',
  SA: 'Asia/Riyadh',
  SG: 'Asia/Singapore',
  MY: 'Asia/Kuala_Lumpur Asia/Kuching',
  NP: 'Asia/Kathmandu Asia/Katmandu',
  BD: 'Asia/Dhaka Asia/Dacca',
  LK: 'Asia/Colombo',
  PK: 'Asia/Karachi',
};

/** Areas of the time zone database that lie in one country. */
const areas: readonly (readonly [string, string])[] = [
  ['Australia/', 'AU'],
  ['Canada/', 'CA'],
  ['US/', 'US'],
  ['America/Indiana/', 'US'],
  ['America/Kentucky/', 'US'],
  ['America/North_Dakota/', 'US'],
];

/** Country of a time zone of the browser. Undefined where we have no helpline, or the browser tells nothing. */
export function knownCountry(zone: string): string | undefined {
  return (
    areas.find(([area]) => zone.startsWith(area))?.[1] ??
    Object.keys(zones).find((country) => zones[country]?.split(' ').includes(zone))
  );
}

export const countryByTimeZone = (zone: string): string => knownCountry(zone) ?? 'IN';

const distressLines = (country: string, lines = helplines) =>
  lines.filter((one) => one.country === country && one.kind === 'distress');

/** The one line for the crisis card: open, then free, then verified, then the first of the list. */
export function lineFor(country: string, at: Date): Helpline {
  const rank = (one: Helpline) =>
    (one.call.length > 0 ? 8 : 0) +
    (isOpenNow(one, at) === true ? 4 : 0) +
    (one.cost === 'free' ? 2 : 0) +
    (isVerified(one, at) ? 1 : 0);
  const own = distressLines(country);
  const [first, ...others] = own.length > 0 ? own : distressLines('IN');
  if (first === undefined) throw new Error('India has no helpline');
  return others.reduce((best, one) => (rank(one) > rank(best) ? one : best), first);
}

/** Writing to a helpline instead of calling: verified and open now, else null. */
export function textOptionFor(
  country: string,
  at: Date,
  lines = helplines,
): { readonly line: Helpline; readonly text: TextOption } | null {
  for (const one of distressLines(country, lines)) {
    const [text] = one.text;
    if (text && isVerified(one, at) && isOpenNow(one, at) === true) return { line: one, text };
  }
  return null;
}

export function emergencyNumber(country: string): CallOption | null {
  return helplines.find((one) => one.country === country && one.kind === 'emergency')?.call[0] ?? null;
}
