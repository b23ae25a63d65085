import { emotions, limits, matchPreferences, type MatchPreference } from '@unsaid/contract';
import type { Matchable } from '../../server/src/matching/matches.score.ts';
import { addDays, type Day } from '../../server/src/platform/clock.ts';
import type { SeededRandom } from '../../server/seed/seeded-random.ts';
import { halfMonthOf } from '../../server/src/platform/coarse-days.ts';

/** Random people of the simulation: what their profiles show, and what is hidden from matching. */

export interface Assumptions {
  readonly name: string;
  /** Chemistry, in standard deviations of the knowable part: 1 is half of all variance. */
  readonly noise: number;
  /** Share of people who name no feelings. */
  readonly unnamedShare: number;
  /** Error of people's own judgement of their feelings: standard deviation of the logarithm of their strength. */
  readonly misjudging: number;
  /** Probability that the stated preference is the true one. */
  readonly honesty: number;
  /** Mean weights of a liking: feelings, the same trouble, interests. */
  readonly cares: readonly [mood: number, trouble: number, interests: number];
  readonly geometry: keyof typeof geometries;
}

/** By emotion, in the order of the contract. */
type Weights = readonly number[];

export interface Person extends Matchable {
  readonly id: number;
  readonly joinedOn: number;
  /** Probability of a visit on a given day. */
  readonly activity: number;
  /** The half month in which they named their feelings. */
  readonly feelingsFrom: Day | null;
  isStale: boolean;
  /** As the column of that name: the position among people with the same feelings. */
  readonly place: number;
  readonly firstSeenOn: number;
  lastSeenOn: number;
  readonly hidden: Hidden;
}

/** Day 0 of the simulation. */
const firstDay: Day = '2026-11-09';
export const calendarDay = (day: number): Day => addDays(firstDay, day);

interface Hidden {
  /** Current feelings; the same under the true similarity of feelings, and its norm. */
  readonly mood: Weights;
  readonly seenMood: Weights;
  readonly moodLength: number;
  readonly trouble: number;
  readonly wish: MatchPreference;
  /** Bit masks. */
  readonly interests: number;
  readonly aversions: number;
  readonly cares: readonly number[];
  readonly charm: number;
  readonly pickiness: number;
  /** They say yes above this liking; calibrated on random strangers. */
  threshold: number;
}

/**
 * True positions of feelings. Similarity falls off exponentially, not as the server's Gaussian kernel. Either roughly the
 * server's table, each point off by a quarter of the scale; or Russell's circle of valence and arousal alone, where
 * anger and fear are close, and sadness and exhaustion are not.
 */
const geometries = {
  'roughly the table': [
    [0.6, 0.7, 0.3],
    [-0.8, -0.2, -0.5],
    [-0.4, 0.4, 0.8],
    [-0.5, 0.8, -0.2],
    [0.2, -0.4, 0.2],
    [-0.4, -0.8, -0.3],
  ],
  circle: [
    [0.9, 0.2, 0],
    [-0.8, -0.4, 0],
    [-0.6, 0.7, 0],
    [-0.35, 0.8, 0],
    [0, 0, 0],
    [-0.35, -0.85, 0],
  ],
} as const;

export function nearnessIn(geometry: keyof typeof geometries): number[][] {
  const points = geometries[geometry];
  return points.map(([x, y, z]) =>
    points.map(([a, b, c]) => Math.exp(-Math.hypot(x - a, y - b, z - c) / 0.7)),
  );
}

/** Feelings that come with a trouble, in the order of the emotions. */
const troubles: readonly Weights[] = [
  [1, 1, 0, 6, 1, 2], // exams
  [1, 6, 2, 2, 0, 1], // a break-up
  [0, 2, 2, 1, 1, 6], // work
  [0, 2, 6, 2, 0, 1], // family
  [0, 7, 0, 1, 2, 2], // loneliness
  [1, 1, 1, 5, 1, 2], // money
  [7, 1, 0, 1, 2, 0], // things go well
  [2, 2, 1, 1, 5, 2], // nothing much
];
const interestCount = 30;
const genres = 5;

/** Box-Muller: two uniform numbers to a normal one. */
export const bell = (a: number, b: number) => Math.sqrt(-2 * Math.log(a + 1e-12)) * Math.cos(2 * Math.PI * b);
const draw = (random: SeededRandom) => bell(random.next(), random.next());

function drawMood(random: SeededRandom, trouble: number): Weights {
  const raw = (troubles[trouble] as Weights).map((weight) => (weight + 0.3) * Math.exp(0.8 * draw(random)));
  const total = raw.reduce((a, b) => a + b, 0);
  return raw.map((weight) => weight / total);
}

