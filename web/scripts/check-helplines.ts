/**
 * Fails on malformed helplines, and on those whose verification has ended: a number that nobody has called for
 * 180 days must not look verified. `--list` prints what waits for a human call, by country. `--checked <line> <day>`
 * records a call.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkedOn } from '@unsaid/guard/helplines-checked';
import { helplineProblems, helplineSources, verifiedDaysLeft } from './helpline-checks.ts';
import { type Helpline, helplines, isVerified } from '@unsaid/guard/helplines';

const now = new Date();
const today = now.toISOString().slice(0, 10);
const countryNames = new Intl.DisplayNames('en', { type: 'region' });
/** The build warns this many days before it fails. */
const warningDays = 30;

const numbersOf = ({ call, text }: Helpline) =>
  [...call.map(({ shown }) => shown), ...text.map(({ kind, shown }) => `${kind} ${shown}`)].join(', ');
const labelOf = (line: Helpline) =>
  `${countryNames.of(line.country) ?? line.country}, ${line.name} (${numbersOf(line)})`;

function questionsFor({ id, kind, call, text, hours, languages, cost }: Helpline): string {
  if (kind === 'emergency') return 'compare with an official source; do not call it';
  const known =
    hours === null ? 'hours' : `hours (we show ${hours === 'always' ? 'day and night' : 'fixed ones'})`;
  const questions = [
    known,
    languages === null ? 'languages' : 'languages still the same',
    cost === null ? 'cost' : 'still free',
    text.length > 0 ? 'does writing work, at the same hours' : 'can one write to them',
    call.length === 0 ? 'can one call as well' : '',
    helplineSources[id]?.doubt ?? '',
  ];
  return questions.filter(Boolean).join('; ');
}

function printCallList(): void {
  const waiting = helplines.filter((line) => !isVerified(line, now));
  for (const country of new Set(waiting.map((line) => line.country))) {
    console.log(`\n${countryNames.of(country) ?? country}`);
    for (const line of waiting.filter((one) => one.country === country)) {
      const { source = 'none', publishedOn = null } = helplineSources[line.id] ?? {};
      console.log(`  ${line.name} (${line.id}): ${numbersOf(line)}`);
      console.log(`    ask: ${questionsFor(line)}`);
      console.log(`    known from: ${source} (${publishedOn ?? 'no date'})`);
    }
  }
  console.log(
    `\n${waiting.length} of ${helplines.length} helplines wait for a call. How: docs/operations.md.`,
  );
}

/** Written anew as a whole, so that two calls of a line never leave two days. */
function recordCheck(id = '', day = ''): void {
  const line = helplines.find((one) => one.id === id);
  const problems = line
    ? helplineProblems({ ...line, verifiedOn: day }, today)
    : [`no line ${id}: npm run helplines prints them`];
  if (problems.length > 0) {
    for (const problem of problems) console.error(`helplines: ${problem}`);
    process.exitCode = 1;
    return;
  }
  const days = Object.entries({ ...checkedOn, [id]: day }).toSorted(([a], [b]) => a.localeCompare(b));
  const file = fileURLToPath(import.meta.resolve('@unsaid/guard/helplines-checked'));
  const comment =
    '/** By line, the day a person called it or an official source confirmed it. `npm run helplines -- --checked` writes it. */';
  const entries = days.map(([one, on]) => `  '${one}': '${on}',\n`).join('');
  writeFileSync(
    file,
    `${comment}\nexport const checkedOn: Readonly<Record<string, string>> = {\n${entries}};\n`,
  );
  console.log(`helplines: ${id} was checked on ${day}`);
}

const checkedAt = process.argv.indexOf('--checked');
if (checkedAt !== -1) recordCheck(process.argv[checkedAt + 1], process.argv[checkedAt + 2]);
else if (process.argv.includes('--list')) printCallList();
else {
  let invalid = 0;
  for (const line of helplines) {
    const problems = helplineProblems(line, today);
    for (const problem of problems) console.error(`helplines: ${labelOf(line)}: ${problem}`);
    if (problems.length > 0) invalid += 1;
    const daysLeft = verifiedDaysLeft(line, today);
    if (problems.length === 0 && daysLeft !== null && daysLeft <= warningDays) {
      console.warn(`helplines: warning: ${labelOf(line)} must be called again within ${daysLeft} days`);
    }
  }
  const verified = helplines.filter((line) => isVerified(line, now)).length;
  console.log(
    `helplines: ${helplines.length} records, ${verified} verified, ${helplines.length - verified} shown as not verified (npm run helplines), ${invalid} invalid`,
  );
  process.exitCode = invalid > 0 ? 1 : 0;
}
