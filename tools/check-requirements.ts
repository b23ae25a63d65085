/**
 * Holds docs/requirements.md against what was really run: every proof it names must be a test that
 * exists in the last reports and passed there. A test that was renamed, deleted or skipped fails this.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}
interface PlaywrightSuite {
  readonly file: string;
  readonly specs?: readonly {
    readonly title: string;
    readonly ok: boolean;
    readonly tests: readonly { readonly status: string }[];
  }[];
  readonly suites?: readonly PlaywrightSuite[];
}

/** "file › title" of every test that ran and passed. */
const passed = new Set<string>();

function readReport(name: string): unknown {
  const path = `${root}reports/${name}`;
  if (!existsSync(path)) {
    console.error(`reports/${name} is missing: run the tests first (npm test, npm run e2e)`);
    process.exit(1);
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

for (const name of ['server.json', 'proofs.json', 'web.json']) {
  for (const file of (readReport(name) as VitestReport).testResults) {
    for (const { title, status } of file.assertionResults) {
      if (status === 'passed') passed.add(`${relative(root, file.name)} › ${title}`);
    }
  }
}

function walk(suite: PlaywrightSuite): void {
  for (const spec of suite.specs ?? []) {
    const didRun = spec.tests.some(({ status }) => status === 'expected' || status === 'flaky');
    if (spec.ok && didRun) passed.add(`e2e/tests/${suite.file} › ${spec.title}`);
  }
  for (const inner of suite.suites ?? []) walk(inner);
}
for (const suite of (readReport('e2e.json') as { suites: PlaywrightSuite[] }).suites) walk(suite);

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
  const named = [...line.matchAll(/`([^`]+)`/gu)].map(([, text = '']) => text);
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

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`requirements: ${rows} held, by ${proofs} proofs`);
