/**
 * npm run requirements: checks docs/requirements.md against the last test reports. Each test file that a row names must
 * contain a passing test with the row's id in its title. A test with an id that was skipped, failed or deleted fails the
 * check; a renamed one does not. Each id beside a promise of the README needs a proof in the tier `change`.
 *
 * --names-only looks for the ids in the sources instead of the reports, for a quick check before a full run.
 * --tier full reads the reports of `npm run test:full`. --write updates docs/proofs.json. --collect prints the results
 * of this machine as one line of JSON, and --from '<json>', once for each, reads them: in a workflow the tests run on
 * several machines.
 */
import { readFileSync } from 'node:fs';
import {
  compareWithLock,
  conclude,
  findMissingProofs,
  findUnknownIds,
  findUnnamedProofs,
  readLock,
  readNamedProofs,
  readResults,
  readSpans,
  root,
  tier,
  writeLock,
  type Results,
} from './test-reports.ts';

const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const isOurs = (id: string) => !/^S\d/u.test(id);

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const privacy = read('docs/privacy.md').replace(/\s+/gu, ' ');
const lines = read('docs/requirements.md').split('\n');
const testsIn = (text: string) => readSpans(text).filter((span) => /^(?:server|web|e2e)\//u.test(span));
const isNamesOnly = process.argv.includes('--names-only');
/** The rows of the README's table of promises. The last column names the ids that prove the promise. */
const promises = (/## The promises\b(.*?)\n## /su.exec(read('README.md'))?.[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:promise|-+) /u.test(line));

interface Checked {
  readonly problems: string[];
  readonly rows: ReadonlySet<string>;
  readonly proofs: number;
}

function check({ passed, notPassed }: Results, lock = readLock()): Checked {
  const problems: string[] = [];
  const rows = new Set<string>();
  let proofs = 0;
  for (const line of lines) {
    const [, id] = /^\| ((?:R|SC-)\d+) /u.exec(line) ?? [];
    if (!id) continue;
    rows.add(id);
    const tests = testsIn(line);
    const checks = readSpans(line).filter((text) => text.startsWith('npm run '));
    const accepted = /accepted: “([^”]+)”/u.exec(line)?.[1];
    proofs += tests.length + checks.length;
    if (tests.length + checks.length === 0 && !accepted) problems.push(`${id}: names no proof`);
    problems.push(...findMissingProofs(passed, lock, id, tests));
    for (const script of checks)
      if (!(script.slice(8) in scripts)) problems.push(`${id}: no such script: ${script}`);
    if (accepted && !privacy.includes(accepted))
      problems.push(`${id}: docs/privacy.md does not say: ${accepted}`);
  }
  if (rows.size === 0) problems.push('docs/requirements.md has no rows');
  if (promises.length === 0) problems.push('README.md has no promises');
  for (const promise of promises) {
    const ids = promise.match(/\b(?:R|SC-)\d+\b/gu) ?? [];
    const isProven = (id: string) => Object.keys(passed[id]?.change ?? {}).length > 0;
    if (ids.length === 0 || !ids.every(isProven))
      problems.push(`README.md: no proof in the tier change: ${promise.slice(2, 80).trim()}`);
  }
  problems.push(
    ...findUnknownIds(passed, rows, isOurs),
    ...notPassed.map((test) => `did not pass: ${test}`),
    ...(isNamesOnly ? findUnnamedProofs(lock, isOurs) : compareWithLock(passed, lock, isOurs)),
  );
  return { problems, rows, proofs };
}

const results = isNamesOnly
  ? { passed: readNamedProofs(new Set(lines.flatMap(testsIn))), notPassed: [] }
  : readResults();
if (process.argv.includes('--collect')) {
  console.log(JSON.stringify(results));
  process.exit(0);
}
if (!isNamesOnly) writeLock(results, isOurs);
const { problems, rows, proofs } = check(results);

// The check itself: without the proofs of a requirement, in the reports and in docs/proofs.json, it must complain.
const lock = readLock();
const withTests = lines.filter((line) => testsIn(line).length > 0).map((line) => line.split(' ')[1] ?? '');
for (const id of problems.length === 0 ? withTests : []) {
  const without = { ...results, passed: { ...results.passed, [id]: {} } };
  if (check(without, { ...lock, [id]: {} }).problems.length === 0)
    problems.push(`${id}: this check does not notice when its proofs are gone`);
}

conclude(
  problems,
  `requirements: ${rows.size} proven by ${proofs} proofs, ${promises.length} promises by the tier change (${isNamesOnly ? 'names only' : tier})`,
);
