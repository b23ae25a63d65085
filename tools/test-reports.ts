/** Reads the test reports in reports/<tier>/, for the checks that compare a page of docs/ with the tests that ran. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** `change` runs for every commit; `full` runs every night, with the tests that are tagged `full` as well. */
const tiers = ['change', 'full'] as const;
export type Tier = (typeof tiers)[number];

/** By id, tier of the test and test file, how many tests prove the id there. */
type Proofs = Record<string, Partial<Record<Tier, Record<string, number>>>>;

/** The tests with an id in their title: those that passed, and the names of all others. */
export interface Results {
  readonly passed: Proofs;
  readonly notPassed: readonly string[];
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly tags: readonly string[];
    }[];
  }[];
}
interface PlaywrightSuite {
  readonly file: string;
  readonly specs?: readonly {
    readonly title: string;
    readonly ok: boolean;
    readonly tags: readonly string[];
    readonly tests: readonly { readonly status: string }[];
  }[];
  readonly suites?: readonly PlaywrightSuite[];
}

const { values: options } = parseArgs({
  strict: false,
  options: {
    tier: { type: 'string', default: process.env['TEST_TIER'] ?? 'change' },
    from: { type: 'string', multiple: true },
    write: { type: 'boolean' },
  },
});
export const tier =
  tiers.find((one) => one === options.tier) ?? fail(`no such tier: ${String(options.tier)}`);

