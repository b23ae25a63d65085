/**
 * npm run docs: writes the generated pages of docs/ from docs/data, docs/proofs.json and the figures of the page
 * /privacy. `--check` fails when a committed page differs, when a data file contradicts another one, and when a table or a
 * column of the database is in no row of stored-data.json or columns.json.
 */
import { writeFileSync } from 'node:fs';
import {
  readColumns,
  readExceptions,
  readParity,
  readRequirements,
  readStoredData,
  readText,
} from './docs-data.ts';
import { limits } from '@unsaid/contract';
import type { Entry } from '../server/src/identity/ways-in.ts';
import { cases, entryOf, holders, openEntry } from '../server/test/ways.ts';
import { conclude, readLock, root } from './test-reports.ts';

const problems: string[] = [];
const lock = readLock();

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
const code = (text: string) => `\`${text}\``;
const escapeBars = (text: string) => text.replaceAll('|', String.raw`\|`);

/** The test files with the id in a title of theirs, as the last full run of each tier found them. */
function proofsOf(id: string): string[] {
  const atNight = Object.keys(lock[id]?.full ?? {});
  const files = new Set([...Object.keys(lock[id]?.change ?? {}), ...atNight]);
  const isOnlyAtNight = (file: string) => !lock[id]?.change?.[file];
  return [...files].toSorted().map((file) => `${code(file)}${isOnlyAtNight(file) ? ' (night)' : ''}`);
}

function makeRequirements(): string {
  const { requirements, sideChannels } = readRequirements();
  const rows = (all: typeof requirements) =>
    all.map(({ id, text, scripts = [], note, accepted }) => [
      id,
      text,
      [
        ...proofsOf(id),
        ...scripts.map((script) => code(`npm run ${script}`)),
        ...(note ? [`_${note}_`] : []),
        ...(accepted ? ['accepted: [known exceptions](known-exceptions.md)'] : []),
      ].join('<br>'),
    ]);
  return `# Requirements, and what proves each

For reviewers, when they ask what proves a requirement. The ids are those of the privacy and security design. Each proof is a test file; the tests that prove a row have its id in their titles. \`npm run requirements\` fails when one of them is gone or did not pass. "Night" is the tier that runs once a day.

## Requirements

${table(['id', 'requirement', 'proof'], rows(requirements))}

## Side channels

${table(['id', 'what', 'proof'], rows(sideChannels))}
`;
}

function makeParity(): string {
  const headings = new Map(
    [...readText('docs/product-spec.txt').matchAll(/^## ((\d)\..*)$/gmu)].map(([, heading = '', number]) => [
      number ?? '',
      heading,
    ]),
  );
  const sections = Map.groupBy(readParity(), ({ id }) => id.charAt(1));
  return `# The specification, line by line

For reviewers and contributors, when they ask where a sentence of the specification is kept. Every statement of [product-spec.txt](product-spec.txt), quoted word for word and in order; how it is read where it leaves something open; the files that implement it; the test files that prove it. \`npm run parity\` fails when a word of the specification is in no row, when a file does not exist, or when a row has no passing test.

If a statement turns out to be false, fix the product, not the row.

${[...sections]
  .map(
    ([number, rows]) => `## ${headings.get(number) ?? 'What it is'}

${table(
  ['id', 'statement', 'reading', 'where', 'proof'],
  rows.map(({ id, quotes, reading = '', where }) => [
    id,
    quotes.map((quote) => code(escapeBars(quote))).join('<br>'),
    escapeBars(reading),
    where.map(code).join('<br>'),
    proofsOf(id).join('<br>'),
  ]),
)}`,
  )
  .join('\n\n')}
`;
}

function makeExceptions(): string {
  const { requirements, sideChannels } = readRequirements();
  const exceptions = readExceptions();
  const known = new Map([...requirements, ...sideChannels].map((row) => [row.id, row]));
  const stated = new Set(exceptions.map(({ id }) => id));
  for (const { id, accepted } of known.values())
    if (accepted && !stated.has(id)) problems.push(`known-exceptions.json does not state ${id}`);
  for (const { id } of exceptions)
    if (id && !known.has(id)) problems.push(`known-exceptions.json: no such id: ${id}`);

  const { people, ...guesses } = JSON.parse(readText('web/src/features/info/guesses.json')) as Record<
    string,
    readonly number[]
  > & { people: readonly number[] };
  const simulation = 'npx vitest run --root server test/leaving-simulation.proof.test.ts';
  const meanings: Record<string, readonly [what: string, command: string]> = {
    polling: [
      'who wrote a vent, by polling: a named comment appeared within minutes of it',
      'npm run bench:polling',
    ],
    dayAlone: ['the same, from the day alone, as in the feed or in a dump', 'npm run bench:polling'],
    besideAnother: [
      'that two vents within five minutes of each other are by one person',
      'npm run bench:polling',
    ],
    leaving: [
      'the author of a vent that disappeared, where one person in 500 leaves each week and their words go over 30 days',
      simulation,
    ],
  };
  for (const key of Object.keys(guesses))
    if (!meanings[key]) problems.push(`guesses.json: no words for ${key}`);
  return `# What can still be learned

For operators, before they promise anything, and for reviewers, before they report a leak. What Unsaid does not hide, and why it stays so. An id is that of [a requirement or side channel](requirements.md). [privacy.md](privacy.md) has the promise itself.

## Known exceptions

${table(
  ['id', 'what', 'why it stays'],
  exceptions.map(({ id = '–', what, why }) => [id, what, why]),
)}

## Figures by size of community

The share of correct guesses, when the attacker guesses at all, in simulated communities; real ones differ. The page /privacy shows the same figures, from the same file.

${table(
  ['what an attacker learns', ...people.map((count) => `${count.toLocaleString('en')} people`), 'printed by'],
  Object.entries(meanings).map(([key, [what, command]]) => [
    what,
    ...(guesses[key] ?? []).map((share) => `${share} %`),
    code(command),
  ]),
)}
`;
}

