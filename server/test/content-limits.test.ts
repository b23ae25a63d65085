import { commentOnVent, createVent, deleteVent, react, reportVent, searchVents } from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { ownTestApp, type Answer, type TestApp } from './app.ts';
import { makeUser, makeVent, type Person } from './factories.ts';
import { hour, outcomeOf, ventBody } from './vent-app.ts';

describe('limits of a person', () => {
  function expectRateLimited(answer: Answer<unknown>): void {
    expect(outcomeOf(answer), answer.text).toEqual([429, 'RATE_LIMITED']);
    expect(answer.headers['retry-after']).toMatch(/^[1-9][0-9]*$/u);
    expect(`${JSON.stringify(answer.headers)}${answer.text}`).not.toMatch(
      /bucket|budget|ratelimit|remaining|vents|searches/iu,
    );
  }

  const cases: [
    string,
    number,
    number,
    (strict: TestApp, me: Person, ventId: string, n: number) => Promise<Answer<unknown>>,
  ][] = [
    [
      '10 vents in 10 minutes',
      10,
      60_000,
      (strict, as, _id, n) => strict.call(createVent, { as, body: { ...ventBody, title: `t ${n}` } }),
    ],
    [
      '20 comments in 10 minutes',
      20,
      30_000,
      (strict, as, ventId) => strict.call(commentOnVent, { as, body: { ventId, text: 'x' } }),
    ],
    [
      '120 reactions in 5 minutes',
      120,
      2500,
      (strict, as, ventId) => strict.call(react, { as, body: { ventId, reactionType: 'hug' } }),
    ],
    [
      '10 reports in an hour',
      10,
      360_000,
      (strict, as, ventId) => strict.call(reportVent, { as, body: { ventId, reason: 'Spam' } }),
    ],
    [
      '30 deletions in 30 minutes',
      30,
      60_000,
      (strict, as) => strict.call(deleteVent, { as, params: { id: 'x' } }),
    ],
    [
      '60 words searched in a minute, of which one alone counts as two',
      30,
      2000,
      // The number of vents that the search page requests: results are counted as well.
      (strict, as) => strict.call(searchVents, { as, query: { query: 'x', limit: '20' } }),
    ],
  ];

  test('each limit of the table holds, is independent of the others, and depends on the caller alone (R52)', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const author = await makeUser(strict);
    const { id } = await makeVent(strict, author);
    for (const [name, limit, refillMs, call] of cases) {
      const [me, other] = [await makeUser(strict), await makeUser(strict)];
      // Past the first two days, in which the daily limits are lower.
      strict.clock.advance(49 * hour);
      for (let n = 0; n < limit; n += 1) {
        const { status, text } = await call(strict, me, id, n);
        expect(status, `${name}, number ${n}: ${text}`).not.toBe(429);
      }
      expectRateLimited(await call(strict, me, id, limit));
      // With any id: the response depends on the caller alone.
      expectRateLimited(await call(strict, me, 'x', limit));
      expect((await call(strict, other, id, 0)).status, name).not.toBe(429);
      for (const [another, , , elsewhere] of cases) {
        if (another !== name) expect((await elsewhere(strict, me, id, 500)).status, another).not.toBe(429);
      }
      // Buckets have a resolution of ten seconds.
      const refilled = Math.max(1, 10_000 / refillMs);
      strict.clock.advance(refilled * refillMs);
      for (let n = 1; n <= refilled; n += 1) {
        expect((await call(strict, me, id, limit + n)).status, name).not.toBe(429);
      }
      expectRateLimited(await call(strict, me, id, limit + refilled + 1));
    }
  });

  test('a new account has 15 vents, 40 comments, 300 reactions and 5 reports on the first day (R52)', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const { id } = await makeVent(strict, await makeUser(strict));
    for (const [name, most] of [
      ['vents', 15],
      ['comments', 40],
      ['reactions', 300],
      ['reports', 5],
    ] as const) {
      const [, , refillMs, call] = cases.find(([title]) => title.includes(name)) ?? [];
      if (!call || !refillMs) throw new Error(name);
      const me = await makeUser(strict);
      let taken = 0;
      for (let n = 0; n < most + 5; n += 1) {
        if ((await call(strict, me, id, n)).status !== 429) taken += 1;
        strict.clock.advance(Math.min(refillMs, 60_000));
      }
      // Plus the tokens that were refilled meanwhile.
      expect(taken, name).toBeGreaterThanOrEqual(most);
      expect(taken, name).toBeLessThanOrEqual(most + 3);
    }
  });

  test('a person has 30 vents a day', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const me = await makeUser(strict);
    strict.clock.advance(49 * hour);
    let taken = 0;
    for (let minutes = 0; minutes < 60; minutes += 1) {
      const { status } = await strict.call(createVent, {
        as: me,
        body: { ...ventBody, title: `t ${minutes}` },
      });
      if (status === 201) taken += 1;
      strict.clock.advance(60_000);
    }
    // Token bucket: the thirty of a day, plus the tokens that were refilled meanwhile.
    expect(taken).toBeGreaterThanOrEqual(30);
    expect(taken).toBeLessThanOrEqual(32);
  });
});
