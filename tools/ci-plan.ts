/**
 * npm run ci:plan: which parts of .ci/run a change needs. --base <ref> takes the files that changed since the ref,
 * --files those that follow; an empty or unknown base means all parts. Prints `parts=[…]` for $GITHUB_OUTPUT, or with
 * --explain the reason for each file. A path that no rule knows needs everything.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { filesInGit } from './files.ts';
import { root } from './test-reports.ts';

export const partsByTier = {
  change: ['checks', 'server', 'proofs', 'journeys', 'shipped', 'requirements'],
  full: [
    'checks',
    'server',
    'proofs',
    'journeys',
    'shipped',
    'drills',
    'image',
    'lighthouse',
    'faults',
    'scripts',
    'supply',
    'requirements',
  ],
} as const;
type Part = (typeof partsByTier.change)[number];
const all: readonly Part[] = partsByTier.change;
/** The parts that write test reports. Requirements are checked where all of them ran. */
const testParts: readonly Part[] = ['checks', 'server', 'proofs', 'journeys'];

/** The first rule that matches a path decides, in this order. `checks` always runs. */
const rules: readonly (readonly [pattern: RegExp, parts: readonly Part[]])[] = [
  // Counts of passing tests, which only the tests themselves can confirm.
  [/^docs\/proofs\.json$/u, all],
  [/(?:^|\/)package(?:-lock)?\.json$/u, all],
  // A test that was moved or deleted is noticed where all results are compared with docs/proofs.json.
  [/\.(?:test|spec)\.tsx?$/u, all],
  [/^docs\/|^[^/]+\.md$/u, []],
  [/^web\//u, ['journeys']],
  [/^e2e\//u, ['journeys']],
  [/^server\//u, [...testParts, 'shipped']],
  [/^deploy\//u, ['shipped']],
  [/^bench\//u, []],
];

/** The parts that run a source file, for files outside its folder that it reads. */
function partsOf(source: string): readonly Part[] {
  if (source.startsWith('e2e/')) return ['journeys'];
  // Scripts run in checks.
  if (source.startsWith('server/scripts/')) return [];
  if (source.endsWith('.proof.test.ts')) return ['proofs'];
  if (source.endsWith('.test.ts')) return ['server'];
  return ['server', 'proofs', 'journeys'];
}

type Sources = ReadonlyMap<string, string>;

/** The code of every package; comments name many files that the code does not read. */
function readSources(): Sources {
  const files = filesInGit('server/*.ts', 'contract/*.ts', 'guard/*.ts', 'testkit/*.ts', 'e2e/*.ts');
  return new Map(
    files.map((file) => {
      const lines = readFileSync(`${root}${file}`, 'utf8').split('\n');
      return [file, lines.filter((line) => !/^\s*(?:\/\/|\/?\*)/u.test(line)).join('\n')];
    }),
  );
}

/** Whether code names the file: by its path, by its bare name, or by a folder above it that it may list. */
function names(code: string, file: string): boolean {
  if (code.includes(file) || code.includes(`'${basename(file)}'`)) return true;
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder))
    if (["'", '`', '$', '*', '{'].some((end) => code.includes(`${folder}/${end}`))) return true;
  return false;
}

export interface Reason {
  readonly file: string;
  readonly parts: readonly Part[];
  readonly because: string;
}

function explain(file: string, sources: Sources): Reason {
  const rule = rules.find(([pattern]) => pattern.test(file));
  if (!rule) return { file, parts: all, because: 'no rule knows this path' };
  const [pattern, parts] = rule;
  const home = file.split('/')[0];
  const readers = [...sources].filter(([source, code]) => source.split('/')[0] !== home && names(code, file));
  return {
    file,
    parts: [...new Set([...parts, ...readers.flatMap(([source]) => partsOf(source))])],
    because: [pattern.source, ...readers.map(([source]) => `read by ${source}`)].join(', '),
  };
}

/** The parts for the changed files, in the order of .ci/run. No files means that nothing is known: all parts. */
export function planFor(
  files: readonly string[],
  sources = readSources(),
): { readonly parts: readonly Part[]; readonly reasons: readonly Reason[] } {
  const reasons = files.map((file) => explain(file, sources));
  const needed = new Set<Part>(
    files.length === 0 ? all : ['checks', ...reasons.flatMap(({ parts }) => parts)],
  );
  if (testParts.every((part) => needed.has(part))) needed.add('requirements');
  return { parts: all.filter((part) => needed.has(part)), reasons };
}

/** Renames count as both paths. */
function changedSince(base: string): string[] {
  if (base === '') return [];
  try {
    const args = ['diff', '--name-only', '--no-renames', '-z', base, 'HEAD'];
    return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  } catch {
    console.error(`ci-plan: git knows no ${base}, so all parts run`);
    return [];
  }
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { base: { type: 'string' }, files: { type: 'boolean' }, explain: { type: 'boolean' } },
  });
  const { parts, reasons } = planFor(values.files ? positionals : changedSince(values.base ?? ''));
  if (values.explain) {
    for (const { file, parts: needs, because } of reasons)
      console.log(
        `${file}: ${['checks', ...needs.filter((part) => part !== 'checks')].join(' ')} (${because})`,
      );
    console.log(`runs: ${parts.join(' ')}`);
  } else console.log(`parts=${JSON.stringify(parts)}`);
}
