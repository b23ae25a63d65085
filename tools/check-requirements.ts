/**
 * npm run requirements: checks docs/requirements.md against the last test reports. Each test file that a row names must
 * contain a passing test with the row's id in its title. A test with an
 * id that was skipped, failed or deleted fails the check; a renamed one does not. `-- --write` updates docs/proofs.json.
 */
import { readFileSync } from 'node:fs';
import {
  compareWithLock,
  conclude,
  findMissingProofs,
  findUnknownIds,
  readProofs,
  readSpans,
  root,
} from './test-reports.ts';

const { passed, notPassed } = readProofs();
const isOurs = (id: string) => !/^S\d/u.test(id);
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};
const privacy = readFileSync(`${root}docs/privacy.md`, 'utf8').replace(/\s+/gu, ' ');

const problems: string[] = [];
const rows = new Set<string>();
let proofs = 0;
for (const line of readFileSync(`${root}docs/requirements.md`, 'utf8').split('\n')) {
  const [, id] = /^\| ((?:R|SC-)\d+) /u.exec(line) ?? [];
  if (!id) continue;
  rows.add(id);
  const named = readSpans(line);
  const tests = named.filter((text) => /^(?:server|web|e2e)\//u.test(text));
  const checks = named.filter((text) => text.startsWith('npm run '));
  const accepted = /accepted: “([^”]+)”/u.exec(line)?.[1];
  proofs += tests.length + checks.length;
  if (tests.length + checks.length === 0 && !accepted) problems.push(`${id}: names no proof`);
  problems.push(...findMissingProofs(passed, id, tests));
  for (const check of checks)
    if (!(check.slice(8) in scripts)) problems.push(`${id}: no such script: ${check}`);
  if (accepted && !privacy.includes(accepted))
    problems.push(`${id}: docs/privacy.md does not say: ${accepted}`);
}
if (rows.size === 0) problems.push('docs/requirements.md has no rows');
problems.push(
  ...findUnknownIds(passed, rows, isOurs),
  ...notPassed.map((test) => `did not pass: ${test}`),
  ...compareWithLock(passed, isOurs),
);

conclude(problems, `requirements: ${rows.size} proven by ${proofs} proofs`);
