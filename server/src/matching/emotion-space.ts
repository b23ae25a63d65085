import { emotions, limits, type Emotion, type MatchPreference } from '@unsaid/contract';
import { fromFeelingBits } from '../kernel/feelings.ts';

/**
 * Similarity of feelings. Six labels are not equally far apart: sad is nearer to burnt out than to happy. A set of
 * feelings is a bit mask, one bit for each emotion in the order of the contract's list.
 */

/**
 * Valence (unpleasant to pleasant), arousal (calm to excited), dominance (powerless to in control), each from -1 to 1.
 * Chosen by hand to give the similarities in docs/adr/0005; a psychologist should revise them.
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

/** Gaussian kernel over the distance of two emotions; 1 for the same one. */
export function kernel(one: Emotion, other: Emotion): number {
  const squared = points[one].reduce((sum, at, axis) => sum + (at - (points[other][axis] ?? 0)) ** 2, 0);
  return Math.exp(-squared / (2 * sigma ** 2));
}

/** Every set that a profile can name, without the empty one: 41. */
export const feelingSets: readonly number[] = Array.from(
  { length: 2 ** emotions.length - 1 },
  (_, n) => n + 1,
).filter((bits) => fromFeelingBits(bits).length <= limits.feelings);

export const noFeelings = 0;

/** Inner product of two sets in the kernel's feature space. */
function innerProduct(one: number, other: number): number {
  const others = fromFeelingBits(other);
  return fromFeelingBits(one).reduce(
    (total, mine) => total + others.reduce((sum, theirs) => sum + kernel(mine, theirs), 0),
    0,
  );
}

const columns = 2 ** emotions.length;
/** Precomputed for all pairs of sets: one search reads hundreds of them. */
const similarities = new Float64Array(columns ** 2);
for (const one of feelingSets)
  for (const other of feelingSets)
    similarities[one * columns + other] =
      innerProduct(one, other) / Math.sqrt(innerProduct(one, one) * innerProduct(other, other));

/** Cosine similarity under the kernel, 0 to 1. Neither set may be empty. */
export function similarity(one: number, other: number): number {
  return Math.min(1, similarities[one * columns + other] ?? 0);
}

/** The value of a similarity under a preference, 0 to 1. No preference counts as Similar Emotions. */
export function preferenceFit(preference: MatchPreference | null, similarity: number): number {
  if (preference === 'Different Emotions') return 1 - similarity;
  if (preference === 'Balanced') return 4 * similarity * (1 - similarity);
  return similarity;
}

/** All sets but the empty one, best fit first. */
export function setsByFit(feelings: number, preference: MatchPreference | null): number[] {
  return feelingSets
    .map((set) => ({ set, fit: preferenceFit(preference, similarity(feelings, set)) }))
    .toSorted((a, b) => b.fit - a.fit)
    .map(({ set }) => set);
}
