import { emotions, limits, matchPreferences, type Emotion, type MatchPreference } from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  feelingSets,
  preferenceFit,
  kernel,
  noFeelings,
  setsByFit,
  similarity,
} from '../src/matching/emotion-space.ts';
import {
  activityClass,
  rankFairly,
  samplePlan,
  uniformPlan,
  rank,
  remainingQuota,
  sampleSize,
} from '../src/matching/candidate-selection.ts';
import { scorePair, roundScore, type Matchable } from '../src/matching/matches.score.ts';
import { toFeelingBits } from '../src/kernel/feelings.ts';

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

const scoreOf = (u: Sketch, v: Sketch) => scorePair(person(u), person(v));

describe('the similarity of feelings', () => {
  test.each([
    ['Sad', 'Burnout', 0.86],
    ['Sad', 'Anxious', 0.32],
    ['Angry', 'Anxious', 0.29],
    ['Sad', 'Happy', 0.01],
  ] as const)('of %s and %s is about %f', (one, other, alike) => {
    expect(Math.abs(kernel(one, other) - alike)).toBeLessThan(0.02);
  });

  test('is symmetric, 1 for the same set and between 0 and 1 for any two sets', () => {
    for (const one of emotions) {
      expect(kernel(one, one)).toBe(1);
      for (const other of emotions) expect(kernel(one, other)).toBe(kernel(other, one));
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

  // Calculated by hand from the kernel's values and .65 feelings + .35 profile: the exact score and the shown
  // one.
  test.each<[string, Sketch, Sketch, number, number]>([
    [
      'is 0.75 if both want Similar, for Anxious and Anxious',
      { feels: ['Anxious'], ...similar },
      { feels: ['Anxious'] },
      0.755,
      0.75,
    ],
    ['is 0.65 if both want Similar, for Sad and Burnout', sad, { feels: ['Burnout'] }, 0.667, 0.65],
    [
      'is 0.1 if both want Similar, for Sad and Happy',
      { ...sad, ...similar },
      { ...happy, ...similar },
      0.113,
      0.1,
    ],
    [
      'is 0.75 if both want Different, for Sad and Happy',
      { ...sad, ...different },
      { ...happy, ...different },
      0.747,
      0.75,
    ],
    [
      'is 0.1 if both want Different, for Sad and Sad',
      { ...sad, ...different },
      { ...sad, ...different },
      0.105,
      0.1,
    ],
    [
      'is 0.2 if one wants Similar and one Different, for Sad and Sad',
      { ...sad, ...similar },
      { ...sad, ...different },
      0.184,
      0.2,
    ],
    [
      'is 0.75 if both want Balanced, for Sad with Happy and Sad with Angry',
      { feels: ['Sad', 'Happy'], ...balanced },
      { feels: ['Sad', 'Angry'], ...balanced },
      0.746,
      0.75,
    ],
    ['is 0.45 if neither has named feelings', {}, {}, 0.43, 0.45],
    ['is 0.45 if one has named no feelings', {}, sad, 0.43, 0.45],
    ['is 0.6 if one named the feeling long ago', sad, { ...sad, isStale: true }, 0.592, 0.6],
    ['is 0.6 for four common interests and no feelings', { likes: 4 }, { likes: 4 }, 0.593, 0.6],
    [
      'is 0.55 for the same if one dislikes what the other likes',
      { likes: 4 },
      { likes: 4, dislikes: ['thing 0'] },
      0.546,
      0.55,
    ],
    [
      'is 0.95 for the same feeling and eight common interests',
      { ...sad, likes: 8 },
      { ...sad, likes: 8 },
      0.951,
      0.95,
    ],
  ])('%s', (_, u, v, exact, shown) => {
    expect(Math.abs(scoreOf(u, v) - exact)).toBeLessThan(0.001);
    expect(roundScore(scoreOf(u, v))).toBe(shown);
  });

  const words = (maxLength: number) =>
    fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { maxLength }).map((list) => new Set(list));
  const anyPerson = fc.record({
    feelings: fc.constantFrom(noFeelings, ...feelingSets),
    isStale: fc.boolean(),
    likes: words(40),
    dislikes: words(20),
    preference: fc.constantFrom(...matchPreferences, null),
  });
  const runs = { numRuns: 10_000 };

  test('is the same for both people, between 0 and 1, and shown in steps of .05, for any two people (S3.11, S9.12)', () => {
    fc.assert(
      fc.property(anyPerson, anyPerson, (u, v) => {
        const score = scorePair(u, v);
        expect(score).toBeCloseTo(scorePair(v, u), 12);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(Math.round(roundScore(score) * 20) / 20).toBe(roundScore(score));
        expect(String(roundScore(score))).toMatch(/^[01](?:\.\d\d?)?$/u);
      }),
      runs,
    );
  });

  test('does not rise with a dislike of what the other likes, nor fall with one more common interest', () => {
    fc.assert(
      fc.property(anyPerson, anyPerson, (u, v) => {
        const score = scorePair(u, v);
        const dislikes = new Set([...u.dislikes, ...v.likes]);
        expect(scorePair({ ...u, dislikes }, v)).toBeLessThanOrEqual(score + 1e-12);
        const [uToo, vToo] = [u, v].map((one) => ({ ...one, likes: new Set([...one.likes, 'kites']) }));
        // The tolerance is for people with nothing in common before: their other interests begin to count only
        // now.
        if (uToo && vToo) expect(scorePair(uToo, vToo)).toBeGreaterThanOrEqual(score - 0.005);
      }),
      runs,
    );
  });

  test('follows preferences: similarity raises it for Similar and lowers it for Different', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(preferenceFit('Similar Emotions', more)).toBeGreaterThanOrEqual(
          preferenceFit('Similar Emotions', less),
        );
        expect(preferenceFit('Different Emotions', more)).toBeLessThanOrEqual(
          preferenceFit('Different Emotions', less),
        );
        expect(preferenceFit('Balanced', a)).toBeLessThanOrEqual(preferenceFit('Balanced', 0.5));
        expect(preferenceFit(null, a)).toBe(preferenceFit('Similar Emotions', a));
      }),
      runs,
    );
  });
});

