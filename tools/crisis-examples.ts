/** What the word model of the guard learns from, by writer. */
import { toSentences } from '../guard/src/fold.ts';
import { toParts } from '../guard/src/word-model.ts';
import { readLabelled, readWritten, type Labelled, type Written } from '../guard/test/sets.ts';
import { authorComments, sampleComments } from '../server/seed/sample-comments.ts';
import { sampleVents } from '../server/seed/sample-vents.ts';

export interface Example extends Labelled {
  readonly writer: string;
  readonly parts: readonly (readonly number[])[];
}

const ordinary = (text: string): Labelled => ({ language: '', label: '0', text, kind: 'ordinary' });
const deepTexts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(deepTexts);

/** Of the sets: their labels say who is meant, not how near it is (d). */
const labels: Readonly<Record<string, string>> = {
  own: 'd',
  selftalk: 'd',
  others: 'o',
  'abuse own-now': 'av',
  'abuse own-past': 'ap',
  'abuse child': 'ac',
  'abuse others': 'ao',
  harmless: '0',
  unidentifying: '0',
  identifying: '0',
  past: 'p',
  quoting: 'q',
  telling: 't',
};
const nearMisses = new Set(['harmless', 'past', 'quoting', 'selftalk']);

const fromSets = (rows: readonly Written[]): Labelled[] =>
  rows.flatMap(({ set, label, language, text }) => {
    const known = labels[set] ?? labels[`${set} ${label}`];
    return known === undefined
      ? []
      : [{ language, label: known, text, kind: nearMisses.has(set) ? label : 'ordinary' }];
  });
const setNames = [
  'own',
  'others',
  'abuse',
  'harmless',
  'past',
  'unidentifying',
  'identifying',
  'quoting',
  'selftalk',
  'telling',
];

const ofVents: Readonly<Record<string, string>> = { telling: 't', quoting: 'q', selftalk: 'd', curse: '0' };
/** Comments speak to their reader as such vents do. */
const comments = ['', '2', '3', '4'].flatMap((nth) => readLabelled(`tells-to-die-dev${nth}.tsv`));

const all: Readonly<Record<string, readonly Labelled[]>> = {
  dev: [...readLabelled('crisis-dev.tsv'), ...readLabelled('crisis-given.tsv')],
  dev2: readLabelled('crisis-dev2.tsv'),
  dev3: readLabelled('crisis-dev3.tsv'),
  dev4: readLabelled('crisis-dev4.tsv'),
  dev5: readLabelled('crisis-dev5.tsv'),
  dev6: readLabelled('crisis-dev6.tsv'),
  dev7: readLabelled('crisis-dev7.tsv'),
  first: fromSets(setNames.flatMap((name) => readWritten(`first/${name}`))),
  // The half of guard/test/sets that may be looked at.
  tune: fromSets(setNames.flatMap((name) => readWritten(name)).filter(({ half }) => half === 'tune')),
  vented: [
    ...readLabelled('people-dev.tsv').map(({ text }) => ordinary(text)),
    ...readLabelled('readers-dev.tsv').flatMap((row) => {
      const label = ofVents[row.label];
      return label === undefined ? [] : [{ ...row, label, kind: row.label }];
    }),
  ],
  comments: comments.map((row) => ({ ...row, label: row.label === '1' ? 't' : 'c', kind: 'comment' })),
  vents: Object.values(sampleVents)
    .flat()
    .map(([, title, text]) => ordinary(`${title}. ${text}`)),
  seed: deepTexts([sampleComments, authorComments]).map(ordinary),
};

export const examples: readonly Example[] = Object.entries(all).flatMap(([writer, rows]) =>
  rows
    .filter(({ label }) => label !== 'a')
    .map((row) => ({ ...row, writer, parts: toParts(toSentences(row.text)).map((part) => [...part]) })),
);
