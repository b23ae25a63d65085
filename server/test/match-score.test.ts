import { emotions, limits, matchPreferences, type Emotion, type MatchPreference } from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  feelingSets,
  fit,
  likeness,
  noFeelings,
  setsByFit,
  similarity,
} from '../src/matches/emotion-space.ts';
import {
  activityClass,
  inTurn,
  planFor,
  planForEverybody,
  rank,
  roomFor,
  searchSize,
} from '../src/matches/matches.choice.ts';
import { exactScore, shownScore, type Matchable } from '../src/matches/matches.score.ts';
import { toFeelingBits } from '../src/profiles/feelings.ts';

interface Sketch {
  readonly feels?: readonly Emotion[];
  readonly isStale?: boolean;
  readonly likes?: number;
  readonly dislikes?: readonly string[];
  readonly wants?: MatchPreference;
}

function person({ feels = [], isStale = false, likes = 0, dislikes = [], wants }: Sketch): Matchable {
  return {
    feelings: toFeelingBits(feels),
    isStale,
    likes: new Set(Array.from({ length: likes }, (_, n) => `thing ${n}`)),
    dislikes: new Set(dislikes),
    preference: wants ?? null,
  };
}

const between = (u: Sketch, v: Sketch) => exactScore(person(u), person(v));

