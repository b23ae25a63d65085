import { limits, listVents, requestOtp, verifyOtp } from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeBudgets, type CodeBudget } from '../src/identity/otp/code-budgets.ts';
import { codeMessage, randomCode, useOf } from '../src/identity/otp/codes.ts';
import { otpMetrics } from '../src/identity/otp/otp.metrics.ts';
import { readPhone } from '../src/identity/otp/phone.ts';
import { AppError } from '../src/platform/errors.ts';
import { windowPlace } from '../src/platform/limiter.ts';
import { fillWindow } from './windows.ts';
import { newActor, ownTestApp, startBehindProxy, useTestApp, type TestApp } from './app.ts';
import { makePhone, makeUser, signIn, suspend } from './factories.ts';
import { askPaying } from './pow.ts';
import { dayMs, expiryStepMs } from '../src/platform/clock.ts';

const app = useTestApp();

const wrongCodeFor = (code: string) => (code === '000000' ? '000001' : '000000');

async function countComparisons(which: TestApp): Promise<number> {
  return (await otpMetrics(which.deps.metrics).codeComparisons.get()).values[0]?.value ?? 0;
}

async function requestCode(which: TestApp, phone: string, actor = newActor()): Promise<string> {
  const sent = await which.call(requestOtp, { as: actor, body: { phone } });
  expect(sent.status, sent.text).toBe(200);
  return which.codeFor(phone);
}

