import { requestOtp, powMaxNumber, type PowChallenge } from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newActor, ownTestApp, type Actor, type Answer, type TestApp } from './app.ts';
import { makePhone } from './factories.ts';
import { askPaying, encodeSolution, solveWork } from './pow.ts';

const strictApp = (overrides = {}) => ownTestApp({ limitsScale: 1, ...overrides });
const challengeIn = (answer: Answer<unknown>) =>
  (JSON.parse(answer.text) as { challenge: PowChallenge }).challenge;
const decode = (pow: string) =>
  JSON.parse(Buffer.from(pow, 'base64').toString('utf8')) as Record<string, unknown>;

/** An address from which five codes were just requested: the next one needs proof of work. */
async function makeBusyAddress(app: TestApp): Promise<Actor> {
  const actor = newActor();
  for (let sent = 0; sent < 5; sent += 1) {
    const as = { address: actor.address ?? '' };
    expect((await app.call(requestOtp, { as, body: { phone: makePhone() } })).status).toBe(200);
  }
  return { address: actor.address ?? '' };
}

/** A number prefix for which ten codes were requested in an hour, from ten addresses. */
async function makeBusyPrefix(app: TestApp): Promise<(last: string) => string> {
  const start = makePhone().slice(0, -4);
  for (let sent = 0; sent < 10; sent += 1) {
    const phone = `${start}${String(sent).padStart(4, '0')}`;
    expect((await app.call(requestOtp, { as: newActor(), body: { phone } })).status).toBe(200);
  }
  return (last) => `${start}${last}`;
}

function expectInvalid(answer: Answer<unknown>): void {
  expect([answer.status, answer.body.code], answer.text).toEqual([403, 'POW_INVALID']);
  expect(Object.keys(answer.body)).toEqual(['success', 'message', 'code', 'requestId']);
}