describe('the similarity of feelings', () => {
  test.each([
    ['Sad', 'Burnout', 0.86],
    ['Sad', 'Anxious', 0.32],
    ['Angry', 'Anxious', 0.29],
    ['Sad', 'Happy', 0.01],
  ] as const)('%s and %s are about %f alike', (one, other, alike) => {
    expect(Math.abs(likeness(one, other) - alike)).toBeLessThan(0.02);
  });

  test('is symmetric, 1 for the same set and within 0 and 1 for any two', () => {
    for (const one of emotions) {
      expect(likeness(one, one)).toBe(1);
      for (const other of emotions) expect(likeness(one, other)).toBe(likeness(other, one));
    }
    expect(feelingSets).toHaveLength(41);
    for (const one of feelingSets) {
      expect(similarity(one, one)).toBeCloseTo(1, 12);
      for (const other of feelingSets) {
        expect(similarity(one, other)).toBeCloseTo(similarity(other, one), 12);
        expect(similarity(one, other)).toBeGreaterThan(0);
        expect(similarity(one, other)).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe('the score', () => {
  const sad = { feels: ['Sad'] } as const;
  const happy = { feels: ['Happy'] } as const;
  const similar = { wants: 'Similar Emotions' } as const;
  const different = { wants: 'Different Emotions' } as const;
  const balanced = { wants: 'Balanced' } as const;

  // By hand, from the kernel's values and .65 feelings + .35 profile: exact, and as it is shown.
  test.each<[string, Sketch, Sketch, number, number]>([
    [
      'both Similar, Anxious and Anxious',
      { feels: ['Anxious'], ...similar },
      { feels: ['Anxious'] },
      0.755,
      0.75,
    ],
    ['both Similar, Sad and Burnout', sad, { feels: ['Burnout'] }, 0.667, 0.65],
    ['both Similar, Sad and Happy', { ...sad, ...similar }, { ...happy, ...similar }, 0.113, 0.1],
    ['both Different, Sad and Happy', { ...sad, ...different }, { ...happy, ...different }, 0.747, 0.75],
    ['both Different, Sad and Sad', { ...sad, ...different }, { ...sad, ...different }, 0.105, 0.1],
    [
      'one Similar and one Different, Sad and Sad',
      { ...sad, ...similar },
      { ...sad, ...different },
      0.184,
      0.2,
    ],
    [
      'both Balanced, Sad with Happy and Sad with Angry',
      { feels: ['Sad', 'Happy'], ...balanced },
      { feels: ['Sad', 'Angry'], ...balanced },
      0.746,
      0.75,
    ],
    ['nobody has said anything', {}, {}, 0.43, 0.45],
    ['one has named nothing', {}, sad, 0.43, 0.45],
    ['one named it long ago', sad, { ...sad, isStale: true }, 0.592, 0.6],
    ['four interests in common and no feelings', { likes: 4 }, { likes: 4 }, 0.593, 0.6],
    [
      'the same, and one dislikes what the other likes',
      { likes: 4 },
      { likes: 4, dislikes: ['thing 0'] },
      0.546,
      0.55,
    ],
    ['the same feeling and eight interests', { ...sad, likes: 8 }, { ...sad, likes: 8 }, 0.951, 0.95],
  ])('%s', (_, u, v, exact, shown) => {
    expect(Math.abs(between(u, v) - exact)).toBeLessThan(0.001);
    expect(shownScore(between(u, v))).toBe(shown);
  });

  const words = (maxLength: number) =>
    fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { maxLength }).map((list) => new Set(list));
  const anybody = fc.record({
    feelings: fc.constantFrom(noFeelings, ...feelingSets),
    isStale: fc.boolean(),
    likes: words(40),
    dislikes: words(20),
    preference: fc.constantFrom(...matchPreferences, null),
  });
  const runs = { numRuns: 10_000 };

  test('is one for both, from 0 to 1, and shown in steps of .05, for any two people', () => {
    fc.assert(
      fc.property(anybody, anybody, (u, v) => {
        const score = exactScore(u, v);
        expect(score).toBeCloseTo(exactScore(v, u), 12);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(Math.round(shownScore(score) * 20) / 20).toBe(shownScore(score));
        expect(String(shownScore(score))).toMatch(/^[01](?:\.\d\d?)?$/u);
      }),
      runs,
    );
  });

  test('does not rise for what one of them dislikes, nor fall with one more interest that only these two have', () => {
    fc.assert(
      fc.property(anybody, anybody, (u, v) => {
        const score = exactScore(u, v);
        const dislikes = new Set([...u.dislikes, ...v.likes]);
        expect(exactScore({ ...u, dislikes }, v)).toBeLessThanOrEqual(score + 1e-12);
        const [uToo, vToo] = [u, v].map((one) => ({ ...one, likes: new Set([...one.likes, 'kites']) }));
        // Where they had nothing in common, more that they do not share would not count either.
        if (uToo && vToo) expect(exactScore(uToo, vToo)).toBeGreaterThanOrEqual(score - 0.005);
      }),
      runs,
    );
  });

  test('follows preferences: the more alike, the better for Similar and the worse for Different', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(fit('Similar Emotions', more)).toBeGreaterThanOrEqual(fit('Similar Emotions', less));
        expect(fit('Different Emotions', more)).toBeLessThanOrEqual(fit('Different Emotions', less));
        expect(fit('Balanced', a)).toBeLessThanOrEqual(fit('Balanced', 0.5));
        expect(fit(null, a)).toBe(fit('Similar Emotions', a));
      }),
      runs,
    );
  });
});

describe('the search', () => {
  test('takes the eight sets that fit best, and a tenth of people who named nothing', () => {
    const feelings = toFeelingBits(['Sad']);
    const plan = planFor({ feelings, preference: 'Similar Emotions' });
    expect(plan.map((part) => part.feelings)).toEqual([
      ...setsByFit(feelings, 'Similar Emotions').slice(0, 8),
      noFeelings,
    ]);
    expect(plan[0]?.feelings).toBe(feelings);
    expect(plan.at(-1)?.most).toBe(searchSize / 10);
    const total = plan.reduce((sum, { most }) => sum + most, 0);
    expect([total >= searchSize, total < searchSize + 8]).toEqual([true, true]);
    expect(setsByFit(feelings, 'Different Emotions').at(-1)).toBe(feelings);
  });

  test('takes some of every set for whoever named nothing, and where few are found', () => {
    const everything = [noFeelings, ...feelingSets];
    const sorted = (plan: readonly { feelings: number }[]) =>
      plan.map(({ feelings }) => feelings).toSorted((a, b) => a - b);
    expect(sorted(planFor({ feelings: noFeelings, preference: null }))).toEqual(everything);
    expect(sorted(planForEverybody)).toEqual(everything);
  });
});

describe('whom to propose', () => {
  const someone = fc.record({
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    activity: fc.nat({ max: 2 }),
    isNewcomer: fc.constant(false),
    found: fc.integer({ min: 0, max: limits.foundByOthers + limits.foundByNewcomers + 2 }),
  });
  const timesFound = ({ found }: { found: number }) => found;
  const settled = { isNewcomer: false };
  const good = { score: 0.6, activity: 0, isNewcomer: false, found: 3 };

  test('is nobody who was found too often, and everybody else once; a newcomer finds some more', () => {
    fc.assert(
      fc.property(fc.array(someone, { maxLength: 60 }), (found) => {
        for (const [isNewcomer, most] of [
          [false, limits.foundByOthers],
          [true, limits.foundByOthers + limits.foundByNewcomers],
        ] as const) {
          const order = inTurn(found, timesFound, { isNewcomer });
          const free = found.filter((one) => one.found < most);
          expect(new Set(order)).toEqual(new Set(free));
          expect(order).toHaveLength(free.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('is the better of two who were found as often, and of two alike the one who was found less', () => {
    const fair = { ...good, score: 0.5 };
    expect(inTurn([fair, good], timesFound, settled)).toEqual([good, fair]);
    const seldom = { ...good, score: 0.59, found: 0 };
    expect(inTurn([good, seldom], timesFound, settled)).toEqual([seldom, good]);
    const poor = { ...good, score: 0.3, found: 0 };
    const busy = { ...good, score: 0.7, found: limits.foundByOthers - 1 };
    expect(inTurn([poor, busy], timesFound, settled)).toEqual([busy, poor]);
  });

  test('is whoever was here within a week before others who fit nearly as well, then within a month', () => {
    expect([0, 7, 8, 30, 31, 90, 400].map(activityClass)).toEqual([0, 0, 1, 1, 2, 2, 2]);
    const [week, month, longer] = [0, 1, 2].map((activity) => ({
      ...good,
      activity,
      score: 0.2 + activity / 25,
    }));
    expect(rank([longer, month, week].flatMap((one) => one ?? []))).toEqual([week, month, longer]);
    const better = { ...good, activity: 2, score: 0.35 };
    expect(rank([week, better].flatMap((one) => one ?? []))).toEqual([better, week]);
  });

  test('is a newcomer in every fifth place while there are any; nobody is listed twice and nobody is lost', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { maxLength: 60 }), (numbers) => {
        const people = numbers.map((n) => ({ n, score: 1 - n / 1000, activity: 0, isNewcomer: n % 3 === 0 }));
        const list = rank(people);
        expect(list.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(numbers.toSorted((a, b) => a - b));
        const newcomers = people.filter(({ isNewcomer }) => isNewcomer).length;
        for (let place = 5; place <= Math.min(list.length, newcomers * 5); place += 5) {
          expect(list.slice(0, place).filter(({ isNewcomer }) => isNewcomer).length).toBeGreaterThanOrEqual(
            place / 5,
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});

test('an account has ten places of its own, five while it names nothing, and 20 pairs a day, 10 at first', () => {
  const settled = { isNamed: true, isNewAccount: false };
  expect(roomFor(settled, { waiting: 0, madeToday: 0 })).toBe(10);
  expect(roomFor(settled, { waiting: 3, madeToday: 18 })).toBe(2);
  expect(roomFor(settled, { waiting: 0, madeToday: 20 })).toBe(0);
  expect(roomFor(settled, { waiting: 12, madeToday: 0 })).toBe(0);
  expect(roomFor({ ...settled, isNamed: false }, { waiting: 0, madeToday: 0 })).toBe(5);
  expect(roomFor({ ...settled, isNewAccount: true }, { waiting: 0, madeToday: 4 })).toBe(6);
});
