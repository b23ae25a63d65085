import { emotions, type Emotion, type MatchPreference } from '@unsaid/contract';

/**
 * How near feelings are to each other. Six labels are not equally far apart: somebody sad is nearer to
 * somebody burnt out than to somebody happy. Everything here is arithmetic on six numbers, one an emotion,
 * in the order of the contract's list.
 */

/**
 * Valence (unpleasant to pleasant), arousal (still to stirred), dominance (powerless to in control), each
 * from -1 to 1. Set by hand so that the nearness of pairs comes out as docs/adr/0005 says; a psychologist
 * should revise them.
 */
const points: Readonly<Record<Emotion, readonly [valence: number, arousal: number, dominance: number]>> = {
  Happy: [0.8, 0.45, 0.4],
  Sad: [-0.6, -0.35, -0.35],
  Angry: [-0.55, 0.6, 0.57],
  Anxious: [-0.6, 0.55, -0.37],
  Neutral: [0.05, -0.2, 0.05],
  Burnout: [-0.65, -0.6, -0.55],
};

const sigma = 0.6;

/** How alike two labels are: 1 for the same, falling off as a bell curve over their distance. */
export function likeness(one: Emotion, other: Emotion): number {
  const squared = points[one].reduce((sum, at, axis) => sum + (at - (points[other][axis] ?? 0)) ** 2, 0);
  return Math.exp(-squared / (2 * sigma ** 2));
}

/** Row by row in one piece: a search asks it a thousand times. */
const kernel = Float64Array.from(emotions.flatMap((one) => emotions.map((other) => likeness(one, other))));

/** Weight by emotion, not yet normalised: the sum says how much is known. */
export type Weights = readonly number[];

export const noWeights: Weights = emotions.map(() => 0);

export function sum(weights: Weights): number {
  let total = 0;
  for (let n = 0; n < weights.length; n += 1) total += weights[n]!;
  return total;
}

function product(p: Weights, q: Weights): number {
  let total = 0;
  for (let row = 0; row < emotions.length; row += 1) {
    const weight = p[row]!;
    if (weight === 0) continue;
    for (let column = 0; column < emotions.length; column += 1) {
      total += weight * kernel[row * emotions.length + column]! * q[column]!;
    }
  }
  return total;
}

/** 0 to 1, whatever the sums; in the middle where nothing is known of either. */
export function similarity(p: Weights, q: Weights): number {
  const scale = Math.sqrt(product(p, p) * product(q, q));
  return scale > 0 ? Math.min(1, product(p, q) / scale) : 0.5;
}

/** What a likeness of feelings is worth to somebody with this wish. Nobody who has not said wants anything else than being understood. */
export function fit(preference: MatchPreference | null, alike: number): number {
  if (preference === 'Different Emotions') return 1 - alike;
  if (preference === 'Balanced') return 4 * alike * (1 - alike);
  return alike;
}

/**
 * Coarse cells of this space, so that people who fit can be found without reading everybody: nothing known,
 * mostly one emotion, or a mix of two.
 */
export const blankCell = 0;
const mostlyOne = 0.6;
const mixes = emotions.flatMap((_, one) =>
  emotions.slice(one + 1).map((__, offset) => [one, one + 1 + offset] as const),
);
const firstMix = 1 + emotions.length;
export const cellCount = firstMix + mixes.length;

export function cellOf(weights: Weights): number {
  const total = sum(weights);
  if (total === 0) return blankCell;
  const [first, second] = weights
    .map((weight, emotion) => ({ weight, emotion }))
    .toSorted((a, b) => b.weight - a.weight) as [Ranked, Ranked];
  if (first.weight / total >= mostlyOne) return 1 + first.emotion;
  return (
    firstMix +
    mixes.findIndex(
      ([one, other]) =>
        one === Math.min(first.emotion, second.emotion) && other === Math.max(first.emotion, second.emotion),
    )
  );
}

interface Ranked {
  readonly weight: number;
  readonly emotion: number;
}

/** What the people of a cell feel, roughly. */
function centreOf(cell: number): Weights {
  const inside: readonly number[] = cell < firstMix ? [cell - 1] : (mixes[cell - firstMix] ?? []);
  return emotions.map((_, emotion) => (inside.includes(emotion) ? 1 : 0));
}

const centres = Array.from({ length: cellCount - 1 }, (_, n) => centreOf(n + 1));

/** All cells but the blank one, the most promising first. */
export function cellsByFit(weights: Weights, preference: MatchPreference | null): number[] {
  return centres
    .map((centre, n) => ({ cell: n + 1, worth: fit(preference, similarity(weights, centre)) }))
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ cell }) => cell);
}
