import { emotions, matchPreferences, type MatchPreference } from '@unsaid/contract';
import { createSeededRandom } from '../../server/seed/seeded-random.ts';
import { bell, drawPerson, nearnessIn, type Assumptions, type Person } from './simulated-person.ts';

/**
 * A simulated community. What people show (up to three feelings, interests, a stated preference) follows from hidden
 * traits, with errors and gaps. Whether they say yes follows from the hidden traits of both. The score of the server is
 * not used: feelings have other positions than in emotion-space.ts, people weigh things differently, and part of a liking
 * is chemistry that no data shows.
 *
 * The result depends most on the size of that part (`noise`), on how often the stated preference is true (`honesty`), on
 * how many name no feelings (`unnamedShare`), and on the share of strangers whom people accept (10 to 45 %,
 * `pickiness`). People are also assumed to prefer people in the same trouble, which no profile states and which shows
 * only in the feelings that go with it.
 */

/** Deterministic by seed: the same people, visits and likings under every policy. */
export interface Community {
  readonly people: readonly Person[];
  comesOn(person: Person, day: number): boolean;
  /** On half of the visits people look at their matches. */
  looksOn(person: Person, day: number): boolean;
  wouldAccept(person: Person, other: Person): boolean;
}

export function createCommunity(size: number, days: number, seed: number, assumed: Assumptions): Community {
  const random = createSeededRandom(seed);
  const nearness = nearnessIn(assumed.geometry);
  const people = Array.from({ length: size }, (_, id) => drawPerson(random, { id, days, nearness, assumed }));

  /** Fit to the wish, the same trouble and shared interests, each on its own scale. */
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

  /** Weighted sum of the parts, each divided by its standard deviation, so that the weights decide. */
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
  // Calibrated: people accept the same share of strangers under all assumptions. Only the predictability differs.
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

/** Hash of two numbers to a uniform number in [0, 1). */
function mix(seed: number, one: number, other: number): number {
  let h = Math.imul(one + 1, 0x9e3779b1) ^ Math.imul(other + 1, 0x85ebca6b) ^ Math.imul(seed, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
}

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
