/** The data files of docs/data, from which `npm run docs` makes pages and which the checks compare with the tests. */
import { readFileSync } from 'node:fs';
import { root } from './test-reports.ts';

interface Requirement {
  readonly id: string;
  readonly text: string;
  /** npm scripts that prove it, beside the tests with its id. */
  readonly scripts?: readonly string[];
  readonly note?: string;
  /** A risk that is stated in known-exceptions.json instead of prevented. */
  readonly accepted?: true;
}
interface ParityRow {
  readonly id: string;
  /** Words of docs/product-spec.txt, in its order. */
  readonly quotes: readonly string[];
  readonly reading?: string;
  readonly where: readonly string[];
}
interface KnownException {
  readonly id?: string;
  readonly what: string;
  readonly why: string;
}
interface StoredData {
  readonly what: string;
  readonly where: string;
  readonly tables?: readonly string[];
  readonly howLong: string;
}

export const readText = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const readData = (name: string): unknown => JSON.parse(readText(`docs/data/${name}.json`));

export const readRequirements = () =>
  readData('requirements') as Record<'requirements' | 'sideChannels', readonly Requirement[]>;
export const readParity = () => readData('spec-parity') as readonly ParityRow[];
export const readExceptions = () => readData('known-exceptions') as readonly KnownException[];
/** By table and column: its kind, and why it is so. */
export const readColumns = () => readData('columns') as Record<string, Record<string, string>>;
export const readStoredData = () => readData('stored-data') as readonly StoredData[];
