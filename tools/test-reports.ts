/** What the last runs left in reports/: read by the checks that hold a page of docs/ against real tests. */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

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

function readReport(name: string): unknown {
  const path = `${root}reports/${name}`;
  if (!existsSync(path)) {
    console.error(`reports/${name} is missing: run the tests first (npm test, npm run e2e)`);
    process.exit(1);
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** "file › title" of every test that ran and passed: one that was renamed, deleted or skipped is not there. */
export function readPassed(): ReadonlySet<string> {
  const passed = new Set<string>();
  for (const name of ['server.json', 'proofs.json', 'web.json']) {
    for (const file of (readReport(name) as VitestReport).testResults) {
      for (const { title, status } of file.assertionResults) {
        if (status === 'passed') passed.add(`${relative(root, file.name)} › ${title}`);
      }
    }
  }
  const walk = (suite: PlaywrightSuite): void => {
    for (const spec of suite.specs ?? []) {
      const didRun = spec.tests.some(({ status }) => status === 'expected' || status === 'flaky');
      if (spec.ok && didRun) passed.add(`e2e/tests/${suite.file} › ${spec.title}`);
    }
    for (const inner of suite.suites ?? []) walk(inner);
  };
  for (const suite of (readReport('e2e.json') as { suites: PlaywrightSuite[] }).suites) walk(suite);
  return passed;
}

/** What stands in backticks, in order. */
export function readSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].map(([, span = '']) => span);
}

/** Tells what is wrong and fails, or says that all is well. */
export function conclude(problems: readonly string[], summary: string): void {
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  console.log(summary);
}
