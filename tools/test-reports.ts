/** Reads the test reports in reports/, for the checks that compare a page of docs/ with the tests that ran. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

const idGroup = /\(((?:R|SC-|S)\d[^()]*)\)/gu;
const idRange = /^(S\d+\.)(\d+) to S\d+\.(\d+)$/u;
const singleId = /^(?:R\d+|SC-\d+|S\d+\.\d+)$/u;

/** The requirement and parity ids of a test title: "… (R25, SC-3, S7.2 to S7.20)". */
function readIds(title: string): string[] {
  return [...title.matchAll(idGroup)].flatMap(([, group = '']) =>
    group.split(', ').flatMap((part) => {
      const [, section = '', first, last] = idRange.exec(part) ?? [];
      if (!first) return singleId.test(part) ? [part] : [];
      return Array.from(
        { length: Number(last) - Number(first) + 1 },
        (_, at) => `${section}${Number(first) + at}`,
      );
    }),
  );
}

/** By id and test file, how many tests prove the id there. */
export type Proofs = ReadonlyMap<string, ReadonlyMap<string, number>>;

function collectProofs(titles: Iterable<readonly [file: string, title: string]>): Proofs {
  const proofs = new Map<string, Map<string, number>>();
  for (const [file, title] of titles) {
    for (const id of readIds(title)) {
      const files = proofs.get(id) ?? new Map<string, number>();
      proofs.set(id, files.set(file, (files.get(file) ?? 0) + 1));
    }
  }
  return proofs;
}

/** The tests of the last reports with an id in their own title: those that passed, and the names of all others. */
export function readProofs(): { readonly passed: Proofs; readonly notPassed: readonly string[] } {
  const passed: [file: string, title: string][] = [];
  const notPassed: string[] = [];
  const add = (file: string, title: string, isPassed: boolean) => {
    if (isPassed) passed.push([file, title]);
    else if (readIds(title).length > 0) notPassed.push(`${file} › ${title}`);
  };
  for (const name of ['server.json', 'proofs.json', 'web.json']) {
    for (const file of (readReport(name) as VitestReport).testResults)
      for (const { title, status } of file.assertionResults)
        add(relative(root, file.name), title, status === 'passed');
  }
  const walk = (suite: PlaywrightSuite): void => {
    for (const spec of suite.specs ?? []) {
      const didRun = spec.tests.some(({ status }) => status === 'expected' || status === 'flaky');
      add(`e2e/tests/${suite.file}`, spec.title, spec.ok && didRun);
    }
    for (const inner of suite.suites ?? []) walk(inner);
  };
  for (const suite of (readReport('e2e.json') as { suites: PlaywrightSuite[] }).suites) walk(suite);
  return { passed: collectProofs(passed), notPassed };
}

const lockFile = `${root}docs/proofs.json`;
const readLock = () =>
  existsSync(lockFile) ? (JSON.parse(readFileSync(lockFile, 'utf8')) as Record<string, number>) : {};

/**
 * docs/proofs.json locks how many tests prove each id in each file, so that deleting one fails the check. With --write
 * the counts of this run replace those of the ids that `isOurs` accepts.
 */
export function compareWithLock(proofs: Proofs, isOurs: (id: string) => boolean): string[] {
  const counts: [key: string, count: number][] = [...proofs]
    .filter(([id]) => isOurs(id))
    .flatMap(([id, files]) => [...files].map(([file, count]): [string, number] => [`${id} ${file}`, count]));
  const locked = Object.entries(readLock());
  const isOurEntry = ([key]: readonly [string, number]) => isOurs(key.split(' ')[0] ?? '');
  if (process.argv.includes('--write')) {
    const all = [...locked.filter((entry) => !isOurEntry(entry)), ...counts];
    const sorted = Object.fromEntries(
      all.toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
    );
    writeFileSync(lockFile, `${JSON.stringify(sorted, null, 2)}\n`);
    return [];
  }
  const now = new Map(counts);
  return locked
    .filter(isOurEntry)
    .filter(([key, count]) => (now.get(key) ?? 0) < count)
    .map(([key, count]) => `${key}: ${now.get(key) ?? 0} passing tests, ${count} in docs/proofs.json`);
}

/** The proofs named in the sources of `files`, whether or not they ran. */
export function readNamedProofs(files: Iterable<string>): Proofs {
  return collectProofs(
    [...files]
      .filter((file) => existsSync(root + file))
      .map((file) => [file, readFileSync(root + file, 'utf8')]),
  );
}

/** Problems with the proofs of one row: each file it names must contain a passing test with its id. */
export function findMissingProofs(proofs: Proofs, id: string, files: readonly string[]): string[] {
  return files
    .filter((file) => !proofs.get(id)?.has(file))
    .map((file) => `${id}: no passing test with (${id}) in its title in ${file}`);
}

/** Ids in test titles that no row of the table declares, among those that `isOurs` accepts. */
export function findUnknownIds(
  proofs: Proofs,
  rows: ReadonlySet<string>,
  isOurs: (id: string) => boolean,
): string[] {
  return [...proofs]
    .filter(([id]) => isOurs(id) && !rows.has(id))
    .map(([id, files]) => `${id}: in a test title of ${[...files.keys()].join(', ')}, but in no row`);
}

/** The code spans of a Markdown text, in order. */
export function readSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].map(([, span = '']) => span);
}

/** Prints the problems and exits with code 1, or prints the summary. */
export function conclude(problems: readonly string[], summary: string): void {
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  console.log(summary);
}