/** The columns of every table, by the generated types. */
function readSchema(): Map<string, string[]> {
  const toSnakeCase = (name: string) => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  const tables = new Map(
    [...readText('server/src/db/schema.ts').matchAll(/^ {2}'(\w+\.\w+)': \{\n([\s\S]*?)^ {2}\};$/gmu)].map(
      ([, name = '', body = '']) => [
        toSnakeCase(name),
        [...body.matchAll(/^ {4}(\w+):/gmu)].map(([, column = '']) => toSnakeCase(column)),
      ],
    ),
  );
  if (tables.size === 0) problems.push('server/src/db/schema.ts has no tables');
  return tables;
}

/** What a column may be. Those with `true` could be joined with something else, so their row says what reads them. */
const columnKinds: Record<string, readonly [meaning: string, isRisky: boolean]> = {
  random: ['drawn at random or a keyed hash: no order, and equal to nothing elsewhere', false],
  encrypted: ['of constant length, or in steps', false],
  shown: ['the site shows it', false],
  fixed: ['the same in all rows, or after the night', false],
  link: ['to a row of the same schema', false],
  day: ['a day, or a coarser span', true],
  moment: ['a time', true],
  order: ['numbered in the order of writing', true],
  rare: ['a value that few rows may have', true],
  switch: ['yes or no', true],
  count: ['a number that grows', true],
};

function makeColumns(): string {
  const declared = readColumns();
  const rows = [...readSchema()].flatMap(([name, columns]) => {
    for (const column of Object.keys(declared[name] ?? {}))
      if (!columns.includes(column)) problems.push(`columns.json: no such column: ${name}.${column}`);
    return columns.map((column) => {
      const [kind = '', why = ''] = (declared[name]?.[column] ?? '').split(/: (.*)/u);
      const known = columnKinds[kind];
      if (!known) problems.push(`columns.json does not say what ${name}.${column} is`);
      else if (known[1] && !why) problems.push(`columns.json does not say what reads ${name}.${column}`);
      return [code(`${name}.${column}`), kind, why];
    });
  });
  return `# Columns that could be joined with something

For contributors, before they add a column. For each column of the database: could a thief of one copy lay it beside another one? A new column must answer before \`npm run check:generated\` passes. What can be encrypted is; the last column says what reads the rest in plain.

${table(
  ['kind', 'meaning'],
  Object.entries(columnKinds).map(([kind, [meaning]]) => [kind, meaning]),
)}

${table(['column', 'kind', 'why in plain'], rows)}
`;
}

function makeStoredData(): string {
  const rows = readStoredData();
  const declared = new Set(rows.flatMap(({ tables = [] }) => tables));
  const existing = new Set(readSchema().keys());
  for (const name of existing)
    if (!declared.has(name)) problems.push(`stored-data.json has no row for ${name}`);
  for (const name of declared)
    if (!existing.has(name)) problems.push(`stored-data.json: no such table: ${name}`);
  return `# What is stored where, and for how long

For operators, when somebody asks what is stored, and for contributors, before they store more. Every table of the database is in a row. [privacy.md](privacy.md) says what somebody could learn from it.

${table(
  ['what', 'where', 'tables', 'how long'],
  rows.map(({ what, where, tables = [], howLong }) => [what, where, tables.map(code).join('<br>'), howLong]),
)}
`;
}

const told: Readonly<Record<Entry['tells'], string>> = {
  sessions: 'Settings list every session',
  inbox: 'the inbox, for 30 days',
  everywhere: 'every open session, every sign-in and the inbox',
  nobody: '',
};

