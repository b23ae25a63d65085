/** Prints the test reports of reports/<tier>/ as Markdown: counts, failures with their messages, the slowest tests. */
import { globSync, readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { root } from './test-reports.ts';

const tier = process.env['TEST_TIER'] ?? 'change';

interface Test {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly ms: number;
  readonly message: string;
}
interface Vitest {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number | null;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}
interface Suite {
  readonly specs?: readonly {
    readonly title: string;
    readonly file: string;
    readonly tests: readonly {
      readonly status: string;
      readonly results: readonly {
        readonly duration: number;
        readonly error?: { readonly message?: string };
      }[];
    }[];
  }[];
  readonly suites?: readonly Suite[];
}

function* readTests(report: Partial<Vitest> & Suite): Generator<Test> {
  for (const { name, message = '', assertionResults } of report.testResults ?? []) {
    const file = relative(root, name);
    // A file that could not be loaded has a message and no tests.
    if (message && assertionResults.length === 0) yield { name: file, status: 'failed', ms: 0, message };
    for (const { fullName, status, duration, failureMessages } of assertionResults)
      yield {
        name: `${file} › ${fullName}`,
        status: status === 'passed' || status === 'failed' ? status : 'skipped',
        ms: duration ?? 0,
        message: failureMessages?.[0] ?? '',
      };
  }
  for (const { title, file, tests } of report.specs ?? [])
    for (const { status, results } of tests)
      yield {
        name: `${file} › ${title}`,
        status: status === 'unexpected' ? 'failed' : status === 'skipped' ? 'skipped' : 'passed',
        ms: results.reduce((sum, { duration }) => sum + duration, 0),
        message: results.find(({ error }) => error)?.error?.message ?? '',
      };
  for (const suite of report.suites ?? []) yield* readTests(suite);
}

const escapes = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;]*m`, 'gu');
const firstLines = (text: string) =>
  text
    .replaceAll(escapes, '')
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .slice(0, 12)
    .join('\n');

for (const path of globSync(`${root}reports/${tier}/*.json`).toSorted()) {
  const tests = [...readTests(JSON.parse(readFileSync(path, 'utf8')) as Partial<Vitest> & Suite)];
  const count = (status: Test['status']) => tests.filter((test) => test.status === status).length;
  console.log(`### ${basename(path, '.json')}, tier ${tier}\n`);
  console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped\n`);
  // A summary may be no longer than 1 MB.
  for (const { name, message } of tests.filter(({ status }) => status === 'failed').slice(0, 50))
    console.log(`**${name}**\n\n\`\`\`\n${firstLines(message)}\n\`\`\`\n`);
  console.log('| slowest | s |\n| --- | --- |');
  for (const { name, ms } of tests.toSorted((a, b) => b.ms - a.ms).slice(0, 10))
    console.log(`| ${name.replaceAll('|', '\\|')} | ${(ms / 1000).toFixed(1)} |`);
  console.log();
}