describe('the code', () => {
  test('has six digits, and every digit is equally likely in every place (R1, S9.1)', () => {
    const draws = 200_000;
    const counts = Array.from({ length: 6 }, () => Array<number>(10).fill(0));
    for (let draw = 0; draw < draws; draw += 1) {
      const code = randomCode();
      if (!/^[0-9]{6}$/u.test(code)) throw new Error(code);
      for (let place = 0; place < 6; place += 1) counts[place]![Number(code[place])]! += 1;
    }
    for (const place of counts) {
      const expected = draws / 10;
      const chiSquare = place.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0);
      // 9 degrees of freedom: chance exceeds 50 once in ten million.
      expect(chiSquare).toBeLessThan(50);
    }
  });

  test.each([
    ['signin', 'to sign in.'],
    ['reauth', 'to confirm a change (badlaav).'],
    ['change', 'to confirm a change (badlaav).'],
  ] as const)(
    'is sent for %s in one GSM-7 segment whose last line binds it to our host, with no word about feelings (R16)',
    (purpose, use) => {
      const text = codeMessage('042042', useOf(purpose), 'app.unsaid.example');
      expect(text.split('\n').at(-1)).toBe('@app.unsaid.example #042042');
      expect(text).toContain(`042042 is your Unsaid OTP ${use}`);
      // Also for a reader of Hindi alone, in Latin letters: Devanagari would need two segments.
      expect(text).toContain('kisi ko na batayen.');
      expect(text.length).toBeLessThanOrEqual(160);
      expect(text).toMatch(/^[A-Za-z0-9 .,()#@\n]+$/u);
      expect(text).not.toMatch(/feel|emotion|vent|heal|mental|mood|anonym/iu);
      // What a variable of a DLT template may hold.
      expect(useOf(purpose).length).toBeLessThanOrEqual(30);
    },
  );

  test('is valid at 299 s and refused at 301 s (R3)', async () => {
    const [early, late] = [makePhone(), makePhone()];
    const earlyCode = await requestCode(app, early);
    app.clock.advance(299_000);
    expect((await app.call(verifyOtp, { body: { phone: early, otp: earlyCode } })).status).toBe(200);
    const lateCode = await requestCode(app, late);
    app.clock.advance(301_000);
    expect((await app.call(verifyOtp, { body: { phone: late, otp: lateCode } })).status).toBe(401);
  });

  test('is compared with at most 5 of 200 parallel guesses (R4)', async () => {
    const phone = makePhone();
    const actor = newActor();
    const code = await requestCode(app, phone, actor);
    const before = await countComparisons(app);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        app.call(verifyOtp, {
          as: { ...newActor(), cookies: new Map(actor.cookies) },
          body: { phone, otp: wrongCodeFor(code) },
        }),
      ),
    );
    expect(await countComparisons(app)).toBe(before + limits.otpTries);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    // The code is used up, also for its owner.
    expect((await app.call(verifyOtp, { as: actor, body: { phone, otp: code } })).status).toBe(401);
    expect((await app.call(verifyOtp, { body: { phone, otp: code } })).status).toBe(401);
  });

  test('is compared with two of 200 parallel guesses by other callers, and the requester keeps three tries (R8)', async () => {
    const phone = makePhone();
    const owner = newActor();
    const code = await requestCode(app, phone, owner);
    const before = await countComparisons(app);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        app.call(verifyOtp, { as: newActor(), body: { phone, otp: wrongCodeFor(code) } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(await countComparisons(app)).toBe(before + limits.otpTriesWithoutChallenge);
    // Without the challenge cookie, even the right code is refused now.
    expect((await app.call(verifyOtp, { as: newActor(), body: { phone, otp: code } })).status).toBe(401);
    const answer = (otp: string) => app.call(verifyOtp, { as: owner, body: { phone, otp } });
    expect((await answer(wrongCodeFor(code))).status).toBe(401);
    expect((await answer(wrongCodeFor(code))).status).toBe(401);
    expect((await answer(code)).status).toBe(200);
  });

  test('is checked against the caller’s own challenge only if that was issued for this number', async () => {
    const [mine, theirs] = [makePhone(), makePhone()];
    const [stranger, owner] = [newActor(), newActor()];
    await requestCode(app, mine, stranger);
    const code = await requestCode(app, theirs, owner);
    const before = await countComparisons(app);
    const forged = [...(stranger.cookies?.get('otp') ?? '')].toReversed().join('');
    for (const otp of [stranger.cookies?.get('otp') ?? '', forged, 'A'.repeat(32), '']) {
      const as = { ...newActor(), cookies: new Map([['otp', otp]]) };
      const body = { phone: theirs, otp: wrongCodeFor(code) };
      expect((await app.call(verifyOtp, { as, body })).status).toBe(401);
    }
    expect(await countComparisons(app)).toBe(before + limits.otpTriesWithoutChallenge);
  });

  test('opens one session when it is sent 50 times in parallel (R5)', async () => {
    const phone = makePhone();
    const otp = await requestCode(app, phone);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => app.call(verifyOtp, { as: newActor(), body: { phone, otp } })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('is replaced by a resend for its challenge (R6)', async () => {
    const phone = makePhone();
    const actor = newActor();
    const first = await requestCode(app, phone, actor);
    await app.call(requestOtp, { as: actor, body: { phone } });
    await expect.poll(() => app.deps.outbox.recent().filter(({ to }) => to === phone).length).toBe(2);
    const second = await app.codeFor(phone);
    if (first !== second) {
      expect((await app.call(verifyOtp, { as: actor, body: { phone, otp: first } })).status).toBe(401);
    }
    expect((await app.call(verifyOtp, { as: actor, body: { phone, otp: second } })).status).toBe(200);
  });

  test('stays valid when another caller requests codes for the same number', async () => {
    const phone = makePhone();
    const me = newActor();
    const mine = await requestCode(app, phone, me);
    await app.call(requestOtp, { as: newActor(), body: { phone } });
    app.clock.advance(31_000);
    await app.call(requestOtp, { as: newActor(), body: { phone } });
    expect((await app.call(verifyOtp, { as: me, body: { phone, otp: mine } })).status).toBe(200);
  });

  test('is the newest one for a client that sends only phone and otp (S7.3)', async () => {
    const phone = makePhone();
    await requestCode(app, phone, newActor());
    await app.call(requestOtp, { as: newActor(), body: { phone } });
    await expect.poll(() => app.deps.outbox.recent().filter(({ to }) => to === phone).length).toBe(2);
    const answer = await app.call(verifyOtp, { body: { phone, otp: await app.codeFor(phone) } });
    expect(answer.status).toBe(200);
  });
});

describe('a request for a code', () => {
  test('runs no SQL statement (R9)', async () => {
    const known = await makeUser(app);
    app.clock.advance(31_000);
    app.statements.length = 0;
    await app.call(requestOtp, { as: newActor(), body: { phone: known.phone } });
    await app.call(requestOtp, { as: newActor(), body: { phone: makePhone() } });
    expect(app.statements).toEqual([]);
  });

  test('gets the same response bytes for known, unknown and suspended numbers (R10)', async () => {
    const [known, suspended] = [await makeUser(app), await makeUser(app)];
    await suspend(app, suspended);
    app.clock.advance(600_000);
    const answers = await Promise.all(
      [known.phone, makePhone(), suspended.phone].map((phone) =>
        app.call(requestOtp, { as: newActor(), body: { phone } }),
      ),
    );
    const seen = answers.map(({ status, text, headers }) => ({
      status,
      text,
      headers: Object.keys(headers).toSorted(),
      cookie: String(headers['set-cookie']).replace(/=[A-Za-z0-9_-]{32};/u, '=…;'),
    }));
    expect(seen[0]?.text.trimEnd()).toBe('{"success":true,"resendAfter":0,"expiresIn":300}');
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });

  test('can be repeated once immediately and then every 30 s, with an integer Retry-After (R7, S9.2)', async () => {
    const phone = makePhone();
    const actor = newActor();
    const send = () => app.call(requestOtp, { as: actor, body: { phone } });
    expect((await send()).body).toMatchObject({ resendAfter: 0 });
    expect((await send()).body).toMatchObject({ resendAfter: 30 });
    const early = await send();
    expect(early.status).toBe(429);
    expect(early.body.code).toBe('OTP_RATE_LIMITED');
    expect(Number(early.headers['retry-after'])).toBe(30);
    app.clock.advance(29_000);
    expect((await send()).status).toBe(429);
    app.clock.advance(1_000);
    expect((await send()).status).toBe(200);
  });

  test('succeeds 5 times an hour and 10 times a day for a number, for all callers together (R8)', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const phone = makePhone();
    const send = async () => (await strict.call(requestOtp, { as: newActor(), body: { phone } })).status;
    for (let hour = 0; hour < 2; hour += 1) {
      for (let sent = 0; sent < 5; sent += 1) {
        expect(await send()).toBe(200);
        strict.clock.advance(31_000);
      }
      expect(await send()).toBe(429);
      strict.clock.advance(3_600_000);
    }
    expect(await send()).toBe(429);
    strict.clock.advance(24 * 3_600_000);
    expect(await send()).toBe(200);
  });

  test('succeeds 60 times an hour from an address, counted by /64 for IPv6 (R8)', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const at = (suffix: number) => ({ address: `2001:db8:1:2::${suffix.toString(16)}` });
    for (let sent = 0; sent < 60; sent += 1) {
      // All but the first five need proof of work.
      const answer = await askPaying(strict, makePhone(), at(sent + 1));
      expect(answer.status, answer.text).toBe(200);
      if (sent % 20 === 19) strict.clock.advance(60_000);
    }
    expect((await strict.call(requestOtp, { as: at(999), body: { phone: makePhone() } })).status).toBe(429);
    const elsewhere = { address: '2001:db8:1:3::1' };
    expect((await strict.call(requestOtp, { as: elsewhere, body: { phone: makePhone() } })).status).toBe(200);
  });

  test('still succeeds from a known device during a flood on its number (R8)', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const me = newActor();
    const { phone } = await signIn(strict, makePhone(), me);
    strict.clock.advance(600_000);
    for (let sent = 0; sent < 8; sent += 1) {
      await strict.call(requestOtp, { as: newActor(), body: { phone } });
      strict.clock.advance(31_000);
    }
    expect((await strict.call(requestOtp, { as: newActor(), body: { phone } })).status).toBe(429);
    expect((await strict.call(requestOtp, { as: me, body: { phone } })).status).toBe(200);
    await strict.deps.backgroundDone();
    const otp = await strict.codeFor(phone);
    for (let guess = 0; guess < 60; guess += 1) {
      const as = newActor();
      const answer = await strict.call(verifyOtp, { as, body: { phone, otp: wrongCodeFor(otp) } });
      expect(answer.status).toBe(401);
    }
    expect((await strict.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  });

  test('fails with 503 at the daily ceiling, and the alert metric is set (R14)', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    // Writes 4,499 sends in the format of the server. The last 500 are reserved for known devices
    // (abuse.test.ts).
    const window = { budget: 'sendsByService', windowSeconds: 86_400, subject: 'all' };
    await fillWindow(strict, window, 4499, strict.clock.now() - 7_200_000);
    expect((await strict.call(requestOtp, { as: newActor(), body: { phone: makePhone() } })).status).toBe(
      200,
    );
    const refused = await strict.call(requestOtp, { as: newActor(), body: { phone: makePhone() } });
    expect([refused.status, refused.body.code]).toEqual([503, 'SMS_UNAVAILABLE']);
    expect(refused.body.message).toBe('Failed to send OTP');
    expect((await otpMetrics(strict.deps.metrics).smsCeilingSpent.get()).values[0]?.value).toBe(0.9);
    expect(strict.log.lines.join('')).toContain('sms_ceiling_reached');
  });
});

describe('numbers', () => {
  const rules = { countries: ['IN'], testCode: () => undefined };
  const refusal = (typed: string, countries: string[] | 'all' = 'all') => {
    try {
      return readPhone(typed, { ...rules, countries }).phone;
    } catch (error) {
      return (error as AppError).code;
    }
  };

  test('are accepted if they are mobile numbers of allowed countries, and are normalized (R12, S5.2)', () => {
    expect(refusal('+91 98765 43210')).toBe('+919876543210');
    expect(refusal('＋９１９８７６５４３２１０')).toBe('+919876543210');
    expect(refusal('9876543210')).toBe('INVALID_PHONE');
    expect(refusal('+919876543210 ext. 5')).toBe('INVALID_PHONE');
    expect(refusal('+911800114000'), 'toll free').toBe('INVALID_PHONE');
    expect(refusal('+911123456789'), 'fixed line').toBe('INVALID_PHONE');
    expect(refusal('+447700900123'), 'fictitious').toBe('INVALID_PHONE');
    expect(refusal('+442079460958', ['IN', 'GB']), 'fixed line').toBe('INVALID_PHONE');
    expect(refusal('+12015550123', ['IN']), 'elsewhere').toBe('COUNTRY_NOT_SUPPORTED');
  });

  test('cause no other error, whatever is typed (R12)', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (typed) => {
        expect(refusal(typed)).toMatch(/^(?:INVALID_PHONE|COUNTRY_NOT_SUPPORTED|\+[0-9]{5,15})$/u);
      }),
      { numRuns: 2000 },
    );
  });

  test('are refused for their digits alone (R12)', async () => {
    const answer = await app.call(requestOtp, { body: { phone: '+91123' } });
    expect([answer.status, answer.body.code]).toEqual([422, 'INVALID_PHONE']);
    const india = await ownTestApp({ smsCountries: ['IN'] });
    const other = await india.call(requestOtp, { body: { phone: '+14155552671' } });
    expect([other.status, other.body.code]).toEqual([422, 'COUNTRY_NOT_SUPPORTED']);
  });
});

