/**
 * Where the facts about each helpline come from, what a person who calls it has to ask, and what makes a
 * record invalid. Loaded by `npm run helplines` and the build only, so that the pages stay small.
 */
import { type Helpline, isOpenNow, verifiedForDays } from '@unsaid/guard/helplines';

interface Source {
  readonly source: string;
  /** When the source was published, as far as it says so: a day, a month or a year. */
  readonly publishedOn: string | null;
  /** What sources disagree about, or do not say. */
  readonly doubt?: string;
}

const parliament = 'Ministers’ replies in the Parliament of India, reported by Lokmat Times';
const microsoft = 'Microsoft, emergency numbers by country';
const lists = 'Public lists of ambulance numbers in several code repositories; no official source';

export const helplineSources: Readonly<Record<string, Source>> = {
  'in-tele-manas': {
    source: `${parliament}; 24x7 and toll-free: IANS, 4 April 2025`,
    publishedOn: '2025-12-13',
  },
  'in-vandrevala': {
    source: 'Tatsat Chronicle: free, 24x7, WhatsApp, 11 languages; the number from public lists',
    publishedOn: '2023',
    doubt: 'older lists have 1860 2662 345: is 9999 666 555 the number now, for calls and for WhatsApp?',
  },
  'in-icall': {
    source: 'Public lists, the newest of 25 April 2026',
    publishedOn: '2026-04-25',
    doubt:
      'lists say Monday to Saturday 8 to 22, others 10 to 20: we show the hours that both agree on. WhatsApp?',
  },
  'in-women': { source: parliament, publishedOn: '2025-12-13', doubt: 'day and night in every state?' },
  'in-children': { source: parliament, publishedOn: '2025-12-13', doubt: 'day and night in every state?' },
  'in-aasra': {
    source:
      'ScoopWhoop and ThePrint, which called it at night and got an answer; mobile number: public lists',
    publishedOn: '2020',
    doubt: 'which of the two numbers is answered?',
  },
  'in-sneha': {
    source: 'The Hindu, 10 May 2015: round the clock; still at work: February 2026',
    publishedOn: '2015-05-10',
    doubt: 'still day and night? Does the evening chat still exist?',
  },
  'in-emergency': { source: parliament, publishedOn: '2025-12-13' },
  'us-988': {
    source: '988lifeline.org; SAMHSA, 13 July 2023: calls, texts, Spanish',
    publishedOn: '2023-07-13',
  },
  'us-emergency': { source: microsoft, publishedOn: '2024-05-01' },
  'ca-988': { source: 'Government of Canada, news release', publishedOn: '2023-11-30' },
  'ca-emergency': { source: microsoft, publishedOn: '2024-05-01' },
  'gb-samaritans': { source: 'samaritans.org; Full Fact', publishedOn: '2022-12-08' },
  'gb-shout': {
    source: 'Full Fact; crisistextline.uk: the first message can say anything',
    publishedOn: '2022-12-08',
  },
  'gb-emergency': { source: microsoft, publishedOn: '2024-05-01' },
  'ie-samaritans': {
    source: 'samaritans.org, for the United Kingdom and Ireland',
    publishedOn: null,
    doubt: 'free from every Irish network?',
  },
  'ie-emergency': { source: microsoft, publishedOn: '2024-05-01' },
  'au-lifeline': { source: 'Life in Mind, on the text service', publishedOn: '2022-02', doubt: 'cost' },
  'au-emergency': { source: microsoft, publishedOn: '2024-05-01' },
  'nz-1737': { source: 'Pegasus Health; Minister of Health, June 2017', publishedOn: '2021' },
  'nz-emergency': { source: microsoft, publishedOn: '2024-05-01' },
  'ae-hope': {
    source: 'WAM: 8 to 20 every day, Arabic and English',
    publishedOn: '2021-06-06',
    doubt: 'does it still run? WhatsApp on the same number? Hindi, Malayalam?',
  },
  'ae-emergency': { source: lists, publishedOn: '2026-02-11' },
  'sa-ncmh': {
    source: 'progress.guide',
    publishedOn: null,
    doubt:
      'second-hand only: hours, cost, languages, and whether it takes calls from people who are not patients',
  },
  'sa-emergency': { source: lists, publishedOn: null },
  'sg-sos': { source: 'CNA; Mothership', publishedOn: '2022-09-10', doubt: 'cost' },
  'sg-emergency': { source: microsoft, publishedOn: '2024-05-01' },
  'my-heal': {
    source: 'Ministry of Health, reported by The Star and Viet Nam News',
    publishedOn: '2026-01-07',
    doubt: 'free by now? In 2024 calls were charged',
  },
  'my-befrienders': {
    source: 'The Sun Daily: free from August 2019, 24 hours; the number from public lists',
    publishedOn: '2019-07',
  },
  'my-emergency': { source: microsoft, publishedOn: '2024-05-01' },
  'np-1166': {
    source: 'Lokpath; TPO Nepal',
    publishedOn: '2020-09-10',
    doubt: 'hours: 8 to 20 in 2020, day and night planned since; cost',
  },
  'np-emergency': { source: lists, publishedOn: null },
  'bd-kaan-pete-roi': {
    source: 'Public lists, several of them with 15 to 3 every day',
    publishedOn: null,
    doubt: 'hours; cost',
  },
  'bd-emergency': { source: lists, publishedOn: null },
  'lk-1926': {
    source: 'National Institute of Mental Health and Airtel: calls and texts day and night, three languages',
    publishedOn: '2022-10',
    doubt: 'texts free from every network?',
  },
  'lk-emergency': {
    source: lists,
    publishedOn: null,
    doubt: 'Microsoft lists 110, 112 and 119 (police) instead',
  },
  'pk-umang': {
    source: 'Hours TV: volunteers, day and night, not during Eid',
    publishedOn: '2024-04-22',
    doubt: 'the call itself free? Closed during Eid?',
  },
  'pk-emergency': { source: lists, publishedOn: null },
};