describe('the search', () => {
  test('samples the eight sets that fit best, and a tenth from people who named no feelings', () => {
    const feelings = toFeelingBits(['Sad']);
    const plan = samplePlan({ feelings, preference: 'Similar Emotions' });
    expect(plan.map((part) => part.feelings)).toEqual([
      ...setsByFit(feelings, 'Similar Emotions').slice(0, 8),
      noFeelings,
    ]);
    expect(plan[0]?.feelings).toBe(feelings);
    expect(plan.at(-1)?.most).toBe(sampleSize / 10);
    const total = plan.reduce((sum, { most }) => sum + most, 0);
    expect([total >= sampleSize, total < sampleSize + 8]).toEqual([true, true]);
    expect(setsByFit(feelings, 'Different Emotions').at(-1)).toBe(feelings);
  });

  test('samples every set for a person who named no feelings, and when few people are found', () => {
    const everything = [noFeelings, ...feelingSets];
    const sorted = (plan: readonly { feelings: number }[]) =>
      plan.map(({ feelings }) => feelings).toSorted((a, b) => a - b);
    expect(sorted(samplePlan({ feelings: noFeelings, preference: null }))).toEqual(everything);
    expect(sorted(uniformPlan)).toEqual(everything);
  });
});

describe('the ranking of candidates', () => {
  const anyCandidate = fc.record({
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    activity: fc.nat({ max: 2 }),
    isNewcomer: fc.constant(false),
    found: fc.integer({ min: 0, max: limits.foundByOthers + limits.foundByNewcomers + 2 }),
  });
  const timesFound = ({ found }: { found: number }) => found;
  const settled = { isNewcomer: false };
  const good = { score: 0.6, activity: 0, isNewcomer: false, found: 3 };

  test('leaves out people who were found too often and lists everyone else once, with a higher limit for newcomers', () => {
    fc.assert(
      fc.property(fc.array(anyCandidate, { maxLength: 60 }), (found) => {
        for (const [isNewcomer, most] of [
          [false, limits.foundByOthers],
          [true, limits.foundByOthers + limits.foundByNewcomers],
        ] as const) {
          const order = rankFairly(found, timesFound, { isNewcomer });
          const free = found.filter((one) => one.found < most);
          expect(new Set(order)).toEqual(new Set(free));
          expect(order).toHaveLength(free.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('prefers the better score among people found equally often, and the less often found among similar scores', () => {
    const fair = { ...good, score: 0.5 };
    expect(rankFairly([fair, good], timesFound, settled)).toEqual([good, fair]);
    const seldom = { ...good, score: 0.59, found: 0 };
    expect(rankFairly([good, seldom], timesFound, settled)).toEqual([seldom, good]);
    const poor = { ...good, score: 0.3, found: 0 };
    const busy = { ...good, score: 0.7, found: limits.foundByOthers - 1 };
    expect(rankFairly([poor, busy], timesFound, settled)).toEqual([busy, poor]);
  });

  test('prefers a visit within a week, then within a month, among people who fit about equally well', () => {
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

  test('puts a newcomer in every fifth place while there are any, and lists each person exactly once', () => {
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

test('an account has ten places for its own search, five while it names no feelings, and 20 new pairs a day, 10 while it is new', () => {
  const settled = { isNamed: true, isNewAccount: false };
  expect(remainingQuota(settled, { waiting: 0, madeToday: 0 })).toBe(10);
  expect(remainingQuota(settled, { waiting: 3, madeToday: 18 })).toBe(2);
  expect(remainingQuota(settled, { waiting: 0, madeToday: 20 })).toBe(0);
  expect(remainingQuota(settled, { waiting: 12, madeToday: 0 })).toBe(0);
  expect(remainingQuota({ ...settled, isNamed: false }, { waiting: 0, madeToday: 0 })).toBe(5);
  expect(remainingQuota({ ...settled, isNewAccount: true }, { waiting: 0, madeToday: 4 })).toBe(6);
});