test('every failed verification gives the same response (R11, S8.3)', async () => {
  const causes: Record<string, () => Promise<{ phone: string; otp: string }>> = {
    'never sent': async () => ({ phone: makePhone(), otp: '123456' }),
    wrong: async () => {
      const phone = makePhone();
      return { phone, otp: wrongCodeFor(await requestCode(app, phone)) };
    },
    expired: async () => {
      const phone = makePhone();
      const otp = await requestCode(app, phone);
      app.clock.advance(301_000);
      return { phone, otp };
    },
    used: async () => {
      const phone = makePhone();
      const otp = await requestCode(app, phone);
      await app.call(verifyOtp, { body: { phone, otp } });
      return { phone, otp };
    },
    exhausted: async () => {
      const phone = makePhone();
      const asker = newActor();
      const otp = await requestCode(app, phone, asker);
      for (let guess = 0; guess < 5; guess += 1) {
        await app.call(verifyOtp, { as: asker, body: { phone, otp: wrongCodeFor(otp) } });
      }
      return { phone, otp };
    },
    'exhausted by strangers': async () => {
      const phone = makePhone();
      const otp = await requestCode(app, phone);
      for (let guess = 0; guess < 2; guess += 1) {
        await app.call(verifyOtp, { as: newActor(), body: { phone, otp: wrongCodeFor(otp) } });
      }
      return { phone, otp };
    },
    'sent for another purpose': async () => {
      const phone = makePhone();
      await app.call(requestOtp, { as: newActor(), body: { phone, purpose: 'reauth' } });
      return { phone, otp: await app.codeFor(phone) };
    },
  };
  const seen = new Set<string>();
  for (const prepare of Object.values(causes)) {
    const answer = await app.call(verifyOtp, { as: newActor(), body: await prepare() });
    expect(answer.status).toBe(401);
    seen.add(
      JSON.stringify([
        answer.text.replace(/"requestId":"[^"]*"/u, ''),
        Object.keys(answer.headers).toSorted(),
      ]),
    );
  }
  expect([...seen]).toHaveLength(1);
  expect([...seen][0]).toContain('Invalid OTP');
});

