/**
 * npm run train:crisis: trains the word model of the crisis reading on the development sets and writes
 * guard/src/crisis-weights.ts. The same sets give the same file.
 *
 * With --validate it writes nothing: it trains without one writer's set, reads that set, and so on for each, and prints
 * what the reading reaches on sentences that it was not trained on.
 */
import { writeFileSync } from 'node:fs';
import { combine, readPhrases } from '../guard/src/crisis.ts';
import { toSentences } from '../guard/src/fold.ts';
import {
  createScorer,
  packHashes,
  toParts,
  weightDigits,
  type PackedModel,
} from '../guard/src/word-model.ts';
import { readLabelled, type Labelled } from '../guard/test/sets.ts';
import { authorComments, sampleComments } from '../server/seed/sample-comments.ts';
import { sampleVents } from '../server/seed/sample-vents.ts';

/** How many words and pairs are kept, those that matter most; and how fine their weights are. */
const kept = 2000;
const stepsPerUnit = 3;
const rounds = 40;
const averaged = 8;
/** Of the four scores, when words are chosen. */
const importance = [1, 1, 1, 0.5];
const decay = 0.1;
const rate = 0.2;

interface Example extends Labelled {
  readonly parts: readonly (readonly number[])[];
}

const exampleOf = (row: Labelled): Example => ({
  ...row,
  parts: toParts(toSentences(row.text)).map((part) => [...part]),
});
const ordinary = (text: string): Labelled => ({ language: '', label: '0', text, kind: 'ordinary' });
const deepTexts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(deepTexts);

/** By writer. The seed's vents and comments are ordinary texts. */
const writers: Readonly<Record<string, readonly Example[]>> = Object.fromEntries(
  Object.entries({
    dev: [...readLabelled('crisis-dev.tsv'), ...readLabelled('crisis-given.tsv')],
    dev2: readLabelled('crisis-dev2.tsv'),
    dev3: readLabelled('crisis-dev3.tsv'),
    dev4: readLabelled('crisis-dev4.tsv'),
    vents: Object.values(sampleVents)
      .flat()
      .map(([, title, text]) => ordinary(`${title}. ${text}`)),
    comments: deepTexts([sampleComments, authorComments]).map(ordinary),
  }).map(([name, rows]) => [name, rows.filter(({ label }) => label !== 'a').map(exampleOf)]),
);

/** A part of a text at level 0 is at level 0 itself; of another text only the whole is known to be at its level. */
const inputsOf = ({ label, parts }: Example): (readonly number[])[] =>
  label === '0' ? [...parts] : [[...new Set(parts.flat())]];

/** Logistic regression, by stochastic gradient descent (AdaGrad) in a fixed random order. The last rounds are averaged. */
function fit(
  inputs: readonly (readonly number[])[],
  isMeant: readonly boolean[],
  count: number,
): Float64Array {
  const weights = new Float64Array(count + 1);
  const squares = new Float64Array(count + 1).fill(1e-6);
  const sum = new Float64Array(count + 1);
  const order = inputs.map((_, at) => at);
  let state = 12_345;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
  for (let round = 0; round < rounds; round += 1) {
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = random(at + 1);
      [order[at], order[other]] = [order[other] as number, order[at] as number];
    }
    for (const at of order) {
      const features = inputs[at] as readonly number[];
      let score = weights[count] as number;
      for (const feature of features) score += weights[feature] as number;
      const error = 1 / (1 + Math.exp(-score)) - (isMeant[at] ? 1 : 0);
      for (const feature of [...features, count]) {
        const weight = weights[feature] as number;
        squares[feature] = (squares[feature] as number) + error * error;
        const slope = error + (feature === count ? 0 : decay * weight);
        weights[feature] = weight - (rate * slope) / Math.sqrt(squares[feature]);
      }
    }
    if (round >= rounds - averaged)
      for (const [at, weight] of weights.entries()) sum[at] = (sum[at] as number) + weight / averaged;
  }
  return sum;
}

