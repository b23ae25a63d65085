import { requestOtp, verifyOtp } from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { codeBudgets, type CodeBudget, type CodeBudgetName } from '../src/identity/otp/code-budgets.ts';
import { otpMetrics } from '../src/identity/otp/otp.metrics.ts';
import { newActor, ownTestApp, type Actor, type TestApp } from './app.ts';
import { makePhone, signIn } from './factories.ts';
import { askPaying } from './pow.ts';
import { addressSubject, fillWindow } from './windows.ts';

const startStrictApp = (overrides = {}) =>
  ownTestApp({ limitsScale: 1, smsCountries: ['IN', 'US'], ...overrides });
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const requestCode = (app: TestApp, phone: string, as: Actor = newActor()) => askPaying(app, phone, as);
const sendWrongCode = (app: TestApp, phone: string, as: Actor = newActor()) =>
  app.call(verifyOtp, { as, body: { phone, otp: '000000' } });

/** Writes `count` earlier uses of a budget to Redis, because making that many calls would take too long. */
async function fillBudget(
  app: TestApp,
  budget: CodeBudgetName,
  subject: string,
  count: number,
): Promise<void> {
  for (const { windowSeconds, work } of codeBudgets[budget] as readonly CodeBudget[]) {
    // Older than one minute, because the last minute has a limit of its own.
    const window = { budget, windowSeconds, subject: `${work ? 'free:' : ''}${subject}` };
    await fillWindow(app, window, count, app.clock.now() - 2 * minuteMs);
  }
}

async function countPowRequired(app: TestApp, reason: string): Promise<number> {
  const { values } = await otpMetrics(app.deps.metrics).powRequired.get();
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
}

