/**
 * Helplines. Unverified facts are null and not shown: wrong information about a helpline is worse than none.
 * `web/scripts/check-helplines.ts` warns about records that are due for a check.
 */
export type HelplineKind = 'distress' | 'emergency' | 'women' | 'children';

export interface Helpline {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** English name of the country, for maintainers of this list. The page translates the code. */
  readonly region: string;
  readonly name: string;
  readonly numbers: readonly { readonly shown: string; readonly href: string }[];
  readonly isTextable: boolean;
  readonly hours: 'day-and-night' | null;
  readonly cost: 'free' | null;
  /** Number of languages spoken. */
  readonly languages: number | null;
  readonly kind: HelplineKind;
  readonly source: string;
  /** The day the number was last checked against the source. */
  readonly checkedOn: string;
}

const parliament = 'Ministers’ replies in the Parliament of India';
const projectList = 'The list this project began with, which names no first-hand source';

/** India first. The page keeps this order. */
export const helplines: readonly Helpline[] = [
  {
    country: 'IN',
    region: 'India',
    name: 'Tele-MANAS',
    numbers: [
      { shown: '14416', href: 'tel:14416' },
      { shown: '1-800-891-4416', href: 'tel:18008914416' },
    ],
    isTextable: false,
    hours: 'day-and-night',
    cost: 'free',
    languages: 20,
    kind: 'distress',
    source: parliament,
    checkedOn: '2025-12-13',
  },
  {
    country: 'IN',
    region: 'India',
    name: 'Emergency',
    numbers: [{ shown: '112', href: 'tel:112' }],
    isTextable: false,
    hours: null,
    cost: null,
    languages: null,
    kind: 'emergency',
    source: parliament,
    checkedOn: '2025-12-13',
  },
  {
    country: 'IN',
    region: 'India',
    name: 'Women’s helpline',
    numbers: [{ shown: '181', href: 'tel:181' }],
    isTextable: false,
    hours: null,
    cost: null,
    languages: null,
    kind: 'women',
    source: parliament,
    checkedOn: '2025-12-13',
  },
  {
    country: 'IN',
    region: 'India',
    name: 'Children’s helpline',
    numbers: [{ shown: '1098', href: 'tel:1098' }],
    isTextable: false,
    hours: null,
    cost: null,
    languages: null,
    kind: 'children',
    source: parliament,
    checkedOn: '2025-12-13',
  },
  {
    country: 'US',
    region: 'United States',
    name: '988 Suicide & Crisis Lifeline',
    numbers: [{ shown: '988', href: 'tel:988' }],
    isTextable: true,
    hours: 'day-and-night',
    cost: null,
    languages: null,
    kind: 'distress',
    source: projectList,
    checkedOn: '2026-06-02',
  },
  {
    country: 'CA',
    region: 'Canada',
    name: '9-8-8 Suicide Crisis Helpline',
    numbers: [{ shown: '988', href: 'tel:988' }],
    isTextable: true,
    hours: 'day-and-night',
    cost: null,
    languages: null,
    kind: 'distress',
    source: projectList,
    checkedOn: '2026-06-02',
  },
  {
    country: 'GB',
    region: 'United Kingdom',
    name: 'Samaritans',
    numbers: [{ shown: '116 123', href: 'tel:116123' }],
    isTextable: false,
    hours: 'day-and-night',
    cost: 'free',
    languages: null,
    kind: 'distress',
    source: projectList,
    checkedOn: '2026-06-02',
  },
  {
    country: 'IE',
    region: 'Ireland',
    name: 'Samaritans',
    numbers: [{ shown: '116 123', href: 'tel:116123' }],
    isTextable: false,
    hours: 'day-and-night',
    cost: 'free',
    languages: null,
    kind: 'distress',
    source: projectList,
    checkedOn: '2026-06-02',
  },
  {
    country: 'AU',
    region: 'Australia',
    name: 'Lifeline',
    numbers: [{ shown: '13 11 14', href: 'tel:131114' }],
    isTextable: false,
    hours: 'day-and-night',
    cost: null,
    languages: null,
    kind: 'distress',
    source: projectList,
    checkedOn: '2026-08-12',
  },
];

const staleAfterDays = 180;
const msPerDay = 86_400_000;

/** Days have the form 2026-11-15. A stale record is shown with the day of its last check. */
export function isStale(line: Pick<Helpline, 'checkedOn'>, today: string): boolean {
  return (Date.parse(today) - Date.parse(line.checkedOn)) / msPerDay > staleAfterDays;
}

export function helplinesByCountry(): { country: string; lines: Helpline[] }[] {
  // Not Map.groupBy: this page must open on old browsers.
  const groups = new Map<string, Helpline[]>();
  for (const line of helplines) groups.set(line.country, [...(groups.get(line.country) ?? []), line]);
  return [...groups].map(([country, lines]) => ({ country, lines }));
}

function isDay(text: string): boolean {
  const at = Date.parse(text);
  return (
    /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
  );
}

/** Problems of a record, as messages. Empty if it is valid. */
export function helplineProblems(line: Helpline, today: string): string[] {
  const problems: string[] = [];
  if (!/^[A-Z]{2}$/u.test(line.country)) problems.push('country is not a two-letter code');
  if (!line.region.trim()) problems.push('region is empty');
  if (!line.name.trim()) problems.push('name is empty');
  if (!line.source.trim()) problems.push('source is empty');
  if (line.numbers.length === 0) problems.push('there is no number to call');
  for (const { shown, href } of line.numbers) {
    // The dialled number must equal the shown one: a typing mistake would call a stranger.
    if (!/^\d{3,15}$/u.test(shown.replace(/[ -]/gu, ''))) problems.push(`"${shown}" is not a number`);
    else if (href !== `tel:${shown.replace(/[ -]/gu, '')}`) problems.push(`"${shown}" would dial ${href}`);
  }
  if (line.languages !== null && !(Number.isInteger(line.languages) && line.languages > 0)) {
    problems.push('languages is not a count');
  }
  if (!isDay(line.checkedOn)) problems.push(`checkedOn "${line.checkedOn}" is not a day`);
  else if (line.checkedOn > today) problems.push(`checkedOn ${line.checkedOn} lies in the future`);
  return problems;
}
