/** Trains the word model of the guard: logistic regression over the words and pairs of `toParts`. */
import { lengthOf, packHashes, weightDigits, type PackedModel } from '../guard/src/word-model.ts';
import type { Example } from './crisis-examples.ts';

/** How fine the weights are. */
const stepsPerUnit = 2;
const rounds = 60;
/** Of the penalty on large weights. */
const penalty = 0.6;
/** How much weaker the penalty is for a word that is said in one class and not in the other. */
const trust = 0.8;
/** Sentences of the harder sets count more. */
const countOf = ({ writer }: Example) => (/^(?:dev[567]|first|tune|vented)$/u.test(writer) ? 2 : 1);

const own = ['1', '2', '3', 'd'];
const abuse = ['av', 'ap', 'ac', 'ao'];
const harmless = ['0', 'p', 'q'];
/** A score: of which labels it is, and of which it is not (others say nothing about it); how many words and pairs it keeps. */
export interface Spec {
  readonly is: readonly string[];
  readonly isNot: readonly string[];
  readonly kept: number;
}

/** In the order of `scoreNames`. */
export const crisisScores: readonly Spec[] = [
  { is: own, isNot: harmless, kept: 3000 },
  { is: ['2', '3'], isNot: ['1', ...harmless], kept: 700 },
  { is: ['3'], isNot: ['1', '2', ...harmless], kept: 800 },
  { is: ['o'], isNot: [...own, ...abuse, ...harmless], kept: 1100 },
  { is: abuse, isNot: [...own, '0', 'o'], kept: 1400 },
  { is: ['ac'], isNot: ['av', 'ap', 'ao'], kept: 400 },
];
/** Only the server asks for it, so it may be as long as it likes. */
export const readersScores: readonly Spec[] = [
  { is: ['t'], isNot: ['c', 'o', ...own, ...abuse, ...harmless], kept: 6000 },
];

interface Row {
  readonly label: string;
  readonly hashes: readonly number[];
  readonly count: number;
}

/** Full gradients, each weight with a step of its own that grows while the sign of its slope stays (Rprop). */
function fit(
  rows: readonly Row[],
  isMeant: (row: Row) => boolean,
  places: ReadonlyMap<number, number>,
): Float64Array {
  const size = places.size;
  const inputs = rows.map(({ hashes }) =>
    Int32Array.from(hashes.map((hash) => places.get(hash)).filter((at) => at !== undefined)),
  );
  const meant = rows.map(isMeant);
  const seen = [new Float64Array(size).fill(1), new Float64Array(size).fill(1)];
  const totals = [2, 2];
  for (const [at, input] of inputs.entries()) {
    const side = meant[at] ? 1 : 0;
    totals[side] = (totals[side] as number) + 1;
    const counts = seen[side] as Float64Array;
    for (const feature of input) counts[feature] = (counts[feature] as number) + 1;
  }
  const penalties = new Float64Array(size + 1);
  for (let at = 0; at < size; at += 1) {
    const [not, is] = seen.map((counts, side) => (counts[at] as number) / (totals[side] as number));
    const weight = trust * Math.abs(Math.log((is as number) / (not as number))) + (1 - trust);
    penalties[at] = penalty / Math.max(0.05, weight ** 2);
  }
  const weights = new Float64Array(size + 1);
  const steps = new Float64Array(size + 1).fill(0.1);
  const slopes = new Float64Array(size + 1);
  const before = new Float64Array(size + 1);
  const scales = rows.map(({ hashes }) => 3 / lengthOf(hashes.length));
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at <= size; at += 1) slopes[at] = (penalties[at] as number) * (weights[at] as number);
    for (const [at, input] of inputs.entries()) {
      let sum = 0;
      for (const feature of input) sum += weights[feature] as number;
      const scale = scales[at] as number;
      const score = sum * scale + (weights[size] as number);
      const error = (1 / (1 + Math.exp(-score)) - (meant[at] ? 1 : 0)) * (rows[at] as Row).count;
      for (const feature of input) slopes[feature] = (slopes[feature] as number) + error * scale;
      slopes[size] = (slopes[size] as number) + error;
    }
    for (let at = 0; at <= size; at += 1) {
      let slope = slopes[at] as number;
      const same = slope * (before[at] as number);
      if (same > 0) steps[at] = Math.min(1, (steps[at] as number) * 1.2);
      else if (same < 0) {
        steps[at] = (steps[at] as number) / 2;
        slope = 0;
      }
      weights[at] = (weights[at] as number) - Math.sign(slope) * (steps[at] as number);
      before[at] = slope;
    }
  }
  return weights;
}

/** A part of a text at level 0 is at level 0 itself; of another text only the whole is known to be at its level. */
const inputsOf = ({ label, parts }: Example): (readonly number[])[] =>
  label === '0' ? [...parts] : [[...new Set(parts.flat())]];

export function train(examples: readonly Example[], scores: readonly Spec[]): PackedModel {
  const rows = examples.flatMap((example) =>
    inputsOf(example).map((hashes): Row => ({ label: example.label, hashes, count: countOf(example) })),
  );
  const counts = new Map<number, number>();
  for (const { hashes } of rows) for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const fitOn = (score: number, vocabulary: readonly number[]) => {
    const { is, isNot } = scores[score] as Spec;
    const some = rows.filter(({ label }) => is.includes(label) || isNot.includes(label));
    const places = new Map(vocabulary.map((hash, at) => [hash, at]));
    return fit(some, ({ label }) => is.includes(label), places);
  };
  const all = [...counts].filter(([, count]) => count > 1).map(([hash]) => hash);
  const most = (weightDigits.length - 1) / 2;
  const stepsOf = (weight: number) => Math.max(-most, Math.min(most, Math.round(weight * stepsPerUnit)));
  const known = scores.map((_, score) => {
    const first = fitOn(score, all);
    const matters = new Map(
      all.map((hash, at) => [
        hash,
        Math.abs(first[at] as number) * Math.sqrt(Math.min(100, counts.get(hash) as number)),
      ]),
    );
    const vocabulary = all
      .toSorted((a, b) => (matters.get(b) as number) - (matters.get(a) as number))
      .slice(0, scores[score]?.kept);
    const last = fitOn(score, vocabulary);
    return {
      start: Math.round((last.at(-1) as number) * stepsPerUnit * (10 / 3)) / 10,
      steps: new Map(vocabulary.map((hash, at) => [hash, stepsOf(last[at] as number)])),
    };
  });
  const vocabulary = [...new Set(known.flatMap(({ steps }) => [...steps.keys()]))]
    .filter((hash) => known.some(({ steps }) => (steps.get(hash) ?? 0) !== 0))
    .toSorted((a, b) => a - b);
  return {
    hashes: packHashes(vocabulary),
    weights: known.map(({ steps }) =>
      vocabulary.map((hash) => weightDigits[most + (steps.get(hash) ?? 0)]).join(''),
    ),
    starts: known.map(({ start }) => start),
  };
}
