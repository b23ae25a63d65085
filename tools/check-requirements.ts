/**
 * npm run requirements: checks docs/data/requirements.json against the last test reports. Each row needs a passing test
 * with its id in the title, a script, or a sentence in known-exceptions.json. A test with an id that was skipped, failed
 * or deleted fails the check; a renamed one does not. Each id beside a promise of docs/promises.md needs a proof in the
 * tier `change`.
 *
 * --names-only looks for the ids in the sources instead of the reports, for a quick check before a full run.
 * --tier full reads the reports of `npm run test:full`. --write updates docs/proofs.json. --collect prints the results
 * of this machine as one line of JSON, and --from '<json>', once for each, reads them: in a workflow the tests run on
 * several machines.
 */
import { readExceptions, readRequirements, readText } from './docs-data.ts';
import {
  compareWithLock,
  conclude,
  entriesOf,
  findUnknownIds,
  findUnnamedProofs,
  findUnprovenIds,
  readLock,
  readNamedProofs,
  readResults,
  tier,
  writeLock,
  type Results,
} from './test-reports.ts';

const isOurs = (id: string) => !/^S\d/u.test(id);

const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
const requirements = Object.values(readRequirements()).flat();
const rows = new Set(requirements.map(({ id }) => id));
const exceptions = new Set(readExceptions().map(({ id }) => id));
const isNamesOnly = process.argv.includes('--names-only');
/** The rows of the table of promises. The last column names the ids that prove the promise. */
const promises = readText('docs/promises.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:promise|-+) /u.test(line));

function check({ passed, notPassed }: Results, lock = readLock()): string[] {
  const problems: string[] = [];
  const needTests = requirements.filter(
    ({ id, scripts: named, accepted }) => !named && !(accepted && exceptions.has(id)),
  );
  problems.push(
    ...findUnprovenIds(
      passed,
      lock,
      needTests.map(({ id }) => id),
    ),
  );
  for (const { id, scripts: named = [] } of requirements)
    for (const script of named)
      if (!(script in scripts)) problems.push(`${id}: no such script: npm run ${script}`);
  if (rows.size === 0 || rows.size !== requirements.length)
    problems.push('docs/data/requirements.json has no rows, or an id twice');
  if (promises.length === 0) problems.push('docs/promises.md has no promises');
  for (const promise of promises) {
    const ids = promise.match(/\b(?:R|SC-)\d+\b/gu) ?? [];
    const isProven = (id: string) => Object.keys(passed[id]?.change ?? {}).length > 0;
    if (ids.length === 0 || !ids.every(isProven))
      problems.push(`docs/promises.md: no proof in the tier change: ${promise.slice(2, 80).trim()}`);
  }
  problems.push(
    ...findUnknownIds(passed, rows, isOurs),
    ...notPassed.map((test) => `did not pass: ${test}`),
    ...(isNamesOnly ? findUnnamedProofs(lock, isOurs) : compareWithLock(passed, lock, isOurs)),
  );
  return problems;
}

const locked = entriesOf(readLock()).filter(([id]) => isOurs(id));
const results = isNamesOnly
  ? { passed: readNamedProofs(new Set(locked.map(([, , file]) => file))), notPassed: [] }
  : readResults();
if (process.argv.includes('--collect')) {
  console.log(JSON.stringify(results));
  process.exit(0);
}
if (!isNamesOnly) writeLock(results, isOurs);
const problems = check(results);

// The check itself: without the proofs of a requirement, in the reports and in docs/proofs.json, it must complain.
const lock = readLock();
for (const { id, scripts: named, accepted } of problems.length === 0 ? requirements : []) {
  if (named || accepted) continue;
  const without = { ...results, passed: { ...results.passed, [id]: {} } };
  if (check(without, { ...lock, [id]: {} }).length === 0)
    problems.push(`${id}: this check does not notice when its proofs are gone`);
}

conclude(
  problems,
  `requirements: ${rows.size} proven by ${new Set(locked.map(([id, , file]) => `${id} ${file}`)).size} proofs, ${promises.length} promises by the tier change (${isNamesOnly ? 'names only' : tier})`,
);
