import {
  changeNumber,
  deleteAccount,
  listSessions,
  logout,
  makeRecoveryCode,
  reauthenticate,
  recoverAccount,
  requestOtp,
  revokeOtherSessions,
  revokeSession,
  verifyOtp,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { newActor, ownTestApp, type Actor, type Answer, type TestApp } from './app.ts';
import { askForCode, makePhone, signIn, type Person } from './make.ts';

/**
 * What strangers did at the front door in the adversary review (F4, F8, F9). Where the attack is a question, it is
 * put in two worlds, one in which the owner did something and one in which nobody did, and the answers must be
 * the same bytes.
 */

const strictApp = () => ownTestApp({ limitsScale: 1 });

/** Everything an answer shows, but what is random or the time in every answer. */
function seen({ status, headers, text }: Answer<unknown>): string {
  const { date: _, 'x-request-id': __, ...others } = headers;
  return JSON.stringify([status, others, text]).replaceAll(
    /(?<name>requestId|challenge|salt|signature|otp|dev)(?<sign>\\":\\"|=)[^";\\]+/gu,
    '$<name>$<sign>…',
  );
}

const guess = (app: TestApp, phone: string, as: Actor = newActor(), otp = '000000') =>
  app.call(verifyOtp, { as, body: { phone, otp } });

/** One look, as a stranger at a fresh address, without paying for anything. */
const poll = async (app: TestApp, phone: string) =>
  seen(await app.call(verifyOtp, { as: newActor(), body: { phone, otp: '000000' } }));

const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');

describe('nobody can ask whether a number is used, or when', () => {
  test('wrong answers, before and after the owner signs in', async () => {
    const app = await strictApp();
    const owner = newActor();
    const { phone } = await signIn(app, makePhone(), owner);
    const unused = makePhone();
    app.clock.advance(3_600_000);
    for (let tries = 0; tries < 51; tries += 1) for (const one of [phone, unused]) await guess(app, one);
    const before = [await poll(app, phone), await poll(app, unused)];
    expect(before[0]).toBe(before[1]);
    const otp = await askForCode(app, owner, phone);
    expect((await app.call(verifyOtp, { as: owner, body: { phone, otp } })).status).toBe(200);
    expect(await poll(app, phone)).toBe(await poll(app, unused));
  });

  test('wrong answers while the owner’s code is live, spent and used', async () => {
    const app = await strictApp();
    const [owner, phone, unused] = [newActor(), makePhone(), makePhone()];
    const otp = await askForCode(app, owner, phone);
    const wrong = otherThan(otp);
    const look = async (one: string) =>
      seen(await app.call(verifyOtp, { as: newActor(), body: { phone: one, otp: wrong } }));
    for (let tries = 0; tries < 4; tries += 1) expect(await look(phone)).toBe(await look(unused));
    expect((await app.call(verifyOtp, { as: owner, body: { phone, otp } })).status).toBe(200);
    expect(await look(phone)).toBe(await look(unused));
  });

  test('a stranger’s first request, while the owner asks for codes', async () => {
    const app = await strictApp();
    const [owner, phone, quiet] = [newActor(), makePhone(), makePhone()];
    await app.call(requestOtp, { as: owner, body: { phone } });
    const answers = [phone, quiet].map((one) =>
      app.call(requestOtp, { as: newActor(), body: { phone: one } }),
    );
    const [busy, still] = await Promise.all(answers);
    expect(busy?.status).toBe(200);
    expect(busy && seen(busy)).toBe(still && seen(still));
  });

  for (const times of [2, 5]) {
    test(`a look that sends nothing, after the owner has asked ${times} times`, async () => {
      const app = await strictApp();
      // Over the free codes of this address, so that every further one costs work, which is not brought.
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
      const look = async (one: string) =>
        seen(await app.call(requestOtp, { as: stranger, body: { phone: one } }));
      expect(await look(phone)).toBe(await look(quiet));
      await app.deps.backgroundDone();
      expect(app.deps.outbox.recent()).toHaveLength(messages);
    });
  }
});

describe('no stranger locks an owner out', () => {
  test('of a new device, with wrong answers to the number', async () => {
    const app = await strictApp();
    const { phone } = await signIn(app);
    app.clock.advance(3_600_000);
    let wrong = 0;
    while (wrong < 200 && (await guess(app, phone)).status === 401) wrong += 1;
    const owner = newActor();
    const otp = await askForCode(app, owner, phone);
    const answer = await app.call(verifyOtp, { as: owner, body: { phone, otp } });
    expect([answer.status, `${wrong} wrong answers`]).toEqual([200, '200 wrong answers']);
  });

  test('by using up the tries of the owner’s code', async () => {
    const app = await strictApp();
    const owner = newActor();
    const { phone } = await signIn(app, makePhone(), owner);
    app.clock.advance(3_600_000);
    for (const device of [owner, newActor()]) {
      const otp = await askForCode(app, device, phone);
      for (let tries = 0; tries < 5; tries += 1) await guess(app, phone, newActor(), otherThan(otp));
      const answer = await app.call(verifyOtp, { as: device, body: { phone, otp } });
      expect(answer.status).toBe(200);
    }
  });
});

describe('a shared phone does not tell who was here', () => {
  /** What the next person at this browser sees who tries a number, past every budget. No message is sent. */
  async function transcript(app: TestApp, { cookies }: Actor, phone: string): Promise<string[]> {
    const as = { ...newActor(), cookies: new Map(cookies) };
    const answers: string[] = [];
    for (let tries = 0; tries < 160; tries += 1)
      answers.push(seen(await app.call(verifyOtp, { as, body: { phone, otp: '000000' } })));
    return answers;
  }

  test('while she is signed in: wrong answers to her number and to another', async () => {
    const app = await strictApp();
    const browser = newActor();
    const { phone } = await signIn(app, makePhone(), browser);
    expect(await transcript(app, browser, phone)).toEqual(await transcript(app, browser, makePhone()));
  });

  test('after she logged out: wrong answers to her number and to another', async () => {
    const app = await strictApp();
    const browser = newActor();
    const { phone, token } = await signIn(app, makePhone(), browser);
    expect((await app.call(logout, { as: { ...browser, token } })).status).toBe(200);
    expect(await transcript(app, browser, phone)).toEqual(await transcript(app, browser, makePhone()));
  });

  for (const leaving of ['logged out', 'deleted her account'] as const) {
    test(`after she ${leaving}: asking for codes where others pay for them`, async () => {
      const app = await strictApp();
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
      const ask = async (one: string) =>
        seen(await app.call(requestOtp, { as: browser, body: { phone: one } }));
      expect(await ask(phone)).toBe(await ask(makePhone()));
    });
  }

  /** Whether this browser is let ask for a code where others have to work for it first. */
  async function knows(app: TestApp, browser: Actor, phone: string): Promise<boolean> {
    const address = newActor().address ?? '';
    for (let sent = 0; sent < 5; sent += 1)
      await app.call(requestOtp, { as: { address }, body: { phone: makePhone() } });
    const as = { address, cookies: new Map(browser.cookies) };
    return (await app.call(requestOtp, { as, body: { phone } })).status === 200;
  }

  async function enter(app: TestApp, browser: Actor, phone = makePhone()): Promise<Person> {
    app.clock.advance(600_000);
    const person = await signIn(app, phone, browser);
    return { ...person, ...browser, token: person.token };
  }

  test('logging out drops the proof of one’s own number, and leaves those of others', async () => {
    const app = await strictApp();
    const browser = newActor();
    const her = await enter(app, browser);
    const him = await enter(app, browser);
    expect([await knows(app, browser, her.phone), await knows(app, browser, him.phone)]).toEqual([
      true,
      true,
    ]);
    app.clock.advance(600_000);
    await app.call(requestOtp, { as: browser, body: { phone: makePhone() } });
    expect(browser.cookies?.has('otp')).toBe(true);
    expect((await app.call(logout, { as: her })).status).toBe(200);
    expect(browser.cookies?.has('otp')).toBe(false);
    app.clock.advance(600_000);
    expect([await knows(app, browser, her.phone), await knows(app, browser, him.phone)]).toEqual([
      false,
      true,
    ]);
    // Ending this very session in the list of sessions is logging out, too.
    const { sessions } = (await app.call(listSessions, { as: him })).body;
    const id = sessions.find(({ isCurrent }) => isCurrent)?._id ?? '';
    expect((await app.call(revokeSession, { as: him, params: { id } })).status).toBe(200);
    expect(browser.cookies?.get('dev')).toMatch(/^[A-Za-z0-9_-]{22}$/u);
  });

  test('ending a session from elsewhere does not reach the browser, which knows the number until it signs out', async () => {
    const app = await strictApp();
    const [phoneBrowser, laptop] = [newActor(), newActor()];
    const { phone } = await enter(app, phoneBrowser);
    const elsewhere = await enter(app, laptop, phone);
    await app.call(revokeOtherSessions, { as: elsewhere });
    app.clock.advance(600_000);
    expect(await knows(app, phoneBrowser, phone)).toBe(true);
    expect(await transcript(app, phoneBrowser, phone)).toEqual(
      await transcript(app, phoneBrowser, makePhone()),
    );
  });

  test('with another number the proof of the old one goes, and logging out drops the new one', async () => {
    const app = await strictApp();
    const browser = newActor();
    const her = await enter(app, browser);
    const recoveryCode = (await app.call(makeRecoveryCode, { as: her })).body.code;
    const phone = makePhone();
    const otp = await askForCode(app, her, phone, 'change');
    const changed = await app.call(changeNumber, { as: her, body: { phone, otp, recoveryCode } });
    expect(changed.status).toBe(200);
    app.clock.advance(600_000);
    expect([await knows(app, browser, her.phone), await knows(app, browser, phone)]).toEqual([false, true]);
    await app.call(logout, { as: her });
    expect(browser.cookies?.get('dev')).toMatch(/^[A-Za-z0-9_-]{22}$/u);
  });

  test('an account that was brought back takes the number’s proof over, and drops it on logging out', async () => {
    const app = await strictApp();
    const old = await enter(app, newActor());
    const { code } = (await app.call(makeRecoveryCode, { as: old })).body;
    const browser = newActor();
    const fresh = await enter(app, browser);
    const answer = await app.call(recoverAccount, { as: fresh, body: { code } });
    expect(answer.status).toBe(200);
    app.clock.advance(600_000);
    expect(await knows(app, browser, fresh.phone)).toBe(true);
    await app.call(logout, { as: { ...browser, token: answer.body.token } });
    expect(browser.cookies?.get('dev')).toMatch(/^[A-Za-z0-9_-]{22}$/u);
  });
});