describe('proof of work', () => {
  test('is demanded with a challenge from an address that requests many codes, and a solution sends the code (R15)', async () => {
    const app = await strictApp();
    const as = await makeBusyAddress(app);
    const phone = makePhone();
    const asked = await app.call(requestOtp, { as, body: { phone } });
    expect([asked.status, asked.body.code]).toEqual([428, 'POW_REQUIRED']);
    expect(Object.keys(asked.body)).toEqual(['success', 'message', 'code', 'requestId', 'challenge']);
    const challenge = challengeIn(asked);
    expect(Object.keys(challenge)).toEqual(['algorithm', 'challenge', 'maxnumber', 'salt', 'signature']);
    expect(challenge.maxnumber).toBe(powMaxNumber.harder);
    // Nothing in the challenge stands for the number: only the signature is bound to it.
    expect(challenge.salt).toMatch(/^[0-9a-f]{24}\?expires=[0-9]{10}&size=harder&$/u);
    expect(app.deps.outbox.recent().filter(({ to }) => to === phone)).toEqual([]);
    const sent = await app.call(requestOtp, { as, body: { phone, pow: solveWork(challenge) } });
    expect(sent.text.trimEnd()).toBe('{"success":true,"resendAfter":0,"expiresIn":300}');
    expect(await app.codeFor(phone)).toMatch(/^[0-9]{6}$/u);
  });

  test('is valid once, also if twenty requests send it at the same time (R15)', async () => {
    const app = await strictApp();
    const as = await makeBusyAddress(app);
    const phone = makePhone();
    const pow = solveWork(challengeIn(await app.call(requestOtp, { as, body: { phone } })));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.call(requestOtp, { as, body: { phone, pow } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(403)]);
    app.clock.advance(31_000);
    expectInvalid(await app.call(requestOtp, { as, body: { phone, pow } }));
    // Another encoding of the same solution is refused, too.
    const shouted = { ...decode(pow), signature: String(decode(pow)['signature']).toUpperCase() };
    expectInvalid(await app.call(requestOtp, { as, body: { phone, pow: encodeSolution(shouted) } }));
    expectInvalid(
      await app.call(requestOtp, {
        as,
        body: { phone, pow: encodeSolution({ ...decode(pow), more: 1 }) },
      }),
    );
    const keys = await app.redis.keys(`${app.config.redisPrefix}pow:*`);
    expect(keys).toHaveLength(1);
    expect(keys.join()).not.toContain(String(decode(pow)['signature']));
    expect(await app.redis.pttl(keys[0] ?? '')).toBeLessThanOrEqual(300_000);
  });

  test('expires after five minutes (R15)', async () => {
    const app = await strictApp();
    const prefix = await makeBusyPrefix(app);
    const ask = (pow?: string) =>
      app.call(requestOtp, { as: newActor(), body: { phone: prefix('7777'), ...(pow ? { pow } : {}) } });
    const [early, late] = [solveWork(challengeIn(await ask())), solveWork(challengeIn(await ask()))];
    app.clock.advance(299_000);
    expect((await ask(early)).status).toBe(200);
    app.clock.advance(1_000);
    expectInvalid(await ask(late));
  });

  test('is bound to its purpose and its number (R15)', async () => {
    const app = await strictApp();
    const as = await makeBusyAddress(app);
    const phone = makePhone();
    const fresh = async () => solveWork(challengeIn(await app.call(requestOtp, { as, body: { phone } })));
    const pow = await fresh();
    expectInvalid(await app.call(requestOtp, { as, body: { phone: makePhone(), pow } }));
    expectInvalid(await app.call(requestOtp, { as, body: { phone, purpose: 'reauth', pow } }));
    // None of these requests used it up.
    expect((await app.call(requestOtp, { as, body: { phone, pow } })).status).toBe(200);
  });

  test('of the usual size is refused where the harder one is due (R15)', async () => {
    const app = await strictApp();
    const phone = (await makeBusyPrefix(app))('8888');
    const usual = challengeIn(await app.call(requestOtp, { as: newActor(), body: { phone } }));
    expect(usual.maxnumber).toBe(powMaxNumber.usual);
    const as = await makeBusyAddress(app);
    const again = await app.call(requestOtp, { as, body: { phone, pow: solveWork(usual) } });
    expect([again.status, challengeIn(again).maxnumber]).toEqual([428, powMaxNumber.harder]);
    const paid = { phone, pow: solveWork(challengeIn(again)) };
    expect((await app.call(requestOtp, { as, body: paid })).status).toBe(200);
  });

  test('is refused with the same response for every other value (R15)', async () => {
    const app = await strictApp();
    const phone = makePhone();
    const send = (pow: string) => app.call(requestOtp, { as: newActor(), body: { phone, pow } });
    const solved = decode(solveWork(await readChallenge(app, phone)));
    const salt = String(solved['salt']);
    const number = Number(solved['number']);
    const forged = [
      { ...solved, number: number + 1 },
      { ...solved, number: `${number}` },
      { ...solved, number: null },
      { ...solved, salt: salt.replace(/expires=[0-9]{10}/u, 'expires=9999999999') },
      { ...solved, salt: salt.replace('harder', 'usual') },
      // The first digit of the number, moved into the salt.
      { ...solved, salt: `${salt}${String(number)[0]}`, number: Number(String(number).slice(1)) },
      { ...solved, signature: 'f'.repeat(64) },
      { ...solved, signature: '' },
      { ...solved, challenge: 'f'.repeat(64) },
      [solved],
    ];
    for (const one of forged) expectInvalid(await send(encodeSolution(one)));
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), fc.boolean(), async (text, isBase64) => {
        expectInvalid(await send(isBase64 ? Buffer.from(text).toString('base64').slice(0, 600) : text));
      }),
      { numRuns: 60 },
    );
    expect((await send(encodeSolution(solved))).status).toBe(200);
  });

  test('is not demanded from an address that is over its limit anyway (R15)', async () => {
    const app = await strictApp();
    const as = await makeBusyAddress(app);
    for (let sent = 5; sent < 60; sent += 1) {
      expect((await askPaying(app, makePhone(), as)).status).toBe(200);
      if (sent % 20 === 19) app.clock.advance(61_000);
    }
    expect((await app.call(requestOtp, { as, body: { phone: makePhone() } })).status).toBe(429);
  });

  test('comes before the limit of a number, so that no one learns for free how often codes were requested for it (R15)', async () => {
    const app = await strictApp();
    const [phone, as] = [makePhone(), await makeBusyAddress(app)];
    for (let sent = 0; sent < 5; sent += 1)
      expect((await app.call(requestOtp, { as: newActor(), body: { phone } })).status).toBe(200);
    const asked = await app.call(requestOtp, { as, body: { phone } });
    expect(asked.status).toBe(428);
    const pow = solveWork(challengeIn(asked));
    expect((await app.call(requestOtp, { as, body: { phone, pow } })).status).toBe(429);
  });

  test('is accepted without a demand, and the response is the usual one', async () => {
    const app = await strictApp();
    const phone = makePhone();
    const pow = solveWork(await readChallenge(app, phone));
    const answer = await app.call(requestOtp, { as: newActor(), body: { phone, pow } });
    expect(answer.text.trimEnd()).toBe('{"success":true,"resendAfter":0,"expiresIn":300}');
  });
});

async function readChallenge(app: TestApp, phone: string): Promise<PowChallenge> {
  return challengeIn(await app.call(requestOtp, { as: await makeBusyAddress(app), body: { phone } }));
}