function makeWaysIn(): string {
  const opens = { 'at once': 'at once', 'after a wait': '72 h', no: '–' } as const;
  const cells = Object.entries(holders).map(([who, held]) => [
    who,
    ...cases.map((one) => opens[entryOf(one, held).opens]),
  ]);
  const answers = cases.map((one) => {
    const { opens: isOpen, tells, stoppedBy } = openEntry(one);
    const others = entryOf(one, { session: true, sms: true, paper: true });
    const ends =
      others.opens === isOpen && others.stoppedBy !== stoppedBy
        ? `${others.stoppedBy}; with the former number ${stoppedBy}`
        : stoppedBy;
    return isOpen === 'no' ? [one.name, '–', '–'] : [one.name, told[tells], ends];
  });
  return `# Ways into an account

For contributors and reviewers, before they change or judge how somebody gets in. Who gets in with what, and when. The server decides by the function that this page is made from, and \`server/test/ways-in.test.ts\` tries every cell. "72 h": the wait, in which the owner can stop it.

${table(['who holds', ...cases.map(({ name }) => name)], cells)}

Who is told, and what ends it:

${table(['way', 'told by', 'ended by'], answers)}

A recovery code that was replaced or cancelled works with the former number alone, for ${limits.replacedCodeDays} days. A code alone opens nothing without a number of one's own, whose account is less than ${limits.recoverableDays} days old. After 365 days an account is gone.
`;
}

interface PhoneFigures {
  readonly lighthouse: {
    readonly runs: number;
    readonly benchmarkIndex: number;
    readonly load: number;
    readonly pages: Record<string, Record<string, number>>;
  };
  readonly phone: {
    readonly runs: number;
    readonly load: number;
    readonly taps: Record<string, number>;
    readonly visits: Record<string, number>;
  };
}

function makePhone(): string {
  const { lighthouse, phone } = JSON.parse(readText('docs/data/phone.json')) as PhoneFigures;
  const names = [...new Set(Object.values(lighthouse.pages).flatMap((row) => Object.keys(row)))];
  const isTime = (name: string) => ['FCP', 'LCP', 'TBT', 'main thread'].includes(name);
  const show = (name: string, value: number | undefined) =>
    value === undefined
      ? ''
      : name === 'bytes'
        ? `${(value / 1000).toFixed(1)} kB`
        : `${isTime(name) ? Math.round(value) : value}${isTime(name) ? ' ms' : ''}`;
  return `# On a cheap phone

For contributors, before they add to the first page.

## The first visit

\`npm run lighthouse -- --save\`: Lighthouse's mid-range phone on a slow connection, the median of ${lighthouse.runs} runs in turns. Benchmark index of the machine ${lighthouse.benchmarkIndex}, load ${lighthouse.load}. The first two rows are the floor: the feed without any script, and the same markup rendered by react-dom alone. Requests and bytes are those before the largest paint.

${table(
  ['page', ...names],
  Object.entries(lighthouse.pages).map(([page, row]) => [
    page,
    ...names.map((name) => show(name, row[name])),
  ]),
)}

Decided by it: no static shell and no rendering on the server. The largest paint is the text of a vent, which a shell does not have, and the token is in the browser's storage, so a server cannot render a signed-in page. With the calls sent beside the scripts, pages are ahead of react-dom alone; what is left is its size and ours.

## After it

\`npm run phone -- --save\`: the median of ${phone.runs} runs, load ${phone.load}. Taps and the icon with the processor slowed six times; slow 3G as in Chromium's developer tools, where every request takes two seconds.

${table(
  ['what', 'time'],
  Object.entries({ ...phone.taps, ...phone.visits }).map(([what, value]) => [what, `${value} ms`]),
)}

The page of a second visit is painted from the cache. A vent waits for one request, because no vent is stored on the phone: those would be the ones that were read last time; one that its author has deleted, or whose time is over, would be shown again; and \`/privacy\` says that nothing anyone wrote is kept there.
`;
}

const pages: Record<string, readonly [from: string, text: string]> = {
  'docs/requirements.md': ['docs/data/requirements.json and docs/proofs.json', makeRequirements()],
  'docs/spec-parity.md': ['docs/data/spec-parity.json and docs/proofs.json', makeParity()],
  'docs/known-exceptions.md': ['docs/data/known-exceptions.json', makeExceptions()],
  'docs/columns.md': ['docs/data/columns.json and the migrations', makeColumns()],
  'docs/ways-in.md': ['server/src/identity/ways-in.ts', makeWaysIn()],
  'docs/stored-data.md': ['docs/data/stored-data.json', makeStoredData()],
  'docs/phone.md': ['docs/data/phone.json', makePhone()],
};
for (const [page, [from, text]] of Object.entries(pages)) {
  const generated = `<!-- Generated by \`npm run docs\` from ${from}. Do not edit. -->\n\n${text}`;
  if (!process.argv.includes('--check')) writeFileSync(`${root}${page}`, generated);
  else if (readText(page) !== generated)
    problems.push(`${page} is not what its data gives: run npm run docs`);
}
conclude(problems, `docs: ${Object.keys(pages).length} generated pages`);
