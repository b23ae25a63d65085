import { emotions, limits, type Emotion, type MatchPreference } from '@unsaid/contract';
import { fromFeelingBits } from '../profiles/feelings.ts';

/**
 * How near feelings are to each other. Six labels are not equally far apart: sad is nearer to burnt out than to happy.
 * A set of feelings is a number with a bit for each emotion, in the order of the contract's list.
 */

/**
 * Valence (unpleasant to pleasant), arousal (calm to excited), dominance (powerless to in control), each from -1 to 1.
 * Set by hand so that the similarity of pairs comes out as docs/adr/0005 says; a psychologist should revise them.
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

/** How alike two labels are: a Gaussian kernel over their distance, 1 for the same. */
export function likeness(one: Emotion, other: Emotion): number {
  const squared = points[one].reduce((sum, at, axis) => sum + (at - (points[other][axis] ?? 0)) ** 2, 0);
  return Math.exp(-squared / (2 * sigma ** 2));
}

/** Every set that a profile can name, without the empty one: 41. */
export const feelingSets: readonly number[] = Array.from(
  { length: 2 ** emotions.length - 1 },
  (_, n) => n + 1,
).filter((bits) => fromFeelingBits(bits).length <= limits.feelings);

export const noFeelings = 0;

function product(one: number, other: number): number {
  const others = fromFeelingBits(other);
  return fromFeelingBits(one).reduce(
    (total, mine) => total + others.reduce((sum, theirs) => sum + likeness(mine, theirs), 0),
    0,
  );
}

const columns = 2 ** emotions.length;
/** Computed once for all pairs of sets: a search asks for hundreds. */
const table = new Float64Array(columns ** 2);
for (const one of feelingSets)
  for (const other of feelingSets)
    table[one * columns + other] = product(one, other) / Math.sqrt(product(one, one) * product(other, other));

/** Cosine similarity under the kernel, 0 to 1. Neither set may be empty. */
export function similarity(one: number, other: number): number {
  return Math.min(1, table[one * columns + other] ?? 0);
}

/** What similar feelings are worth to somebody with this preference. No preference counts as Similar Emotions. */
export function fit(preference: MatchPreference | null, alike: number): number {
  if (preference === 'Different Emotions') return 1 - alike;
  if (preference === 'Balanced') return 4 * alike * (1 - alike);
  return alike;
}

/** All sets but the empty one, the best fit first. */
export function setsByFit(feelings: number, preference: MatchPreference | null): number[] {
  return feelingSets
    .map((set) => ({ set, worth: fit(preference, similarity(feelings, set)) }))
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ set }) => set);
}