test('a verification writes no counter for a number, whatever its result (R6)', async () => {
  const strict = await ownTestApp({ limitsScale: 1 });
  const [live, unused] = [makePhone(), makePhone()];
  const code = await requestCode(strict, live);
  const { redisCrypto } = strict.deps;
  const subjects = [live, unused].map((phone) => redisCrypto.keyedHash('phone', phone));
  /** The names of a number: in the key itself, or of its windows. */
  const names = subjects.flatMap((subject) => [
    subject,
    ...Object.entries<readonly CodeBudget[]>(codeBudgets).flatMap(([budget, windows]) =>
      windows.map(({ windowSeconds }) => windowPlace(redisCrypto, { budget, windowSeconds, subject }).key),
    ),
  ]);
  const named = async () => {
    const keys = await strict.redis.keys(`${strict.config.redisPrefix}*`);
    return keys.filter((key) => names.some((name) => key.includes(name))).toSorted();
  };
  const before = await named();
  for (const phone of [live, unused]) {
    const answer = await strict.call(verifyOtp, { as: newActor(), body: { phone, otp: wrongCodeFor(code) } });
    expect(answer.status).toBe(401);
  }
  expect(await named()).toEqual(before);
  expect((await strict.call(verifyOtp, { as: newActor(), body: { phone: live, otp: code } })).status).toBe(
    200,
  );
  // The code is used up. Only the two windows of sent messages remain.
  expect((await named()).map((key) => key.split(':').slice(1, -1).join(':'))).toEqual([
    'window:sendsPerNumber:3600',
    'window:sendsPerNumber:86400',
  ]);
});