function fail(problem: string): never {
  console.error(problem);
  process.exit(1);
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

function add(proofs: Proofs, id: string, of: Tier, file: string, count: number): void {
  const files = ((proofs[id] ??= {})[of] ??= {});
  files[file] = (files[file] ?? 0) + count;
}

/** The tests of the reports of this machine. */
function readReports(): Results {
  const paths = globSync(`${root}reports/${tier}/*.json`);
  if (paths.length === 0)
    fail(`reports/${tier} is empty: run the tests first (npm test and npm run e2e, or npm run test:full)`);
  const passed: Proofs = {};
  const notPassed: string[] = [];
  const addTest = (file: string, title: string, tags: readonly string[], isPassed: boolean) => {
    const of: Tier = tags.includes('full') ? 'full' : 'change';
    if (of === 'full' && tier === 'change') return;
    const ids = readIds(title);
    if (isPassed) for (const id of ids) add(passed, id, of, file, 1);
    else if (ids.length > 0) notPassed.push(`${file} › ${title}`);
  };
  const walk = (suite: PlaywrightSuite): void => {
    for (const spec of suite.specs ?? []) {
      const didRun = spec.tests.some(({ status }) => status === 'expected' || status === 'flaky');
      addTest(`e2e/tests/${suite.file}`, spec.title, spec.tags, spec.ok && didRun);
    }
    for (const inner of suite.suites ?? []) walk(inner);
  };
  for (const path of paths) {
    const report = JSON.parse(readFileSync(path, 'utf8')) as Partial<VitestReport> & {
      suites?: PlaywrightSuite[];
    };
    for (const file of report.testResults ?? [])
      for (const { title, status, tags } of file.assertionResults)
        addTest(relative(root, file.name), title, tags, status === 'passed');
    for (const suite of report.suites ?? []) walk(suite);
  }
  return { passed, notPassed };
}

/** Of the jobs that handed on their results (--from, once for each), or else of the reports of this machine. */
export function readResults(): Results {
  const from = options.from?.filter((text) => typeof text === 'string');
  if (!from) return readReports();
  const passed: Proofs = {};
  const jobs = from.map((text) => JSON.parse(text) as Results);
  for (const job of jobs)
    for (const [id, of, file, count] of entriesOf(job.passed)) add(passed, id, of, file, count);
  return { passed, notPassed: jobs.flatMap(({ notPassed }) => notPassed) };
}

export type Entry = readonly [id: string, of: Tier, file: string, count: number];
export const entriesOf = (proofs: Proofs): Entry[] =>
  Object.entries(proofs).flatMap(([id, byTier]) =>
    tiers.flatMap((of) =>
      Object.entries(byTier[of] ?? {}).map(([file, count]): Entry => [id, of, file, count]),
    ),
  );

const lockFile = `${root}docs/proofs.json`;
export const readLock = (): Proofs =>
  existsSync(lockFile) ? (JSON.parse(readFileSync(lockFile, 'utf8')) as Proofs) : {};

/** With --write, the results of this run replace what docs/proofs.json says of this tier and of these ids. */
export function writeLock({ passed, notPassed }: Results, isOurs: (id: string) => boolean): void {
  if (!options.write) return;
  if (notPassed.length > 0) fail(`a lock of a failed run would hide it: ${notPassed.join(', ')}`);
  const isKept = ([id, of]: Entry) => !isOurs(id) || (of === 'full' && tier === 'change');
  const entries = [
    ...entriesOf(readLock()).filter(isKept),
    ...entriesOf(passed).filter((entry) => !isKept(entry)),
  ];
  const order = (entry: Entry) => `${entry[0]} ${entry[2]}`;
  const next: Proofs = {};
  for (const [id, of, file, count] of entries.toSorted((a, b) =>
    order(a).localeCompare(order(b), 'en', { numeric: true }),
  ))
    add(next, id, of, file, count);
  writeFileSync(lockFile, `${JSON.stringify(next, null, 2)}\n`);
}

/**
 * Proofs of this tier that docs/proofs.json has and that did not pass: deleting a test fails here. And proofs that it
 * does not have: nobody would notice later that they are gone.
 */
export function compareWithLock(passed: Proofs, lock: Proofs, isOurs: (id: string) => boolean): string[] {
  const isOfTier = ([id, of]: Entry) => isOurs(id) && (of === 'change' || tier === 'full');
  const keys = new Map(
    [...entriesOf(lock), ...entriesOf(passed)]
      .filter(isOfTier)
      .map((entry) => [entry.slice(0, 3).join(' '), entry]),
  );
  return [...keys.values()]
    .map(([id, of, file]) => ({
      key: `${id} ${file}`,
      of,
      locked: lock[id]?.[of]?.[file] ?? 0,
      now: passed[id]?.[of]?.[file] ?? 0,
    }))
    .filter(({ locked, now }) => now !== locked)
    .map(
      ({ key, of, locked, now }) =>
        `${key}: ${now} passing tests in tier ${of}, ${locked} in docs/proofs.json` +
        (now > locked ? ' (add them with --write)' : ''),
    );
}

/** Proofs in docs/proofs.json, of either tier, whose file no longer names the id. */
export function findUnnamedProofs(lock: Proofs, isOurs: (id: string) => boolean): string[] {
  const entries = entriesOf(lock).filter(([id]) => isOurs(id));
  const named = readNamedProofs(new Set(entries.map(([, , file]) => file)));
  return entries
    .filter(([id, , file]) => !named[id]?.change?.[file])
    .map(([id, of, file]) => `${id}: no (${id}) in ${file}, which proves it in tier ${of}`);
}

/** The ids in the titles of `files`, whether or not the tests ran. */
export function readNamedProofs(files: Iterable<string>): Proofs {
  const named: Proofs = {};
  for (const file of files)
    if (existsSync(root + file))
      for (const id of readIds(readFileSync(root + file, 'utf8'))) add(named, id, 'change', file, 1);
  return named;
}

/**
 * The ids without a passing test. A run of the tier `change` takes the word of docs/proofs.json for tests of the tier
 * `full`.
 */
export function findUnprovenIds(passed: Proofs, lock: Proofs, ids: readonly string[]): string[] {
  return ids
    .filter((id) => {
      const atNight = tier === 'change' ? lock[id]?.full : passed[id]?.full;
      return Object.keys({ ...passed[id]?.change, ...atNight }).length === 0;
    })
    .map((id) => `${id}: no passing test with (${id}) in its title`);
}

/** Ids in test titles that no row declares, among those that `isOurs` accepts. */
export function findUnknownIds(
  passed: Proofs,
  rows: ReadonlySet<string>,
  isOurs: (id: string) => boolean,
): string[] {
  return entriesOf(passed)
    .filter(([id]) => isOurs(id) && !rows.has(id))
    .map(([id, , file]) => `${id}: in a test title of ${file}, but in no row`);
}

/** Prints the problems and exits with code 1, or prints the summary. */
export function conclude(problems: readonly string[], summary: string): void {
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  console.log(summary);
}
