import { getSelf, join, requestOtp, verifyOtp } from '@unsaid/contract';
import { expect, onTestFinished, test } from 'vitest';
import { newActor, ownTestApp, startBeside, useTestApp, type Actor } from './app.ts';
import { makePhone, signIn } from './factories.ts';
import { openPool, withClient } from './db.ts';

/** A number without an account on /login: nothing is written before the person agrees. */

const app = useTestApp();

async function verify(as: Actor, phone: string, more: object = { asksFirst: true }) {
  expect((await app.call(requestOtp, { as, body: { phone } })).status).toBe(200);
  return app.call(verifyOtp, { as, body: { phone, otp: await app.codeFor(phone), ...more } });
}
const joinWith = (as: Actor, phone: string, proof: string) =>
  app.call(join, { as, body: { phone, proof, isAdultAndAgrees: true } });
const proofIn = ({ text }: { readonly text: string }) => (JSON.parse(text) as { proof: string }).proof;
const countUsers = () =>
  withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: string }>('select count(*) from identity.users');
    return Number(rows[0]?.count);
  });

test('an unknown number gets a proof instead of an account, and the proof makes one', async () => {
  const [me, phone, before] = [newActor(), makePhone(), await countUsers()];
  const answer = await verify(me, phone);
  expect([answer.status, answer.body.code]).toEqual([409, 'NO_ACCOUNT_YET']);
  expect(answer.text).not.toContain('token');
  expect(await countUsers()).toBe(before);
  const joined = await joinWith(me, phone, proofIn(answer));
  expect(joined.status, joined.text).toBe(200);
  expect(joined.body.isNewUser).toBe(true);
  expect((await app.call(getSelf, { as: { ...me, token: joined.body.token } })).status).toBe(200);
  // Once.
  expect((await joinWith(me, phone, proofIn(answer))).status).toBe(401);
});

test('a number with an account is signed in as without the question', async () => {
  const phone = makePhone();
  await signIn(app, phone);
  app.clock.advance(60_000);
  const answer = await verify(newActor(), phone);
  expect([answer.status, answer.body.isNewUser]).toEqual([200, false]);
});

test('without the field the call is that of the specification', async () => {
  const answer = await verify(newActor(), makePhone(), {});
  expect([answer.status, answer.body.isNewUser]).toEqual([200, true]);
});

test('a proof is of one number, one browser and ten minutes, and needs the agreement', async () => {
  const [me, phone] = [newActor(), makePhone()];
  const proof = proofIn(await verify(me, phone));
  expect((await joinWith(me, makePhone(), proof)).status).toBe(401);
  expect((await joinWith(newActor(), phone, proof)).status).toBe(401);
  expect((await joinWith(me, phone, proof.slice(0, -2))).status).toBe(401);
  const body = { phone, proof, isAdultAndAgrees: false } as never;
  expect((await app.call(join, { as: me, body })).status).toBe(422);
  app.clock.advance(10 * 60_000);
  expect((await joinWith(me, phone, proof)).status).toBe(401);
  app.clock.reset();
});

test('while sign-up is closed, people with an account get in, and a new number gets its code and then a sentence', async () => {
  const closed = await startBeside(app);
  const rows = openPool(app.config.databaseUrl, 1);
  onTestFinished(async () => {
    await rows.query('delete from public.switches');
    await rows.end();
    await closed.close();
  });
  await rows.query(`insert into public.switches values ('sign-up')`);
  await closed.deps.switches.refresh();
  const [known, unknown] = [makePhone(), makePhone()];
  const proof = proofIn(await verify(newActor(), unknown));
  await signIn(app, known);
  app.clock.advance(60_000);
  const before = await countUsers();
  const answers = [];
  for (const [phone, more] of [
    [known, {}],
    [unknown, {}],
    [makePhone(), { asksFirst: true }],
  ] as const) {
    const as = newActor();
    const asked = await closed.call(requestOtp, { as, body: { phone } });
    const answer = await closed.call(verifyOtp, {
      as,
      body: { phone, otp: await closed.codeFor(phone), ...more },
    });
    answers.push([asked.text, answer.status, answer.body.code]);
  }
  const [sent] = answers[0] ?? [];
  expect(answers).toEqual([
    [sent, 200, undefined],
    [sent, 503, 'SIGN_UP_CLOSED'],
    [sent, 503, 'SIGN_UP_CLOSED'],
  ]);
  const joined = await closed.call(join, {
    as: newActor(),
    body: { phone: unknown, proof, isAdultAndAgrees: true },
  });
  expect(joined.status).not.toBe(200);
  expect(await countUsers()).toBe(before);
});

test('the ceiling of codes is a setting', async () => {
  const strict = await ownTestApp({ limitsScale: 1, smsCeiling: { perMinute: 12, perDay: 5000 } });
  const sent = [];
  for (let n = 0; n < 12; n += 1)
    sent.push((await strict.call(requestOtp, { as: newActor(), body: { phone: makePhone() } })).status);
  // A sixth is kept for known devices.
  expect(sent).toEqual([...Array<number>(10).fill(200), 503, 503]);
});

test('a ceiling of one code leaves none to unknown devices, and is answered at once', async () => {
  const strict = await ownTestApp({ limitsScale: 1, smsCeiling: { perMinute: 1, perDay: 1 } });
  const { status, body } = await strict.call(requestOtp, { as: newActor(), body: { phone: makePhone() } });
  expect([status, body.code]).toEqual([503, 'SMS_UNAVAILABLE']);
});
