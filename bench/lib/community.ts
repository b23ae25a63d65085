import { emotions, limits, matchPreferences, type MatchPreference } from '@unsaid/contract';
import type { Matchable } from '../../server/src/matches/matches.score.ts';
import { addDays, type Day } from '../../server/src/platform/clock.ts';
import { createSeededRandom, type SeededRandom } from '../../server/src/platform/seeded-random.ts';
import { halfMonthOf } from '../../server/src/profiles/feelings.ts';

/**
 * People with a life that matching sees only a part of. What they show (up to three feelings, interests, a stated wish)
 * follows from what they hide, with errors and gaps; whether they say yes to somebody follows from what both
 * hide. Nothing in here asks the score: feelings lie in another geometry than in emotion-space.ts, people
 * weigh things differently from each other, and part of a liking is chemistry that no data shows.
 *
 * What the outcome hangs on most: how large that part is (`noise`), how often the stated wish is the true one
 * (`honesty`), how many name no feelings (`unnamedShare`), and how many of strangers people would take (10 to 45 in a
 * hundred, `pickiness`). That people want somebody in the same trouble is assumed too; nobody states a trouble, so it
 * shows only in the feelings that go with it.
 */

export interface Assumptions {
  readonly name: string;
  /** Chemistry, in standard deviations of what could be known: 1 is half of all variance. */
  readonly noise: number;
  /** How many name no feelings in their profile. */
  readonly unnamedShare: number;
  /** How far off people are about the strength of their feelings when they choose which to name (of its logarithm). */
  readonly misjudging: number;
  /** How often the stated wish is the true one. */
  readonly honesty: number;
  /** What a liking hangs on, for people on the whole: feelings, the same trouble, interests. */
  readonly cares: readonly [mood: number, trouble: number, interests: number];
  readonly geometry: keyof typeof geometries;
}

/** By emotion, in the order of the contract. */
type Weights = readonly number[];

export interface Person extends Matchable {
  readonly id: number;
  readonly joinedOn: number;
  /** The chance that they come on a given day. */
  readonly activity: number;
  /** The half month in which they named their feelings. */
  readonly feelingsFrom: Day | null;
  isStale: boolean;
  /** As the column of that name: where a search finds them among those with the same feelings. */
  readonly place: number;
  readonly firstSeenOn: number;
  lastSeenOn: number;
  readonly hidden: Hidden;
}

/** Day 0 of the simulation. */
const beginning: Day = '2026-11-09';
export const calendarDay = (day: number): Day => addDays(beginning, day);

interface Hidden {
  /** What they feel now, seen through the true nearness of feelings, and its length there. */
  readonly mood: Weights;
  readonly seenMood: Weights;
  readonly moodLength: number;
  readonly trouble: number;
  readonly wish: MatchPreference;
  /** Bits. */
  readonly interests: number;
  readonly aversions: number;
  readonly cares: readonly number[];
  readonly charm: number;
  readonly pickiness: number;
  /** From here on they say yes; found by trying them on strangers. */
  threshold: number;
}

/**
 * Where feelings truly lie, and how nearness falls off with distance: as an exponential, not as the server's bell.
 * Either roughly where the server's table has them, each out by a quarter of the scale in some direction; or on
 * Russell's circle of pleasant and stirred alone, where anger and fear are neighbours and sadness and exhaustion
 * are not.
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

function nearnessIn(geometry: keyof typeof geometries): number[][] {
  const points = geometries[geometry];
  return points.map(([x, y, z]) =>
    points.map(([a, b, c]) => Math.exp(-Math.hypot(x - a, y - b, z - c) / 0.7)),
  );
}

/** Troubles people have, and how one feels in them (in the order of the emotions). */
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

