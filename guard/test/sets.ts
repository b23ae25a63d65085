import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';

/** Labelled texts beside this file. A line that begins with # is a comment. */
export interface Labelled {
  readonly language: string;
  readonly label: string;
  readonly text: string;
  readonly kind: string;
}

const folder = new URL('./', import.meta.url);

export const filesNamed = (prefix: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.startsWith(prefix) && file.endsWith('.tsv'))
    .toSorted();

const rowsOf = (file: string): string[][] =>
  readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));

/** Columns: language, label, text and perhaps kind; or label and text. */
export const readLabelled = (file: string): Labelled[] =>
  rowsOf(file).map(([first = '', second = '', third, kind = '']) =>
    third === undefined
      ? { language: '', label: first, text: second, kind }
      : { language: first, label: second, text: third, kind },
  );

/** Columns: language and text; or text. */
export const readTexts = (file: string): string[] => rowsOf(file).map((row) => row[1] ?? row[0] ?? '');

export type Half = 'tune' | 'report';

/** A text of guard/test/sets: what it was written as, and in which half it is. */
export interface Written {
  readonly set: string;
  readonly label: string;
  readonly language: string;
  readonly text: string;
  readonly half: Half;
}

/**
 * One file of guard/test/sets. Half of each label is looked at while the guard is changed (tune), and half is only
 * counted (report). The hash of its text puts a line into one of them.
 */
export function readWritten(name: string): Written[] {
  const rows = rowsOf(`sets/${name}.tsv`)
    .slice(1)
    .map(([set = '', label = '', language = '', text = '']) => ({ set, label, language, text }));
  const hashOf = ({ text }: { readonly text: string }) => createHash('sha256').update(text).digest('hex');
  return [...Map.groupBy(rows, ({ label }) => label).values()].flatMap((some) =>
    some
      .toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1))
      .map((row, at): Written => ({ ...row, half: at % 2 === 0 ? 'tune' : 'report' })),
  );
}