test('proof of work that older clients send with a code is ignored (R15)', async () => {
  const phone = makePhone();
  const otp = await requestCode(app, phone);
  const body = { phone, otp, pow: 'anything' };
  expect((await app.call(verifyOtp, { body })).status).toBe(200);
});

test('without Redis no code is sent or accepted, and a signed-in person reads on (R53)', async () => {
  const { second, redis } = await startBehindProxy(app);
  const [person, phone] = [await makeUser(app), makePhone()];
  const otp = await requestCode(app, phone);
  await redis.refuse();
  expect((await second.call(requestOtp, { as: newActor(), body: { phone: makePhone() } })).status).toBe(503);
  expect((await second.call(verifyOtp, { as: newActor(), body: { phone, otp } })).status).toBe(503);
  expect((await second.call(listVents, { as: person })).status).toBe(200);
});

test('Redis contains no number and no code, in any key or value (R2)', async () => {
  const own = await ownTestApp();
  const phone = '+919812345678';
  const actor = newActor();
  await own.call(requestOtp, { as: actor, body: { phone } });
  const code = await own.codeFor(phone);
  await own.call(verifyOtp, { as: actor, body: { phone, otp: wrongCodeFor(code) } });
  const dump: string[] = [];
  for (const key of await own.redis.keys(`${own.config.redisPrefix}*`)) {
    const type = await own.redis.type(key);
    dump.push(
      key,
      type === 'string'
        ? String(await own.redis.get(key))
        : type === 'hash'
          ? JSON.stringify(await own.redis.hgetall(key))
          : JSON.stringify(await own.redis.zrange(key, '0', '-1', 'WITHSCORES')),
    );
    expect(await own.redis.pttl(key), `${key} must expire within a day`).toBeGreaterThan(0);
    expect(await own.redis.pttl(key)).toBeLessThanOrEqual(dayMs + expiryStepMs + 1000);
  }
  const text = dump.join('\n');
  expect(text).toContain('otp:1:signin:');
  expect(text).not.toContain('9812345678');
  expect(text).not.toMatch(new RegExp(`(?<![0-9])${code}(?![0-9])`, 'u'));
});
