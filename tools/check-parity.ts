/**
 * npm run parity: checks docs/data/spec-parity.json against the specification and the last test reports. Its rows
 * quote docs/product-spec.txt word for word and in order. The check fails on a word of the specification that no row
 * quotes, on a quote or a file that does not exist, and on a row without a passing test that has its id in the title.
 * --tier, --write and --from are those of check-requirements.ts. --names-only looks for the ids in the sources instead
 * of the reports, for a quick check before a full run.
 */
import { existsSync } from 'node:fs';
import { readParity, readText } from './docs-data.ts';
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
  root,
  writeLock,
} from './test-reports.ts';

const spec = readText('docs/product-spec.txt');
const problems: string[] = [];

const isNamesOnly = process.argv.includes('--names-only');

const lineAt = (at: number) => spec.slice(0, at).split('\n').length;
const sectionAt = (at: number) => /## (\d)\.(?!.*\n## \d\.)/su.exec(spec.slice(0, at))?.[1] ?? '0';

/** Headings and table headers make no statement, so no row has to quote them. */
const headings = [...spec.matchAll(/^#.*$|^\|.*\|\n\|[-|]+\|$/gmu)].map(({ 0: { length }, index }) => ({
  from: index,
  to: index + length,
}));

/** Only headings and punctuation may lie between two quotes. */
function expectNoUnquotedWords(from: number, to: number, id: string): void {
  const words = spec.slice(from, to).matchAll(/[\p{L}\p{N}]+/gu);
  const lines = new Set(
    [...words]
      .map(({ index }) => from + index)
      .filter((at) => !headings.some((heading) => heading.from <= at && at < heading.to))
      .map(lineAt),
  );
  for (const line of lines) {
    problems.push(
      `line ${line} of the spec is not fully quoted (before ${id}): ${spec.split('\n')[line - 1]}`,
    );
  }
}

const ids = new Set<string>();
let at = 0;
for (const { id, quotes, where } of readParity()) {
  if (ids.has(id)) problems.push(`${id}: duplicate id`);
  ids.add(id);
  if (quotes.length === 0) problems.push(`${id}: quotes nothing`);
  for (const quote of quotes) {
    const found = spec.indexOf(quote, at);
    if (found === -1) {
      problems.push(`${id}: not in the spec, or out of order: ${quote}`);
      continue;
    }
    expectNoUnquotedWords(at, found, id);
    if (!id.startsWith(`S${sectionAt(found)}.`)) problems.push(`${id}: quotes section ${sectionAt(found)}`);
    at = found + quote.length;
  }

  if (where.length === 0) problems.push(`${id}: names no file`);
  for (const file of where) if (!existsSync(root + file)) problems.push(`${id}: no such file: ${file}`);
}
expectNoUnquotedWords(at, spec.length, 'the end');

const isOurs = (id: string) => /^S\d/u.test(id);
const locked = entriesOf(readLock()).filter(([id]) => isOurs(id));
const results = isNamesOnly
  ? { passed: readNamedProofs(new Set(locked.map(([, , file]) => file))), notPassed: [] }
  : readResults();
const proofs = results.passed;
if (!isNamesOnly) writeLock(results, isOurs);
const lock = readLock();
problems.push(...findUnprovenIds(proofs, lock, [...ids]));
problems.push(...findUnknownIds(proofs, ids, isOurs));
problems.push(...(isNamesOnly ? findUnnamedProofs(lock, isOurs) : compareWithLock(proofs, lock, isOurs)));

conclude(problems, `parity: ${ids.size} rows, ${isNamesOnly ? 'all named' : 'all proven'}, none missing`);