/** One score each for: level 1 or more, 2 or more, 3; and about somebody else, which says nothing of the levels. */
function train(examples: readonly Example[]): PackedModel {
  const rows = examples.flatMap((example) =>
    inputsOf(example).map((hashes) => ({ label: example.label, hashes })),
  );
  const counts = new Map<number, number>();
  for (const { hashes } of rows) for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const fitAll = (vocabulary: readonly number[]) => {
    const place = new Map(vocabulary.map((hash, at) => [hash, at]));
    const placed = rows.map(({ label, hashes }) => ({
      label,
      inputs: hashes.map((hash) => place.get(hash)).filter((at) => at !== undefined),
    }));
    return ['1', '2', '3', 'o'].map((wanted) => {
      const some = wanted === 'o' ? placed : placed.filter(({ label }) => label !== 'o');
      return fit(
        some.map(({ inputs }) => inputs),
        some.map(({ label }) => label >= wanted),
        vocabulary.length,
      );
    });
  };
  const all = [...counts].filter(([, count]) => count > 1).map(([hash]) => hash);
  const first = fitAll(all);
  const matters = new Map(
    all.map((hash, at) => [
      hash,
      first.reduce(
        (total, weights, score) => total + (importance[score] as number) * Math.abs(weights[at] as number),
        0,
      ) * Math.sqrt(Math.min(100, counts.get(hash) as number)),
    ]),
  );
  const vocabulary = all
    .toSorted((a, b) => (matters.get(b) as number) - (matters.get(a) as number))
    .slice(0, kept)
    .toSorted((a, b) => a - b);
  const most = (weightDigits.length - 1) / 2;
  const digitOf = (weight: number) =>
    weightDigits[most + Math.max(-most, Math.min(most, Math.round(weight * stepsPerUnit)))] as string;
  const last = fitAll(vocabulary);
  return {
    hashes: packHashes(vocabulary),
    weights: last.map((weights) => [...weights.subarray(0, -1)].map(digitOf).join('')),
    starts: last.map((weights) => Math.round((weights.at(-1) as number) * stepsPerUnit)),
  };
}

const path = new URL('../guard/src/crisis-weights.ts', import.meta.url);

function write(): void {
  const { hashes, weights, starts } = train(Object.values(writers).flat());
  writeFileSync(
    path,
    `import type { PackedModel } from './word-model.ts';

/** Written by \`npm run train:crisis\`. */
export const crisisWeights: PackedModel = {
  hashes:
    '${hashes}',
  weights: [
${weights.map((digits) => `    '${digits}',`).join('\n')}
  ],
  starts: [${starts.join(', ')}],
};
`,
  );
}

/** Each writer's set is read by a model that has not seen it; the seed's vents in four groups. */
function validate(): void {
  const folds: ((writer: string, at: number) => boolean)[] = [
    ...['dev', 'dev2', 'dev3', 'dev4'].map((name) => (writer: string) => writer === name),
    ...[0, 1, 2, 3].map((group) => (writer: string, at: number) => writer === 'vents' && at % 4 === group),
  ];
  const all = Object.entries(writers).flatMap(([writer, examples]) =>
    examples.map((example, at) => ({ ...example, writer, at })),
  );
  const read = folds.flatMap((isLeftOut) => {
    const score = createScorer(train(all.filter(({ writer, at }) => !isLeftOut(writer, at))));
    return all
      .filter(({ writer, at }) => isLeftOut(writer, at))
      .map((example) => {
        const phrasesSay = readPhrases(toSentences(example.text));
        const scores = example.parts.map((part) => score(new Set(part)));
        return { ...example, phrasesSay, scores, reading: combine(phrasesSay, scores) };
      });
  });
  const share = (rows: readonly (typeof read)[number][], level: number) =>
    rows.length === 0
      ? '–'
      : (rows.filter(({ reading }) => reading.level >= level).length / rows.length).toFixed(2);
  const figuresOf = (rows: typeof read) => {
    const labelled = (...labels: string[]) => rows.filter(({ label }) => labels.includes(label));
    const cards = rows.filter(({ reading }) => reading.level > 0);
    return {
      count: rows.length,
      'recall 3': share(labelled('3'), 3),
      '2+': share(labelled('2', '3'), 2),
      '1+': share(labelled('1', '2', '3'), 1),
      '3 with a card': share(labelled('3'), 1),
      '2 with a card': share(labelled('2'), 1),
      '1 with a card': share(labelled('1'), 1),
      'other with a card': share(labelled('o'), 1),
      precision: (cards.filter(({ label }) => label !== '0').length / cards.length).toFixed(2),
      'ordinary with a card': share(
        labelled('0').filter(({ kind }) => ['ordinary', 'vent'].includes(kind)),
        1,
      ),
      'other zeros with a card': share(
        labelled('0').filter(({ kind }) => !['ordinary', 'vent'].includes(kind)),
        1,
      ),
    };
  };
  const fresh = read.filter(({ writer }) => writer !== 'dev');
  console.table({
    ...Object.fromEntries(
      [...Map.groupBy(read, ({ writer }) => writer)].map(([name, rows]) => [name, figuresOf(rows)]),
    ),
    ...Object.fromEntries(
      ['en', 'hg', 'hi'].map((name) => [name, figuresOf(fresh.filter(({ language }) => language === name))]),
    ),
    // The phrases were written with dev at hand: it says less.
    'all but dev': figuresOf(fresh),
  });
}

if (process.argv.includes('--validate')) validate();
else write();
