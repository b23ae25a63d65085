import { codeBudgets, requestOtp, verifyOtp, type CodeBudgetName } from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { newActor, ownTestApp, type Actor, type TestApp } from './app.ts';
import { makePhone, signIn } from './make.ts';
import { askPaying } from './pay.ts';

const strictApp = (overrides = {}) =>
  ownTestApp({ limitsScale: 1, smsCountries: ['IN', 'US'], ...overrides });
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const ask = (app: TestApp, phone: string, as: Actor = newActor()) => askPaying(app, phone, as);
const guess = (app: TestApp, phone: string, as: Actor = newActor()) =>
  app.call(verifyOtp, { as, body: { phone, otp: '000000' } });

/** As Redis would hold it after so many takes: what is too long to do by hand. */
async function fill(app: TestApp, budget: CodeBudgetName, subject: string, count: number): Promise<void> {
  for (const { windowSeconds, work } of codeBudgets[budget] as readonly {
    windowSeconds: number;
    work?: string;
  }[]) {
    const key = `${app.config.redisPrefix}window:${budget}:${windowSeconds}:${work ? 'free:' : ''}${subject}`;
    // Not of this minute, which has a limit of its own.
    const at = String(app.clock.now() - 2 * minuteMs);
    await app.redis.zadd(key, ...Array.from({ length: count }, (_, n) => [at, `filled${n}`]).flat());
  }
}

async function askedBecause(app: TestApp, reason: string): Promise<number> {
  const { values } = await app.deps.metrics.workAsked.get();
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
}

