import {
  changeNumber,
  deleteAccount,
  limits,
  listSessions,
  logout,
  reauthenticate,
  recoverAccount,
  requestOtp,
  revokeOtherSessions,
  revokeSession,
  verifyOtp,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { hourMs } from '../src/platform/clock.ts';
import { newActor, ownTestApp, type Actor, type Answer, type TestApp } from './app.ts';
import { askForCode, makePhone, makeValidCode, signIn, type Person } from './factories.ts';

/**
 * Attacks on sign-in (F4, F8, F9). Where the attack looks for information, it runs in two worlds, one in which the
 * owner acted and one in which no one did, and the responses must be the same bytes.
 */

const startStrictApp = () => ownTestApp({ limitsScale: 1 });

/** The whole response except for random values and times. */
function visibleParts({ status, headers, text }: Answer<unknown>): string {
  const { date: _, 'x-request-id': __, ...others } = headers;
  return JSON.stringify([status, others, text]).replaceAll(
    /(?<name>requestId|challenge|salt|signature|otp|dev)(?<sign>\\":\\"|=)[^";\\]+/gu,
    '$<name>$<sign>…',
  );
}

const sendWrongCode = (app: TestApp, phone: string, as: Actor = newActor(), otp = '000000') =>
  app.call(verifyOtp, { as, body: { phone, otp } });

/** One attempt from a new address, without proof of work. */
const tryNumber = async (app: TestApp, phone: string) =>
  visibleParts(await app.call(verifyOtp, { as: newActor(), body: { phone, otp: '000000' } }));

const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');

describe('a stranger cannot find out whether a number is used, or when,', () => {
  test('from wrong codes before and after the owner signs in (R11)', async () => {
    const app = await startStrictApp();
    const owner = newActor();
    const { phone } = await signIn(app, makePhone(), owner);
    const unused = makePhone();
    app.clock.advance(3_600_000);
    for (let tries = 0; tries < 51; tries += 1)
      for (const one of [phone, unused]) await sendWrongCode(app, one);
    const before = [await tryNumber(app, phone), await tryNumber(app, unused)];
    expect(before[0]).toBe(before[1]);
    const otp = await askForCode(app, owner, phone);
    expect((await app.call(verifyOtp, { as: owner, body: { phone, otp } })).status).toBe(200);
    expect(await tryNumber(app, phone)).toBe(await tryNumber(app, unused));
  });

  test('from wrong codes while the owner’s code is live, used up and entered (R11)', async () => {
    const app = await startStrictApp();
    const [owner, phone, unused] = [newActor(), makePhone(), makePhone()];
    const otp = await askForCode(app, owner, phone);
    const wrong = otherThan(otp);
    const tryOnce = async (one: string) =>
      visibleParts(await app.call(verifyOtp, { as: newActor(), body: { phone: one, otp: wrong } }));
    for (let tries = 0; tries < 4; tries += 1) expect(await tryOnce(phone)).toBe(await tryOnce(unused));
    expect((await app.call(verifyOtp, { as: owner, body: { phone, otp } })).status).toBe(200);
    expect(await tryOnce(phone)).toBe(await tryOnce(unused));
  });

  test('from a first code request while the owner requests codes (R11)', async () => {
    const app = await startStrictApp();
    const [owner, phone, quiet] = [newActor(), makePhone(), makePhone()];
    await app.call(requestOtp, { as: owner, body: { phone } });
    const answers = [phone, quiet].map((one) =>
      app.call(requestOtp, { as: newActor(), body: { phone: one } }),
    );
    const [busy, still] = await Promise.all(answers);
    expect(busy?.status).toBe(200);
    expect(busy && visibleParts(busy)).toBe(still && visibleParts(still));
  });

  for (const times of [2, 5]) {
    test(`from a request that sends no message, after the owner has requested ${times} codes (R11)`, async () => {
      const app = await startStrictApp();
      // The address has used its free codes, so every further one needs proof of work, which is not sent.
      const stranger = { address: newActor().address ?? '' };
      for (let sent = 0; sent < 5; sent += 1)
        await app.call(requestOtp, { as: stranger, body: { phone: makePhone() } });
      const [owner, phone, quiet] = [newActor(), makePhone(), makePhone()];
      for (let sent = 0; sent < times; sent += 1) {
        const asked = await app.call(requestOtp, { as: owner, body: { phone } });
        expect(asked.status).toBe(200);
        if (sent > 0 && sent + 1 < times) app.clock.advance(31_000);
      }
      await app.deps.backgroundDone();
      const messages = app.deps.outbox.recent().length;
      const tryOnce = async (one: string) =>
        visibleParts(await app.call(requestOtp, { as: stranger, body: { phone: one } }));
      expect(await tryOnce(phone)).toBe(await tryOnce(quiet));
      await app.deps.backgroundDone();
      expect(app.deps.outbox.recent()).toHaveLength(messages);
    });
  }
});

describe('a stranger cannot lock an owner out', () => {
  test('of a new device, with wrong codes for the number (R8)', async () => {
    const app = await startStrictApp();
    const { phone } = await signIn(app);
    app.clock.advance(3_600_000);
    let wrong = 0;
    while (wrong < 200 && (await sendWrongCode(app, phone)).status === 401) wrong += 1;
    const owner = newActor();
    const otp = await askForCode(app, owner, phone);
    const answer = await app.call(verifyOtp, { as: owner, body: { phone, otp } });
    expect([answer.status, `${wrong} wrong answers`]).toEqual([200, '200 wrong answers']);
  });

  test('by using up the attempts of the owner’s code (R8)', async () => {
    const app = await startStrictApp();
    const owner = newActor();
    const { phone } = await signIn(app, makePhone(), owner);
    app.clock.advance(3_600_000);
    for (const device of [owner, newActor()]) {
      const otp = await askForCode(app, device, phone);
      for (let tries = 0; tries < 5; tries += 1) await sendWrongCode(app, phone, newActor(), otherThan(otp));
      const answer = await app.call(verifyOtp, { as: device, body: { phone, otp } });
      expect(answer.status).toBe(200);
    }
  });
});

describe('a shared browser does not reveal who used it:', () => {
  /** The responses that the next user of this browser gets for a number, past every budget. No message is sent. */
  async function collectResponses(app: TestApp, { cookies }: Actor, phone: string): Promise<string[]> {
    const as = { ...newActor(), cookies: new Map(cookies) };
    const answers: string[] = [];
    for (let tries = 0; tries < 160; tries += 1)
      answers.push(visibleParts(await app.call(verifyOtp, { as, body: { phone, otp: '000000' } })));
    return answers;
  }

  test('while she is signed in, wrong codes for her number and for another get the same responses', async () => {
    const app = await startStrictApp();
    const browser = newActor();
    const { phone } = await signIn(app, makePhone(), browser);
    expect(await collectResponses(app, browser, phone)).toEqual(
      await collectResponses(app, browser, makePhone()),
    );
  });

  test('after she logged out, wrong codes for her number and for another get the same responses (R28)', async () => {
    const app = await startStrictApp();
    const browser = newActor();
    const { phone, token } = await signIn(app, makePhone(), browser);
    expect((await app.call(logout, { as: { ...browser, token } })).status).toBe(200);
    expect(await collectResponses(app, browser, phone)).toEqual(
      await collectResponses(app, browser, makePhone()),
    );
  });

  for (const leaving of ['logged out', 'deleted her account'] as const) {
    test(`after she ${leaving}, code requests get the same responses where proof of work is due`, async () => {
      const app = await startStrictApp();
      const browser = newActor();
      const { phone, token } = await signIn(app, makePhone(), browser);
      const as = { ...browser, token };
      if (leaving === 'logged out') await app.call(logout, { as });
      else {
        const otp = await askForCode(app, as, phone, 'reauth');
        await app.call(reauthenticate, { as, body: { phone, otp } });
        expect((await app.call(deleteAccount, { as })).status).toBe(200);
      }
      for (let sent = 0; sent < 5; sent += 1)
        await app.call(requestOtp, { as: { address: browser.address ?? '' }, body: { phone: makePhone() } });
      const requestCode = async (one: string) =>
        visibleParts(await app.call(requestOtp, { as: browser, body: { phone: one } }));
      expect(await requestCode(phone)).toBe(await requestCode(makePhone()));
    });
  }

  /** Whether this browser may request a code without the proof of work that others need. */
  async function isKnownDevice(app: TestApp, browser: Actor, phone: string): Promise<boolean> {
    const address = newActor().address ?? '';
    for (let sent = 0; sent < 5; sent += 1)
      await app.call(requestOtp, { as: { address }, body: { phone: makePhone() } });
    const as = { address, cookies: new Map(browser.cookies) };
    return (await app.call(requestOtp, { as, body: { phone } })).status === 200;
  }

  async function signInOn(app: TestApp, browser: Actor, phone = makePhone()): Promise<Person> {
    app.clock.advance(600_000);
    const person = await signIn(app, phone, browser);
    return { ...person, ...browser, token: person.token };
  }

  test('logging out removes the known-device proof of that number, and keeps those of others (R28)', async () => {
    const app = await startStrictApp();
    const browser = newActor();
    const her = await signInOn(app, browser);
    const him = await signInOn(app, browser);
    expect([
      await isKnownDevice(app, browser, her.phone),
      await isKnownDevice(app, browser, him.phone),
    ]).toEqual([true, true]);
    app.clock.advance(600_000);
    await app.call(requestOtp, { as: browser, body: { phone: makePhone() } });
    expect(browser.cookies?.has('otp')).toBe(true);
    expect((await app.call(logout, { as: her })).status).toBe(200);
    expect(browser.cookies?.has('otp')).toBe(false);
    app.clock.advance(600_000);
    expect([
      await isKnownDevice(app, browser, her.phone),
      await isKnownDevice(app, browser, him.phone),
    ]).toEqual([false, true]);
    // Revoking the current session in the list of sessions is a logout too.
    const { sessions } = (await app.call(listSessions, { as: him })).body;
    const id = sessions.find(({ isCurrent }) => isCurrent)?._id ?? '';
    expect((await app.call(revokeSession, { as: him, params: { id } })).status).toBe(200);
    expect(browser.cookies?.get('dev')).toMatch(/^[A-Za-z0-9_-]{22}$/u);
  });

  test('revoking a session elsewhere does not reach the browser, which stays a known device until it signs out', async () => {
    const app = await startStrictApp();
    const [phoneBrowser, laptop] = [newActor(), newActor()];
    const { phone } = await signInOn(app, phoneBrowser);
    const elsewhere = await signInOn(app, laptop, phone);
    await app.call(revokeOtherSessions, { as: elsewhere });
    app.clock.advance(600_000);
    expect(await isKnownDevice(app, phoneBrowser, phone)).toBe(true);
    expect(await collectResponses(app, phoneBrowser, phone)).toEqual(
      await collectResponses(app, phoneBrowser, makePhone()),
    );
  });

  test('changing the number removes the proof of the old one, and logging out removes that of the new one', async () => {
    const app = await startStrictApp();
    const browser = newActor();
    const her = await signInOn(app, browser);
    const recoveryCode = await makeValidCode(app, her);
    const phone = makePhone();
    const otp = await askForCode(app, her, phone, 'change');
    const changed = await app.call(changeNumber, { as: her, body: { phone, otp, recoveryCode } });
    expect(changed.status).toBe(200);
    app.clock.advance(600_000);
    expect([await isKnownDevice(app, browser, her.phone), await isKnownDevice(app, browser, phone)]).toEqual([
      false,
      true,
    ]);
    await app.call(logout, { as: her });
    expect(browser.cookies?.get('dev')).toMatch(/^[A-Za-z0-9_-]{22}$/u);
  });

  test('a recovered account takes over the proof of the number, and logging out removes it', async () => {
    const app = await startStrictApp();
    const old = await signInOn(app, newActor());
    const code = await makeValidCode(app, old);
    const browser = newActor();
    const fresh = await signInOn(app, browser);
    await app.call(recoverAccount, { as: fresh, body: { code } });
    app.clock.advance((limits.recoveryWaitHours + 1) * hourMs);
    const answer = await app.call(recoverAccount, { as: fresh, body: { code } });
    expect(answer.status).toBe(200);
    app.clock.advance(600_000);
    expect(await isKnownDevice(app, browser, fresh.phone)).toBe(true);
    await app.call(logout, { as: { ...browser, token: answer.body.token } });
    expect(browser.cookies?.get('dev')).toMatch(/^[A-Za-z0-9_-]{22}$/u);
  });
});