const dayMs = 86_400_000;

function isDay(text: string): boolean {
  const at = Date.parse(text);
  return (
    /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
  );
}

/** Days until the verification ends; negative if it has ended. Null for a line that is not verified. */
export function verifiedDaysLeft({ verifiedOn }: Pick<Helpline, 'verifiedOn'>, today: string): number | null {
  return verifiedOn === null
    ? null
    : verifiedForDays - Math.round((Date.parse(today) - Date.parse(verifiedOn)) / dayMs);
}

const schemes = { call: /^tel:(\d+)$/u, sms: /^sms:(\d+)$/u, whatsapp: /^whatsapp:\/\/send\?phone=(\d+)$/u };

function contactProblems({ call, text }: Helpline): string[] {
  if (call.length + text.length === 0) return ['there is no number'];
  return [...call.map((one) => ({ ...one, kind: 'call' as const })), ...text].flatMap(
    ({ kind, shown, href }) => {
      const digits = shown.replace(/[ -]/gu, '');
      if (!/^\d{3,15}$/u.test(digits)) return [`"${shown}" is not a number`];
      const [, dialled = ''] = schemes[kind].exec(href) ?? [];
      // The dialled number must be the shown one: a typing mistake would reach a stranger. WhatsApp has the
      // calling code before it.
      const isSame = kind === 'whatsapp' ? dialled.endsWith(digits) : dialled === digits;
      return isSame ? [] : [`"${shown}" would open ${href}`];
    },
  );
}

function hoursProblems({ hours }: Helpline): string[] {
  if (hours === null || hours === 'always') return [];
  const problems: string[] = [];
  const times = hours.spans.flatMap(({ from, to }) => [from, to]);
  const days = hours.spans.flatMap((span) => span.days);
  // `opensAt` searches in quarter hours.
  if (!times.every((time) => /^(?:[01]\d|2[0-3]):(?:00|15|30|45)$/u.test(time))) {
    problems.push('a time is not a quarter hour between 00:00 and 23:45');
  }
  if (days.length === 0 || !days.every((day) => [0, 1, 2, 3, 4, 5, 6].includes(day))) {
    problems.push('a weekday is not between 0, Sunday, and 6, or there is none');
  }
  try {
    isOpenNow({ hours }, new Date(0));
  } catch {
    problems.push(`"${hours.zone}" is not a time zone`);
  }
  return problems;
}

/** Problems of a record, as messages. Empty if it is valid. */
export function helplineProblems(line: Helpline, today: string): string[] {
  const problems = [...contactProblems(line), ...hoursProblems(line)];
  if (!/^[A-Z]{2}$/u.test(line.country)) problems.push('country is not a two-letter code');
  if (!line.name.trim()) problems.push('name is empty');
  if (!helplineSources[line.id]?.source.trim()) problems.push('it has no source in helpline-checks.ts');
  const { languages, verifiedOn } = line;
  const isCount = Number.isInteger(languages) && Number(languages) > 0;
  const isList = Array.isArray(languages) && languages.length > 0;
  if (languages !== null && !isCount && !isList) problems.push('languages is neither a count nor a list');
  if (verifiedOn !== null) {
    if (!isDay(verifiedOn)) problems.push(`verifiedOn "${verifiedOn}" is not a day`);
    else if (verifiedOn > today) problems.push(`verifiedOn ${verifiedOn} lies in the future`);
    else if ((verifiedDaysLeft(line, today) ?? 0) < 0) {
      problems.push(
        `it was verified on ${verifiedOn}, more than ${verifiedForDays} days ago. Call it and set verifiedOn to the day of the call, or set verifiedOn to null: the page then says that nobody has checked it`,
      );
    }
  }
  return problems;
}