test('150 answers in an hour from an address that has not asked for the code; whoever has is not refused', async () => {
  const app = await strictApp();
  const as = { address: newActor().address ?? '' };
  expect((await guess(app, makePhone(), as)).status).toBe(401);
  await fill(app, 'triesWithoutChallengePerAddress', await addressSubject(app), 149);
  expect((await guess(app, makePhone(), as)).status).toBe(429);
  expect((await guess(app, makePhone())).status).toBe(401);
  // At the same address, and new here.
  const [phone, me] = [makePhone(), { ...as, cookies: new Map<string, string>() }];
  await ask(app, phone, me);
  const otp = await app.codeFor(phone);
  expect((await guess(app, phone, me)).status).toBe(401);
  expect((await app.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  app.clock.advance(hourMs);
  expect((await guess(app, makePhone(), as)).status).toBe(401);
});

describe('over a soft limit there is work, not a refusal', () => {
  test('2,000 wrong answers in a day, wherever they fell, and an alarm', async () => {
    const app = await strictApp();
    await fill(app, 'failuresByService', 'all', 1999);
    expect(await ask(app, makePhone())).toMatchObject({ status: 200, wasWorkAsked: false });
    expect((await guess(app, makePhone())).status).toBe(401);
    expect((await app.deps.metrics.failedTriesSpent.get()).values[0]?.value).toBe(1);
    expect(app.log.lines.join('')).toContain('failed_tries_spent');
    // Asking for a code is work then; answering one, rightly or wrongly, never is.
    expect((await guess(app, makePhone())).status).toBe(401);
    const [phone, me] = [makePhone(), newActor()];
    expect(await ask(app, phone, me)).toMatchObject({ status: 200, wasWorkAsked: true });
    const otp = await app.codeFor(phone);
    expect((await app.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  });

  test('10 new accounts from an address in an hour; counted after a right code alone', async () => {
    const app = await strictApp();
    const address = newActor().address ?? '';
    const from = (): Actor => ({ address, cookies: new Map() });
    const enter = async (phone: string) => {
      const as = from();
      const { wasWorkAsked } = await ask(app, phone, as);
      // Within what an address may ask for nothing.
      app.clock.advance(3 * minuteMs);
      const otp = await app.codeFor(phone);
      const { status } = await app.call(verifyOtp, { as, body: { phone, otp } });
      return { status, wasWorkAsked };
    };
    const phones = Array.from({ length: 10 }, () => makePhone());
    for (const phone of phones) expect(await enter(phone)).toEqual({ status: 200, wasWorkAsked: false });
    // Also of somebody who has an account: whether there is one must not show.
    expect(await enter(phones[0] ?? '')).toEqual({ status: 200, wasWorkAsked: true });
    expect(await enter(makePhone())).toEqual({ status: 200, wasWorkAsked: true });
    expect(await askedBecause(app, 'newAccountsPerAddress')).toBe(2);
    // At 200 nobody new comes from there for a while, and whoever has an account still does.
    const [key = ''] = await app.redis.keys(
      `${app.config.redisPrefix}window:newAccountsPerAddress:3600:free:*`,
    );
    await fill(app, 'newAccountsPerAddress', key.split(':').at(-1) ?? '', 200);
    expect((await enter(makePhone())).status).toBe(429);
    expect(await enter(phones[1] ?? '')).toEqual({ status: 200, wasWorkAsked: true });
    app.clock.advance(hourMs);
    expect(await enter(makePhone())).toEqual({ status: 200, wasWorkAsked: false });
  });

  test('10 codes to a prefix in an hour', async () => {
    const app = await strictApp();
    const start = makePhone().slice(0, -4);
    for (let sent = 0; sent < 10; sent += 1)
      expect(await ask(app, `${start}${1000 + sent}`)).toMatchObject({ status: 200, wasWorkAsked: false });
    for (let sent = 0; sent < 5; sent += 1)
      expect(await ask(app, `${start}${2000 + sent}`)).toMatchObject({ status: 200, wasWorkAsked: true });
    expect(await ask(app, makePhone())).toMatchObject({ status: 200, wasWorkAsked: false });
  });

  test('20 codes to another country in an hour, 1,000 to the home country', async () => {
    const app = await strictApp();
    // Spread over prefixes that are all mobile.
    const abroad = (n: number) => `+1201555${String(n).padStart(4, '0')}`.replace('555', String(200 + n));
    for (let sent = 0; sent < 20; sent += 1)
      expect(await ask(app, abroad(sent))).toMatchObject({ status: 200, wasWorkAsked: false });
    expect(await ask(app, abroad(20))).toMatchObject({ status: 200, wasWorkAsked: true });
    expect(await askedBecause(app, 'sendsToOtherCountry')).toBe(1);
    expect(await ask(app, makePhone())).toMatchObject({ status: 200, wasWorkAsked: false });
    app.clock.advance(2 * minuteMs);
    await fill(app, 'sendsToHomeCountry', app.deps.opaque.name('country', 'IN'), 999);
    expect(await ask(app, makePhone())).toMatchObject({ status: 200, wasWorkAsked: true });
    expect(await askedBecause(app, 'sendsToHomeCountry')).toBe(1);
  });
});

/** The one address that the test has counted wrong answers of. */
async function addressSubject(app: TestApp): Promise<string> {
  const [key = ''] = await app.redis.keys(
    `${app.config.redisPrefix}window:triesWithoutChallengePerAddress:3600:*`,
  );
  return key.split(':').at(-1) ?? '';
}

describe('codes that do not come back', () => {
  const watched = () => strictApp({ isConversionWatched: true });
  const trips = async (app: TestApp, scope: string) =>
    (await app.deps.metrics.conversionTrips.get()).values.find(({ labels }) => labels.scope === scope)
      ?.value ?? 0;
  async function enter(app: TestApp, phone = makePhone()): Promise<boolean> {
    const as = newActor();
    const { wasWorkAsked, status } = await ask(app, phone, as);
    expect(status).toBe(200);
    const otp = await app.codeFor(phone);
    expect((await app.call(verifyOtp, { as, body: { phone, otp } })).status).toBe(200);
    return wasWorkAsked;
  }
  async function pump(
    app: TestApp,
    times: number,
    phoneOf: (n: number) => string = makePhone,
  ): Promise<number> {
    let asked = 0;
    for (let sent = 0; sent < times; sent += 1) {
      // Within what the service sends in a minute.
      if (sent % 20 === 19) app.clock.advance(minuteMs);
      const answer = await ask(app, phoneOf(sent));
      expect(answer.status).toBe(200);
      if (answer.wasWorkAsked) asked += 1;
    }
    return asked;
  }

  test('of a country: work for every code there, with an alarm, until enough come back; nobody is refused', async () => {
    const app = await watched();
    expect(await pump(app, 20)).toBe(0);
    expect(await trips(app, 'country')).toBe(1);
    expect(app.log.lines.join('')).toContain('few_codes_come_back');
    // Open: each pays, and all get their code.
    expect(await pump(app, 4)).toBe(4);
    expect(await trips(app, 'country')).toBe(1);
    // Elsewhere nothing has changed.
    expect((await ask(app, '+12012012345')).wasWorkAsked).toBe(false);
    // People come back with their codes: 6 of 30 is a fifth, and it recovers.
    app.clock.advance(minuteMs);
    const asked: boolean[] = [];
    for (let people = 0; people < 7; people += 1) asked.push(await enter(app));
    expect(asked).toEqual([true, true, true, true, true, true, false]);
    // On probation: it takes far fewer bad ones than at first, once the good ones are an hour ago.
    app.clock.advance(60 * minuteMs);
    expect(await pump(app, 5)).toBe(0);
    expect(await pump(app, 1)).toBe(1);
    // Quiet for two hours, and it is closed: twenty again.
    app.clock.advance(121 * minuteMs);
    expect(await pump(app, 20)).toBe(0);
    expect(await pump(app, 1)).toBe(1);
    expect(await trips(app, 'country')).toBe(2);
  });

  test('of a prefix: its neighbours do not notice', async () => {
    const app = await watched();
    const start = makePhone().slice(0, -4);
    const neighbours = makePhone().slice(0, -4);
    // The country as a whole does well.
    for (let people = 0; people < 12; people += 1) await enter(app);
    app.clock.advance(minuteMs);
    await pump(app, 20, (n) => `${start}${3000 + n}`);
    expect(await trips(app, 'prefix')).toBe(1);
    expect(await trips(app, 'country')).toBe(0);
    app.clock.advance(10 * minuteMs);
    expect((await ask(app, `${start}9999`)).wasWorkAsked).toBe(true);
    expect(await askedBecause(app, 'conversion by prefix')).toBeGreaterThan(0);
    expect((await ask(app, `${neighbours}9999`)).wasWorkAsked).toBe(false);
  });

  test('are not counted where messages cost nothing', async () => {
    const app = await strictApp();
    expect(app.config.isConversionWatched).toBe(false);
    expect(await pump(app, 25)).toBe(0);
    expect(await app.redis.keys(`${app.config.redisPrefix}conversion:*`)).toEqual([]);
  });

  test('and whatever is counted has a keyed name and ends within a day', async () => {
    const app = await watched();
    const phone = '+919812345678';
    await enter(app, phone);
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

describe('a stranger can neither lock an owner out nor close a country', () => {
  test('with every budget that strangers share used up, a known device is sent its code and let in, without work', async () => {
    const app = await strictApp({ isConversionWatched: true });
    const me = newActor();
    const { phone } = await signIn(app, makePhone(), me);
    app.clock.advance(hourMs);
    // From my own address, as neighbours behind one carrier can: my number, my prefix, my country, everything.
    const neighbour = { address: me.address ?? '' };
    for (let sent = 0; sent < 6; sent += 1) {
      await ask(app, phone, neighbour);
      app.clock.advance(31_000);
    }
    for (let tries = 0; tries < 51; tries += 1) await guess(app, phone, neighbour);
    const address = await addressSubject(app);
    const area = {
      country: app.deps.opaque.name('country', 'IN'),
      prefix: app.deps.opaque.name('prefix', phone.slice(0, -4)),
    };
    await fill(app, 'sendsPerAddress', address, 300);
    await fill(app, 'triesWithoutChallengePerAddress', address, 150);
    await fill(app, 'newAccountsPerAddress', address, 200);
    await fill(app, 'failuresByService', 'all', 2000);
    await fill(app, 'sendsPerPrefix', area.prefix, 10);
    await fill(app, 'sendsToHomeCountry', area.country, 1000);
    await fill(app, 'sendsByService', 'all', 4500);
    for (let sent = 0; sent < 25; sent += 1) await app.call(requestOtp, { as: newActor(), body: { phone } });
    const strangers = await ask(app, makePhone());
    expect([strangers.status, strangers.body.code]).toEqual([503, 'SMS_UNAVAILABLE']);
    expect((await guess(app, phone, neighbour)).status).toBe(429);

    const sent = await app.call(requestOtp, { as: me, body: { phone } });
    expect(sent.text).toBe('{"success":true,"resendAfter":0,"expiresIn":300}');
    await app.deps.backgroundDone();
    const otp = await app.codeFor(phone);
    expect((await app.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  });

  test('with a country flooded from a thousand addresses, somebody new there still gets in, for a moment of work', async () => {
    const app = await strictApp({ isConversionWatched: true });
    const start = makePhone().slice(0, -4);
    await fill(app, 'sendsToHomeCountry', app.deps.opaque.name('country', 'IN'), 1000);
    await fill(app, 'failuresByService', 'all', 2000);
    for (let sent = 0; sent < 22; sent += 1) await ask(app, `${start}${4000 + sent}`);
    app.clock.advance(minuteMs);
    const [me, phone] = [newActor(), `${start}5555`];
    const sent = await ask(app, phone, me);
    expect(sent).toMatchObject({ status: 200, wasWorkAsked: true });
    const otp = await app.codeFor(phone);
    expect((await app.call(verifyOtp, { as: me, body: { phone, otp } })).status).toBe(200);
  });

  test('the last of a day’s codes are for known devices; beyond the ceiling there is none for anybody', async () => {
    const app = await strictApp();
    const me = newActor();
    const { phone } = await signIn(app, makePhone(), me);
    app.clock.advance(10 * minuteMs);
    await fill(app, 'sendsByService', 'all', 4499);
    expect((await ask(app, makePhone())).status).toBe(503);
    expect((await ask(app, phone, me)).status).toBe(200);
    await fill(app, 'sendsByService', 'all', 5000);
    app.clock.advance(10 * minuteMs);
    const refused = await ask(app, phone, me);
    expect([refused.status, refused.body.code]).toEqual([503, 'SMS_UNAVAILABLE']);
    expect(app.log.lines.join('')).toContain('"event":"sms_ceiling_spent","count":80');
  });
});
