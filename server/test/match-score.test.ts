import { emotions, limits, matchPreferences, type Emotion, type MatchPreference } from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellCount, cellOf, cellsByFit, fit, likeness, similarity } from '../src/matches/emotion-space.ts';
import {
  inTurn,
  likely,
  likelySize,
  planSearch,
  searchSize,
  withNewcomers,
} from '../src/matches/matches.choice.ts';
import { matchScore, tagWorth, type Matchable } from '../src/matches/matches.score.ts';

interface Sketch {
  readonly felt?: Partial<Record<Emotion, number>>;
  readonly tags?: number;
  readonly likes?: number;
  readonly dislikes?: readonly string[];
  readonly wants?: MatchPreference;
  readonly daysAway?: number;
}

function person({ felt = {}, tags = 0, likes = 0, dislikes = [], wants, daysAway = 0 }: Sketch): Matchable {
  return {
    weights: emotions.map((emotion) => felt[emotion] ?? 0),
    tags: Array.from({ length: tags }, (_, n) => n),
    likes: new Set(Array.from({ length: likes }, (_, n) => `thing ${n}`)),
    dislikes: new Set(dislikes),
    preference: wants ?? null,
    daysAway,
  };
}

const even = () => tagWorth(10);
const between = (u: Sketch, v: Sketch) => matchScore(person(u), person(v), even);

describe('the nearness of feelings', () => {
  test.each([
    ['Sad', 'Burnout', 0.86],
    ['Sad', 'Anxious', 0.32],
    ['Angry', 'Anxious', 0.29],
    ['Sad', 'Happy', 0.01],
  ] as const)('%s and %s are about %f alike', (one, other, alike) => {
    expect(likeness(one, other)).toBeCloseTo(alike, 1);
    expect(Math.abs(likeness(one, other) - alike)).toBeLessThan(0.02);
  });

  test('is the same from both sides, one with oneself, and in the middle where nothing is known', () => {
    for (const one of emotions) {
      expect(likeness(one, one)).toBe(1);
      for (const other of emotions) expect(likeness(one, other)).toBe(likeness(other, one));
    }
    expect(similarity(person({}).weights, person({ felt: { Sad: 3 } }).weights)).toBe(0.5);
  });
});

describe('the score', () => {
  const sad = { felt: { Sad: 6 } };
  const happy = { felt: { Happy: 6 } };
  const anxious = { felt: { Anxious: 6 }, tags: 3, wants: 'Similar Emotions' } as const;
  const similar = { wants: 'Similar Emotions' } as const;
  const different = { wants: 'Different Emotions' } as const;
  const balanced = { wants: 'Balanced' } as const;
  const much = { felt: { Sad: 20 }, tags: 8, likes: 8, wants: 'Similar Emotions' } as const;

  test.each<[string, Sketch, Sketch, number]>([
    ['both Similar, Anxious six times each, the same three tags', anxious, anxious, 0.75],
    ['both Similar, Sad and Happy', { ...sad, ...similar }, { ...happy, ...similar }, 0.33],
    ['both Different, Sad and Happy', { ...sad, ...different }, { ...happy, ...different }, 0.66],
    ['both Different, Sad and Sad', { ...sad, ...different }, { ...sad, ...different }, 0.33],
    ['one Similar and one Different, Sad and Sad', { ...sad, ...similar }, { ...sad, ...different }, 0.44],
    [
      'both Balanced, Sad with Happy and Sad with Angry',
      { felt: { Sad: 3, Happy: 3 }, ...balanced },
      { felt: { Sad: 3, Angry: 3 }, ...balanced },
      0.66,
    ],
    ['nobody has anything', {}, {}, 0.49],
    ['nobody has anything but four interests in common', { likes: 4 }, { likes: 4 }, 0.59],
    ['twenty vents, eight tags and eight interests in common', much, much, 0.92],
  ])('%s', (_, u, v, expected) => {
    expect(Math.abs(between(u, v) - expected)).toBeLessThanOrEqual(0.02);
  });

  const anybody = fc.record({
    weights: fc.array(fc.double({ min: 0, max: 80, noNaN: true }), { minLength: 6, maxLength: 6 }),
    tags: fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 12 }),
    likes: fc
      .uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { maxLength: 40 })
      .map((l) => new Set(l)),
    dislikes: fc
      .uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { maxLength: 20 })
      .map((l) => new Set(l)),
    preference: fc.constantFrom(...matchPreferences, null),
    daysAway: fc.integer({ min: 0, max: 30 }),
  });
  const worth = (tag: number) => tagWorth(tag);
  const runs = { numRuns: 10_000 };

  test('is one for both, from 0 to 1, with two decimals, for any two people', () => {
    fc.assert(
      fc.property(anybody, anybody, (u, v) => {
        const score = matchScore(u, v, worth);
        expect(score).toBe(matchScore(v, u, worth));
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(Math.round(score * 100) / 100).toBe(score);
      }),
      runs,
    );
  });

  test('does not fall when somebody comes back, nor rise for what one of them dislikes', () => {
    fc.assert(
      fc.property(anybody, anybody, (u, v) => {
        const score = matchScore(u, v, worth);
        expect(matchScore(u, { ...v, daysAway: 0 }, worth)).toBeGreaterThanOrEqual(score);
        const dislikes = new Set([...u.dislikes, ...v.likes]);
        expect(matchScore({ ...u, dislikes }, v, worth)).toBeLessThanOrEqual(score);
      }),
      runs,
    );
  });

  test('does not fall with one more interest that only these two have', () => {
    fc.assert(
      fc.property(anybody, anybody, (u, v) => {
        const [uToo, vToo] = [u, v].map((one) => ({ ...one, likes: new Set([...one.likes, 'kites']) }));
        if (!uToo || !vToo) return;
        // Where they had nothing in common, more that they do not share would not count either.
        expect(matchScore(uToo, vToo, worth)).toBeGreaterThanOrEqual(matchScore(u, v, worth) - 0.005);
      }),
      runs,
    );
  });

  test('follows what they wish: the more alike, the better for Similar and the worse for Different', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (a, b) => {
          const [less, more] = a < b ? [a, b] : [b, a];
          expect(fit('Similar Emotions', more)).toBeGreaterThanOrEqual(fit('Similar Emotions', less));
          expect(fit('Different Emotions', more)).toBeLessThanOrEqual(fit('Different Emotions', less));
          expect(fit('Balanced', a)).toBeLessThanOrEqual(fit('Balanced', 0.5));
          expect(fit(null, a)).toBe(fit('Similar Emotions', a));
        },
      ),
      runs,
    );
  });

  test('puts somebody nothing is known of in the middle: neither above the best nor below the worst', () => {
    const newcomer = between({}, { ...sad, ...similar });
    expect(newcomer).toBeLessThan(between({ ...sad, ...similar }, { ...sad, ...similar }));
    expect(newcomer).toBeGreaterThan(between({ ...happy, ...similar }, { ...sad, ...similar }));
  });

  test('counts a rare tag for more than one that everybody uses', () => {
    const one = { ...person({ ...sad }), tags: [1, 2] };
    const sharesRare = { ...one, tags: [1, 3] };
    const sharesCommon = { ...one, tags: [2, 3] };
    const people = (tag: number) => tagWorth(tag === 1 ? 2 : 5000);
    expect(matchScore(one, sharesRare, people)).toBeGreaterThan(matchScore(one, sharesCommon, people));
  });
});