function mix(seed: number, one: number, other: number): number {
  let h = Math.imul(one + 1, 0x9e3779b1) ^ Math.imul(other + 1, 0x85ebca6b) ^ Math.imul(seed, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
}

const bell = (a: number, b: number) => Math.sqrt(-2 * Math.log(a + 1e-12)) * Math.cos(2 * Math.PI * b);
const draw = (random: SeededRandom) => bell(random.next(), random.next());

function bitCount(bits: number): number {
  let rest = bits;
  let count = 0;
  for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function spreadOf(numbers: readonly number[]): number {
  const mean = numbers.reduce((a, b) => a + b) / numbers.length;
  return Math.sqrt(numbers.reduce((a, b) => a + (b - mean) ** 2, 0) / numbers.length);
}

function drawMood(random: SeededRandom, trouble: number): Weights {
  const raw = (troubles[trouble] as Weights).map((weight) => (weight + 0.3) * Math.exp(0.8 * draw(random)));
  const total = raw.reduce((a, b) => a + b, 0);
  return raw.map((weight) => weight / total);
}

/** The same people, the same days and the same likings for the same seed, whatever is tried on them. */
export interface Community {
  readonly people: readonly Person[];
  comesOn(person: Person, day: number): boolean;
  /** Half of the times they look at their matches too. */
  looksOn(person: Person, day: number): boolean;
  wouldAccept(person: Person, other: Person): boolean;
}

export function createCommunity(size: number, days: number, seed: number, assumed: Assumptions): Community {
  const random = createSeededRandom(seed);
  const nearness = nearnessIn(assumed.geometry);
  const people = Array.from({ length: size }, (_, id) => drawPerson(random, { id, days, nearness, assumed }));

  /** How a person fits a wish, shares a trouble and shares interests: as they come, each on a scale of its own. */
  function compare({ hidden: one }: Person, { hidden: other }: Person): [number, number, number] {
    let product = 0;
    for (let n = 0; n < emotions.length; n += 1) product += one.seenMood[n]! * other.mood[n]!;
    const alike = product / (one.moodLength * other.moodLength);
    const shared = bitCount(one.interests & other.interests);
    return [
      one.wish === 'Similar Emotions'
        ? alike
        : one.wish === 'Different Emotions'
          ? 1 - alike
          : 1 - Math.abs(2 * alike - 1),
      one.trouble === other.trouble ? 1 : 0,
      shared / Math.sqrt(bitCount(one.interests) * bitCount(other.interests)),
    ];
  }

  const stranger = () => people[random.below(size)] as Person;
  const byWish = Map.groupBy(people, ({ hidden }) => hidden.wish);
  const strangerWith = (wish: MatchPreference) => random.pick(byWish.get(wish) as Person[]);
  const spreads = Object.fromEntries(
    matchPreferences.map((wish) => {
      const some = Array.from({ length: 5000 }, () => compare(strangerWith(wish), stranger()));
      return [wish, [0, 1, 2].map((n) => spreadOf(some.map((parts) => parts[n] as number)))];
    }),
  );

  /** Each part by how much it differs between people, so that what they care for is what decides. */
  function signal(one: Person, other: Person): number {
    const parts = compare(one, other);
    const scales = spreads[one.hidden.wish] as number[];
    let total = other.hidden.charm - 0.3 * bitCount(one.hidden.aversions & other.hidden.interests);
    for (let n = 0; n < parts.length; n += 1) total += (one.hidden.cares[n]! * parts[n]!) / scales[n]!;
    return total;
  }

  const chemistry =
    assumed.noise * spreadOf(Array.from({ length: 20_000 }, () => signal(stranger(), stranger())));
  const liking = (one: Person, other: Person) =>
    signal(one, other) + chemistry * bell(mix(seed, one.id, other.id), mix(seed + 77, one.id, other.id));
  // Everybody would take the same share of strangers under all assumptions: only how well one can foresee whom differs.
  for (const person of people) {
    const tried = Array.from({ length: 80 }, () => liking(person, stranger())).toSorted((a, b) => b - a);
    person.hidden.threshold = tried[Math.floor(tried.length * person.hidden.pickiness)] as number;
  }

  return {
    people,
    comesOn: (person, day) => day >= person.joinedOn && mix(seed + 5, person.id, day) < person.activity,
    looksOn: (person, day) => mix(seed + 9, person.id, day) < 0.5,
    wouldAccept: (person, other) => liking(person, other) >= person.hidden.threshold,
  };
}

interface Circumstances {
  readonly id: number;
  readonly days: number;
  readonly nearness: readonly Weights[];
  readonly assumed: Assumptions;
}

function drawPerson(random: SeededRandom, { id, days, nearness, assumed }: Circumstances): Person {
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
/** A feeling that is less than this share of what they feel is not worth naming. */
const worthNaming = 0.15;

/**
 * What they name are the strongest feelings of the day they named them, as far as they judge them rightly: one, two or
 * three at most. That day lies within two months, or is when they joined. A quarter have felt something else until some
 * day in these two months, so some of what is named no longer holds. One feeling in ten is not what they feel at all.
 */
function drawFeelings(random: SeededRandom, { mood, joinedOn, assumed }: FeelingTraits) {
  const isUnnamed = random.next() < assumed.unnamedShare;
  const namedOn = Math.max(joinedOn, -random.below(namedWithinDays));
  const changedOn = random.next() < 0.25 ? -random.below(namedWithinDays) : -1000;
  const before = drawMood(random, random.below(troubles.length));
  const felt = namedOn < changedOn ? before : mood;
  const most = 1 + random.below(limits.feelings);
  // How strong each seems to them, which is not quite how strong it is.
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
