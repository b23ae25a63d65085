/**
 * Warns about helplines not checked for 180 days. Fails only on malformed records: an old number is probably
 * right, so age must not stop a build.
 */
import { helplineProblems, helplines, isStale } from '../src/features/info/helplines.ts';

const today = new Date().toISOString().slice(0, 10);
let malformed = 0;
let stale = 0;

for (const line of helplines) {
  const label = `${line.region}, ${line.name} (${line.numbers.map((number) => number.shown).join(', ')})`;
  const problems = helplineProblems(line, today);
  for (const problem of problems) console.error(`helplines: ${label}: ${problem}`);
  if (problems.length > 0) malformed += 1;
  else if (isStale(line, today)) {
    stale += 1;
    console.warn(
      `helplines: warning: ${label} was last checked on ${line.checkedOn}; check it against: ${line.source}`,
    );
  }
}

console.log(`helplines: ${helplines.length} records, ${stale} older than 180 days, ${malformed} malformed`);
process.exitCode = malformed > 0 ? 1 : 0;