test('an address that did not request the code may verify 150 times an hour, and a browser that did request it is not rejected (R8)', async () => {
  const app = await startStrictApp();
  const as = { address: newActor().address ?? '' };
  expect((await sendWrongCode(app, makePhone(), as)).status).toBe(401);
  await fillBudget(app, 'triesWithoutChallengePerAddress', addressSubject(app, as.address), 149);
  expect((await sendWrongCode(app, makePhone(), as)).status).toBe(429);
  expect((await sendWrongCode(app, makePhone())).status).toBe(401);
  // A browser at the same address without a known-device cookie.
  const [phone, me] = [makePhone(), { ...as, cookies: new Map<string, string>() }];
  await requestCode(app, phone, me);
  const otp = await app.codeFor(phone);
  expect((await sendWrongCode(app, phone, me)).status).toBe(401);
  expect((await app.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  app.clock.advance(hourMs);
  expect((await sendWrongCode(app, makePhone(), as)).status).toBe(401);
});

describe('beyond a soft limit, a request costs proof of work and is not rejected:', () => {
  test('2,000 wrong codes in a day on the whole service require it and raise an alarm (R8)', async () => {
    const app = await startStrictApp();
    await fillBudget(app, 'failuresByService', 'all', 1999);
    expect(await requestCode(app, makePhone())).toMatchObject({ status: 200, wasWorkAsked: false });
    expect((await sendWrongCode(app, makePhone())).status).toBe(401);
    expect((await otpMetrics(app.deps.metrics).failedTriesSpent.get()).values[0]?.value).toBe(1);
    expect(app.log.lines.join('')).toContain('failed_tries_spent');
    // Only requesting a code costs proof of work; verifying one never does.
    expect((await sendWrongCode(app, makePhone())).status).toBe(401);
    const [phone, me] = [makePhone(), newActor()];
    expect(await requestCode(app, phone, me)).toMatchObject({ status: 200, wasWorkAsked: true });
    const otp = await app.codeFor(phone);
    expect((await app.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  });

  test('10 new accounts from an address in an hour require it, and only a right code counts (R8)', async () => {
    const app = await startStrictApp();
    const address = newActor().address ?? '';
    const newBrowser = (): Actor => ({ address, cookies: new Map() });
    const signInWithCode = async (phone: string) => {
      const as = newBrowser();
      const { wasWorkAsked } = await requestCode(app, phone, as);
      // Stays within the number of codes that an address may request without proof of work.
      app.clock.advance(3 * minuteMs);
      const otp = await app.codeFor(phone);
      const { status } = await app.call(verifyOtp, { as, body: { phone, otp } });
      return { status, wasWorkAsked };
    };
    const phones = Array.from({ length: 10 }, () => makePhone());
    for (const phone of phones)
      expect(await signInWithCode(phone)).toEqual({ status: 200, wasWorkAsked: false });
    // Existing accounts need the work too; otherwise the response would reveal whether a number has one.
    expect(await signInWithCode(phones[0] ?? '')).toEqual({ status: 200, wasWorkAsked: true });
    expect(await signInWithCode(makePhone())).toEqual({ status: 200, wasWorkAsked: true });
    expect(await countPowRequired(app, 'newAccountsPerAddress')).toBe(2);
    // At 200 the address can create no account for a while, and existing accounts can still sign in.
    await fillBudget(app, 'newAccountsPerAddress', addressSubject(app, address), 200);
    expect((await signInWithCode(makePhone())).status).toBe(429);
    expect(await signInWithCode(phones[1] ?? '')).toEqual({ status: 200, wasWorkAsked: true });
    app.clock.advance(hourMs);
    expect(await signInWithCode(makePhone())).toEqual({ status: 200, wasWorkAsked: false });
  });

  test('10 codes to a prefix in an hour require it (R8)', async () => {
    const app = await startStrictApp();
    const start = makePhone().slice(0, -4);
    for (let sent = 0; sent < 10; sent += 1)
      expect(await requestCode(app, `${start}${1000 + sent}`)).toMatchObject({
        status: 200,
        wasWorkAsked: false,
      });
    for (let sent = 0; sent < 5; sent += 1)
      expect(await requestCode(app, `${start}${2000 + sent}`)).toMatchObject({
        status: 200,
        wasWorkAsked: true,
      });
    expect(await requestCode(app, makePhone())).toMatchObject({ status: 200, wasWorkAsked: false });
  });

  test('20 codes to another country in an hour require it, and 1,000 to the home country (R8)', async () => {
    const app = await startStrictApp();
    // Different prefixes, all of them mobile.
    const abroad = (n: number) => `+1201555${String(n).padStart(4, '0')}`.replace('555', String(200 + n));
    for (let sent = 0; sent < 20; sent += 1)
      expect(await requestCode(app, abroad(sent))).toMatchObject({ status: 200, wasWorkAsked: false });
    expect(await requestCode(app, abroad(20))).toMatchObject({ status: 200, wasWorkAsked: true });
    expect(await countPowRequired(app, 'sendsToOtherCountry')).toBe(1);
    expect(await requestCode(app, makePhone())).toMatchObject({ status: 200, wasWorkAsked: false });
    app.clock.advance(2 * minuteMs);
    await fillBudget(app, 'sendsToHomeCountry', app.deps.redisCrypto.keyedHash('country', 'IN'), 999);
    expect(await requestCode(app, makePhone())).toMatchObject({ status: 200, wasWorkAsked: true });
    expect(await countPowRequired(app, 'sendsToHomeCountry')).toBe(1);
  });
});

describe('codes that are sent and never entered', () => {
  const startWatchedApp = () => startStrictApp({ isConversionWatched: true });
  const countTrips = async (app: TestApp, scope: string) =>
    (await otpMetrics(app.deps.metrics).smsConversionLow.get()).values.find(
      ({ labels }) => labels.scope === scope,
    )?.value ?? 0;
  async function signInWithCode(app: TestApp, phone = makePhone()): Promise<boolean> {
    const as = newActor();
    const { wasWorkAsked, status } = await requestCode(app, phone, as);
    expect(status).toBe(200);
    const otp = await app.codeFor(phone);
    expect((await app.call(verifyOtp, { as, body: { phone, otp } })).status).toBe(200);
    return wasWorkAsked;
  }
  async function requestUnusedCodes(
    app: TestApp,
    times: number,
    phoneOf: (n: number) => string = makePhone,
  ): Promise<number> {
    let asked = 0;
    for (let sent = 0; sent < times; sent += 1) {
      // Stays within the number of messages that the service sends in a minute.
      if (sent % 20 === 19) app.clock.advance(minuteMs);
      const answer = await requestCode(app, phoneOf(sent));
      expect(answer.status).toBe(200);
      if (answer.wasWorkAsked) asked += 1;
    }
    return asked;
  }

  test('make every code of their country cost work and raise an alarm, until enough codes are entered; no request is rejected (R13)', async () => {
    const app = await startWatchedApp();
    expect(await requestUnusedCodes(app, 20)).toBe(0);
    expect(await countTrips(app, 'country')).toBe(1);
    expect(app.log.lines.join('')).toContain('sms_conversion_low');
    // Open: every request needs proof of work, and every number gets its code.
    expect(await requestUnusedCodes(app, 4)).toBe(4);
    expect(await countTrips(app, 'country')).toBe(1);
    // Other countries are not affected.
    expect((await requestCode(app, '+12012012345')).wasWorkAsked).toBe(false);
    // People enter their codes: 6 of 30 is a fifth, so it recovers.
    app.clock.advance(minuteMs);
    const asked: boolean[] = [];
    for (let people = 0; people < 7; people += 1) asked.push(await signInWithCode(app));
    expect(asked).toEqual([true, true, true, true, true, true, false]);
    // On probation: far fewer unused codes open it again, once the used ones are older than an hour.
    app.clock.advance(60 * minuteMs);
    expect(await requestUnusedCodes(app, 5)).toBe(0);
    expect(await requestUnusedCodes(app, 1)).toBe(1);
    // After two quiet hours it is closed and allows twenty unused codes again.
    app.clock.advance(121 * minuteMs);
    expect(await requestUnusedCodes(app, 20)).toBe(0);
    expect(await requestUnusedCodes(app, 1)).toBe(1);
    expect(await countTrips(app, 'country')).toBe(2);
  });

  test('make codes of their prefix cost work, and not those of other prefixes (R13)', async () => {
    const app = await startWatchedApp();
    const start = makePhone().slice(0, -4);
    const neighbours = makePhone().slice(0, -4);
    // Conversion of the country as a whole is high.
    for (let people = 0; people < 12; people += 1) await signInWithCode(app);
    app.clock.advance(minuteMs);
    await requestUnusedCodes(app, 20, (n) => `${start}${3000 + n}`);
    expect(await countTrips(app, 'prefix')).toBe(1);
    expect(await countTrips(app, 'country')).toBe(0);
    app.clock.advance(10 * minuteMs);
    expect((await requestCode(app, `${start}9999`)).wasWorkAsked).toBe(true);
    expect(await countPowRequired(app, 'conversion by prefix')).toBeGreaterThan(0);
    expect((await requestCode(app, `${neighbours}9999`)).wasWorkAsked).toBe(false);
  });

  test('are not counted where messages cost nothing (R13)', async () => {
    const app = await startStrictApp();
    expect(app.config.isConversionWatched).toBe(false);
    expect(await requestUnusedCodes(app, 25)).toBe(0);
    expect(await app.redis.keys(`${app.config.redisPrefix}conversion:*`)).toEqual([]);
  });

  test('are counted under keyed names that expire within a day (R13)', async () => {
    const app = await startWatchedApp();
    const phone = '+919812345678';
    await signInWithCode(app, phone);
    const keys = await app.redis.keys(`${app.config.redisPrefix}*`);
    const counted = keys.filter((key) => /conversion:|Prefix|Country/u.test(key));
    expect(counted).toHaveLength(4);
    for (const key of counted) {
      expect(key).not.toMatch(/9812|91981|IN$/u);
      expect(await app.redis.pttl(key)).toBeGreaterThan(0);
      expect(await app.redis.pttl(key)).toBeLessThanOrEqual(24 * hourMs);
    }
  });
});

describe('an attacker can neither lock an owner out nor block a country:', () => {
  test('with every shared budget used up, a known device gets its code and signs in without work (R8)', async () => {
    const app = await startStrictApp({ isConversionWatched: true });
    const me = newActor();
    const { phone } = await signIn(app, makePhone(), me);
    app.clock.advance(hourMs);
    // From the owner's own address, as behind carrier-grade NAT: the number, the prefix, the country and the rest.
    const neighbour = { address: me.address ?? '' };
    for (let sent = 0; sent < 6; sent += 1) {
      await requestCode(app, phone, neighbour);
      app.clock.advance(31_000);
    }
    for (let tries = 0; tries < 51; tries += 1) await sendWrongCode(app, phone, neighbour);
    const address = addressSubject(app, neighbour.address);
    const area = {
      country: app.deps.redisCrypto.keyedHash('country', 'IN'),
      prefix: app.deps.redisCrypto.keyedHash('prefix', phone.slice(0, -4)),
    };
    await fillBudget(app, 'sendsPerAddress', address, 300);
    await fillBudget(app, 'triesWithoutChallengePerAddress', address, 150);
    await fillBudget(app, 'newAccountsPerAddress', address, 200);
    await fillBudget(app, 'failuresByService', 'all', 2000);
    await fillBudget(app, 'sendsPerPrefix', area.prefix, 10);
    await fillBudget(app, 'sendsToHomeCountry', area.country, 1000);
    await fillBudget(app, 'sendsByService', 'all', 4500);
    for (let sent = 0; sent < 25; sent += 1) await app.call(requestOtp, { as: newActor(), body: { phone } });
    const strangers = await requestCode(app, makePhone());
    expect([strangers.status, strangers.body.code]).toEqual([503, 'SMS_UNAVAILABLE']);
    expect((await sendWrongCode(app, phone, neighbour)).status).toBe(429);

    const sent = await app.call(requestOtp, { as: me, body: { phone } });
    expect(sent.text.trimEnd()).toBe('{"success":true,"resendAfter":0,"expiresIn":300}');
    await app.deps.backgroundDone();
    const otp = await app.codeFor(phone);
    expect((await app.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  });

  test('with a country flooded from a thousand addresses, a new person there can sign in after proof of work (R8)', async () => {
    const app = await startStrictApp({ isConversionWatched: true });
    const start = makePhone().slice(0, -4);
    await fillBudget(app, 'sendsToHomeCountry', app.deps.redisCrypto.keyedHash('country', 'IN'), 1000);
    await fillBudget(app, 'failuresByService', 'all', 2000);
    for (let sent = 0; sent < 22; sent += 1) await requestCode(app, `${start}${4000 + sent}`);
    app.clock.advance(minuteMs);
    const [me, phone] = [newActor(), `${start}5555`];
    const sent = await requestCode(app, phone, me);
    expect(sent).toMatchObject({ status: 200, wasWorkAsked: true });
    const otp = await app.codeFor(phone);
    expect((await app.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  });

  test('the last codes of a day are reserved for known devices, and beyond the ceiling no code is sent (R14)', async () => {
    const app = await startStrictApp();
    const me = newActor();
    const { phone } = await signIn(app, makePhone(), me);
    app.clock.advance(10 * minuteMs);
    await fillBudget(app, 'sendsByService', 'all', 4499);
    expect((await requestCode(app, makePhone())).status).toBe(503);
    expect((await requestCode(app, phone, me)).status).toBe(200);
    await fillBudget(app, 'sendsByService', 'all', 5000);
    app.clock.advance(10 * minuteMs);
    const refused = await requestCode(app, phone, me);
    expect([refused.status, refused.body.code]).toEqual([503, 'SMS_UNAVAILABLE']);
    expect(app.log.lines.join('')).toContain('"event":"sms_ceiling_spent","count":80');
  });
});
