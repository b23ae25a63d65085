/**
 * Holds docs/requirements.md against what was really run: every proof it names must be a test that
 * exists in the last reports and passed there. A test that was renamed, deleted or skipped fails this.
 */
import { readFileSync } from 'node:fs';
import { conclude, readPassed, readSpans, root } from './test-reports.ts';

const passed = readPassed();
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};
const privacy = readFileSync(`${root}docs/privacy.md`, 'utf8').replace(/\s+/gu, ' ');

const problems: string[] = [];
let rows = 0;
let proofs = 0;
for (const line of readFileSync(`${root}docs/requirements.md`, 'utf8').split('\n')) {
  const [, id] = /^\| ((?:R|SC-)\d+) /u.exec(line) ?? [];
  if (!id) continue;
  rows += 1;
  const named = readSpans(line);
  const tests = named.filter((text) => text.includes(' › '));
  const checks = named.filter((text) => text.startsWith('npm run '));
  const accepted = /accepted: “([^”]+)”/u.exec(line)?.[1];
  proofs += tests.length + checks.length;
  if (tests.length + checks.length === 0 && !accepted) problems.push(`${id}: no proof is named`);
  for (const test of tests) if (!passed.has(test)) problems.push(`${id}: did not run and pass: ${test}`);
  for (const check of checks)
    if (!(check.slice(8) in scripts)) problems.push(`${id}: no such script: ${check}`);
  if (accepted && !privacy.includes(accepted))
    problems.push(`${id}: docs/privacy.md does not say: ${accepted}`);
}
if (rows === 0) problems.push('docs/requirements.md names no requirement');

conclude(problems, `requirements: ${rows} held, by ${proofs} proofs`);