describe('the cells', () => {
  const weights = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 6, maxLength: 6 });

  test('have room for everybody, and order all but the blank one for anybody', () => {
    fc.assert(
      fc.property(weights, fc.constantFrom(...matchPreferences, null), (felt, wish) => {
        const cell = cellOf(felt);
        expect(cell).toBeGreaterThanOrEqual(0);
        expect(cell).toBeLessThan(cellCount);
        const order = cellsByFit(felt, wish);
        expect(order.toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: cellCount - 1 }, (_, n) => n + 1),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('put the like-minded first for Similar, and last for Different', () => {
    const sad = emotions.map((emotion) => (emotion === 'Sad' ? 5 : 0));
    expect(cellsByFit(sad, 'Similar Emotions')[0]).toBe(cellOf(sad));
    expect(cellsByFit(sad, 'Different Emotions').at(-1)).toBe(cellOf(sad));
  });

  test('give a tenth of a search to people from elsewhere', () => {
    const plan = planSearch(
      Array.from({ length: cellCount - 1 }, (_, n) => n + 1),
      0,
      false,
    );
    const fitting = plan.slice(0, 4).reduce((sum, { most }) => sum + most, 0);
    expect(fitting).toBe(searchSize * 0.9);
    expect(plan).toHaveLength(cellCount);
    expect(plan.slice(4).every(({ most }) => most > 0)).toBe(true);
  });
});

describe('whom to propose', () => {
  const someone = fc.record({
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    isNewcomer: fc.constant(false),
    waiting: fc.integer({ min: 0, max: limits.openSuggestions + 2 }),
  });
  const waitingFor = ({ waiting }: { waiting: number }) => waiting;

  test('is nobody who has ten to answer, and everybody else once', () => {
    fc.assert(
      fc.property(fc.array(someone, { maxLength: 60 }), (found) => {
        const order = inTurn(found, waitingFor);
        const free = found.filter(({ waiting }) => waiting < limits.openSuggestions);
        expect(new Set(order)).toEqual(new Set(free));
        expect(order).toHaveLength(free.length);
      }),
      { numRuns: 500 },
    );
  });

  test('is the better of two whom as many wait for, and of two alike the one whom fewer wait for', () => {
    const good = { score: 0.6, isNewcomer: false, waiting: 3 };
    const fair = { ...good, score: 0.5 };
    expect(inTurn([fair, good], waitingFor)).toEqual([good, fair]);
    const seldom = { ...good, score: 0.59, waiting: 0 };
    expect(inTurn([good, seldom], waitingFor)).toEqual([seldom, good]);
  });

  test('is never decided by how few wait where two are far from alike', () => {
    const good = { score: 0.7, isNewcomer: false, waiting: limits.openSuggestions - 1 };
    const poor = { score: 0.4, isNewcomer: false, waiting: 0 };
    expect(inTurn([poor, good], waitingFor)).toEqual([good, poor]);
  });

  test('are so many at most, newcomers among them though others are better', () => {
    const scored = Array.from({ length: 3 * likelySize }, (_, n) => ({
      score: 1 - n / 1000,
      isNewcomer: n >= 2 * likelySize,
    }));
    const best = likely(scored);
    expect(best).toHaveLength(likelySize);
    expect(best.filter(({ isNewcomer }) => isNewcomer)).toHaveLength(likelySize / 5);
  });
});

test('every fifth place is a newcomer’s while there are any, nobody is listed twice and nobody is lost', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { maxLength: 60 }), (ranked) => {
      const isNewcomer = (one: number) => one % 3 === 0;
      const list = withNewcomers(ranked, isNewcomer);
      expect(list.toSorted((a, b) => a - b)).toEqual(ranked.toSorted((a, b) => a - b));
      const newcomers = ranked.filter(isNewcomer).length;
      for (let place = 5; place <= Math.min(list.length, newcomers * 5); place += 5) {
        expect(list.slice(0, place).filter(isNewcomer).length).toBeGreaterThanOrEqual(place / 5);
      }
    }),
    { numRuns: 500 },
  );
});
