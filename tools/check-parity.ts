/**
 * Holds docs/spec-parity.md against the specification and against what was really run. Its rows quote
 * docs/product-spec.txt word for word and in order: a word that no row quotes, a quote that is not there,
 * a file that is gone and a test that did not run and pass each fail this.
 * With --names-only the tests are looked for in their sources: for a quick look before a whole run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { conclude, readPassed, readSpans, root } from './test-reports.ts';

const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const spec = read('docs/product-spec.txt');
const problems: string[] = [];

const areNamesEnough = process.argv.includes('--names-only');
const passed = areNamesEnough ? undefined : readPassed();

function isProven(test: string): boolean {
  if (passed) return passed.has(test);
  const [file = '', title = ''] = test.split(' › ');
  return existsSync(root + file) && read(file).replaceAll("\\'", "'").includes(title);
}

const lineAt = (at: number) => spec.slice(0, at).split('\n').length;
const sectionAt = (at: number) => /## (\d)\.(?!.*\n## \d\.)/su.exec(spec.slice(0, at))?.[1] ?? '0';

/** Headings, and the heads of tables, name what follows and state nothing. */
const headings = [...spec.matchAll(/^#.*$|^\|.*\|\n\|[-|]+\|$/gmu)].map(({ 0: { length }, index }) => ({
  from: index,
  to: index + length,
}));

/** Between two quotes only headings and punctuation may stand. */
function expectNothingLeftOut(from: number, to: number, id: string): void {
  const words = spec.slice(from, to).matchAll(/[\p{L}\p{N}]+/gu);
  const lines = new Set(
    [...words]
      .map(({ index }) => from + index)
      .filter((at) => !headings.some((heading) => heading.from <= at && at < heading.to))
      .map(lineAt),
  );
  for (const line of lines) {
    problems.push(
      `line ${line} of the spec is not wholly quoted (before ${id}): ${spec.split('\n')[line - 1]}`,
    );
  }
}

const ids = new Set<string>();
const proofs = new Set<string>();
let at = 0;
for (const line of read('docs/spec-parity.md').split('\n')) {
  const [, id] = /^\| (S\d\.\d+) /u.exec(line) ?? [];
  if (!id) continue;
  if (ids.has(id)) problems.push(`${id}: there are two of it`);
  ids.add(id);
  // A bar inside a quote is escaped.
  const [, , statement = '', , where = '', proof = ''] = line.split(/(?<!\\)\|/u);

  const quotes = readSpans(statement).map((quote) => quote.replaceAll('\\|', '|'));
  if (quotes.length === 0) problems.push(`${id}: nothing is quoted`);
  for (const quote of quotes) {
    const found = spec.indexOf(quote, at);
    if (found === -1) {
      problems.push(`${id}: not in the spec, or not in this place: ${quote}`);
      continue;
    }
    expectNothingLeftOut(at, found, id);
    if (!id.startsWith(`S${sectionAt(found)}.`))
      problems.push(`${id}: stands in section ${sectionAt(found)}`);
    at = found + quote.length;
  }

  const files = readSpans(where);
  if (files.length === 0) problems.push(`${id}: no file is named`);
  for (const file of files) if (!existsSync(root + file)) problems.push(`${id}: no such file: ${file}`);

  const tests = readSpans(proof);
  if (tests.length === 0) problems.push(`${id}: no test is named`);
  for (const test of tests) {
    proofs.add(test);
    if (!isProven(test)) problems.push(`${id}: ${passed ? 'did not run and pass' : 'no such test'}: ${test}`);
  }
}
expectNothingLeftOut(at, spec.length, 'the end');

conclude(
  problems,
  `parity: ${ids.size} rows, ${passed ? 'all proven' : 'all named'}, by ${proofs.size} tests, none missing`,
);