interface DrawOptions {
  readonly id: number;
  readonly days: number;
  readonly nearness: readonly Weights[];
  readonly assumed: Assumptions;
}

export function drawPerson(random: SeededRandom, { id, days, nearness, assumed }: DrawOptions): Person {
  const trouble = random.below(troubles.length);
  const mood = drawMood(random, trouble);
  const seenMood = nearness.map((row) => row.reduce((sum, near, n) => sum + near * mood[n]!, 0));
  const moodLength = Math.sqrt(seenMood.reduce((sum, seen, n) => sum + seen * mood[n]!, 0));

  const said = random.next() < 0.3 ? null : random.pick([...matchPreferences, 'Similar Emotions' as const]);
  const trueWish = random.next() < 0.6 ? 'Similar Emotions' : random.pick(matchPreferences);
  const wish = said === null || random.next() > assumed.honesty ? trueWish : said;

  const taste = Array.from({ length: genres }, () => random.next() ** 3);
  let [interests, aversions] = [0, 0];
  const [likes, dislikes] = [new Set<string>(), new Set<string>()];
  const isSilent = random.next() < 0.25;
  for (let n = 0; n < interestCount; n += 1) {
    const isLiked = random.next() < 0.05 + 0.5 * (taste[n % genres] as number);
    const isHated = !isLiked && random.next() < 0.05;
    if (isLiked) interests |= 1 << n;
    if (isHated) aversions |= 1 << n;
    const isSaid = random.next() < 0.55 && !isSilent;
    if (isSaid && isLiked) likes.add(`thing ${n}`);
    if (isSaid && isHated) dislikes.add(`thing ${n}`);
  }
  interests ||= 1 << random.below(interestCount);

  const cares = assumed.cares.map((usual) => usual * Math.exp(0.4 * draw(random)));
  const sum = cares.reduce((a, b) => a + b);

  const when = random.next();
  const joinedOn = when < 0.84 ? -400 : when < 0.92 ? -random.below(14) : 1 + random.below(days - 1);
  const activity = 0.02 + 0.36 * random.next() ** 3;
  const away = Math.floor(Math.log(random.next() + 1e-9) / Math.log(1 - activity));
  return {
    id,
    joinedOn,
    activity,
    ...drawFeelings(random, { mood, joinedOn, assumed }),
    isStale: false,
    place: random.next(),
    likes,
    dislikes,
    preference: said,
    firstSeenOn: Math.max(joinedOn, -away),
    lastSeenOn: 0,
    hidden: {
      mood,
      seenMood,
      moodLength,
      trouble,
      wish,
      interests,
      aversions,
      cares: cares.map((care) => care / sum),
      charm: 0.2 * draw(random),
      pickiness: 0.1 + 0.35 * random.next(),
      threshold: 0,
    },
  };
}

interface FeelingTraits {
  readonly mood: Weights;
  readonly joinedOn: number;
  readonly assumed: Assumptions;
}

const namedWithinDays = 60;
/** Feelings below this share are not named. */
const worthNaming = 0.15;

/**
 * People name up to three of their strongest feelings, as they judge them, on a day within the last two months or on the
 * day they joined. A quarter felt something else until some day of these two months, so some named feelings are outdated.
 * One feeling in ten is random.
 */
function drawFeelings(random: SeededRandom, { mood, joinedOn, assumed }: FeelingTraits) {
  const isUnnamed = random.next() < assumed.unnamedShare;
  const namedOn = Math.max(joinedOn, -random.below(namedWithinDays));
  const changedOn = random.next() < 0.25 ? -random.below(namedWithinDays) : -1000;
  const before = drawMood(random, random.below(troubles.length));
  const felt = namedOn < changedOn ? before : mood;
  const most = 1 + random.below(limits.feelings);
  // Perceived strength.
  const seeming = felt.map((weight) => weight * Math.exp(assumed.misjudging * draw(random)));
  const strongest = emotions.map((_, n) => n).toSorted((a, b) => (seeming[b] ?? 0) - (seeming[a] ?? 0));
  const named = strongest.slice(0, most).filter((n, at) => at === 0 || (seeming[n] ?? 0) > worthNaming);
  const feelings = named.reduce(
    (bits, n) => bits | (1 << (random.next() < 0.1 ? random.below(emotions.length) : n)),
    0,
  );
  return isUnnamed
    ? { feelings: 0, feelingsFrom: null }
    : { feelings, feelingsFrom: halfMonthOf(calendarDay(namedOn)) };
}
