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
