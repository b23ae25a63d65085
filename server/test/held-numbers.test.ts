import {
  changeNumber,
  deleteAccount,
  getSelf,
  recoverAccount,
  requestOtp,
  verifyOtp,
  type Sanction,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { numberHeldUntil } from '../src/identity/accounts/held-numbers.ts';
import { addDays, startOfDay, today, type Day } from '../src/platform/clock.ts';
import { newActor, usePool, useTestApp, type TestApp } from './app.ts';
import { makeDecision } from './decisions.ts';
import {
  askForCode,
  keysOf,
  makePhone,
  makeUser,
  makeValidCode,
  markConfirmed,
  runJob,
  signIn,
  type Person,
} from './factories.ts';

const app = useTestApp({ limitsScale: 1000 });
const rows = usePool(app);
const day = 24 * 3_600_000;

/** Somebody who was sanctioned and then deleted the account. */
async function leaveUnder(sanction: Sanction, days = 7, startsIn = 0): Promise<Person> {
  const person = await makeUser(app);
  const now = app.clock.now();
  await makeDecision(app, await keysOf(app, person), {
    sanction,
    startsAt: new Date(now + startsIn),
    endsAt: new Date(now + days * day),
  });
  await leave(person);
  return person;
}

async function leave(person: Person): Promise<void> {
  await markConfirmed(app, person);
  expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
}

async function tryNumber(server: TestApp, phone: string): Promise<string> {
  const actor = newActor();
  const otp = await askForCode(server, actor, phone);
  const { status, body } = await server.call(verifyOtp, { as: actor, body: { phone, otp } });
  return body.code ?? String(status);
}

async function heldRows() {
  const { rows: held } = await rows.query<{ held_until: Day; row: Record<string, unknown> }>(
    `select held_until::text, to_jsonb(t) as row from identity.held_numbers t order by idx`,
  );
  return held;
}

describe('the rule', () => {
  const from = '2026-11-20';
  test.each([
    ['suspend', addDays(from, 3), '2027-01-01'],
    ['suspend', addDays(from, 30), '2027-01-01'],
    // A ban that is nearly over.
    ['ban', addDays(from, 8), '2026-12-01'],
    ['ban', addDays(from, 180), '2027-02-16'],
  ] as const)('%s until %s: released on %s', (sanction, endsOn, released) => {
    expect(numberHeldUntil(sanction, endsOn, from)).toBe(released);
  });

  test('never longer than 90 days, and always until the start of a half month', () => {
    for (let n = 0; n < 400; n += 1) {
      const leftOn = addDays('2026-01-01', n);
      for (const sanction of ['suspend', 'ban'] as const) {
        const until = numberHeldUntil(sanction, addDays(leftOn, 180), leftOn);
        const days = (startOfDay(until) - startOfDay(leftOn)) / day;
        expect(days).toBeLessThanOrEqual(90);
        expect(days).toBeGreaterThanOrEqual(sanction === 'ban' ? 74 : 30);
        expect(until).toMatch(/-(?:01|16)$/u);
      }
    }
  });
});

test.each(['suspend', 'ban'] as const)(
  '%s: the number opens no new account until it is released',
  async (sanction) => {
    const person = await leaveUnder(sanction, sanction === 'ban' ? 180 : 7);
    expect(await tryNumber(app, person.phone)).toBe('NUMBER_HELD');
    expect(await tryNumber(app, person.phone)).toBe('NUMBER_HELD');
    const until = numberHeldUntil(sanction, addDays(today(app.clock), 180), today(app.clock));
    app.clock.advance(startOfDay(until) - app.clock.now() - 60_000);
    expect(await tryNumber(app, person.phone)).toBe('NUMBER_HELD');
    app.clock.advance(60_000);
    expect(await tryNumber(app, person.phone)).toBe('200');
  },
);

test('a sanction that has not begun holds the number too: its notice is already shown', async () => {
  const person = await leaveUnder('suspend', 7, 3_600_000);
  expect(await tryNumber(app, person.phone)).toBe('NUMBER_HELD');
});

describe('a person whose suspension or ban was decided and has not begun', () => {
  const decideOn = async (person: Person) =>
    makeDecision(app, await keysOf(app, person), {
      sanction: 'ban',
      startsAt: new Date(app.clock.now() + 5 * 3_600_000),
      endsAt: new Date(app.clock.now() + 180 * day),
    });

  test('cannot change the number: the old one would open a new account at once', async () => {
    const person = await makeUser(app);
    await decideOn(person);
    await markConfirmed(app, person);
    const phone = makePhone();
    const otp = await askForCode(app, person, phone, 'change');
    const answer = await app.call(changeNumber, { as: person, body: { phone, otp } });
    expect([answer.status, answer.body.code]).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect((await signIn(app, person.phone)).userId).toBe(person.userId);
    // A limit is no exclusion.
    const limited = await makeUser(app);
    await makeDecision(app, await keysOf(app, limited), { sanction: 'limit' });
    await markConfirmed(app, limited);
    const other = await askForCode(app, limited, phone, 'change');
    expect((await app.call(changeNumber, { as: limited, body: { phone, otp: other } })).status).toBe(200);
  });

  test('cannot trade the account for another one by its recovery code', async () => {
    const spare = await makeUser(app);
    const code = await makeValidCode(app, spare);
    const person = await makeUser(app);
    await decideOn(person);
    const answer = await app.call(recoverAccount, { as: person, body: { code } });
    expect([answer.status, answer.body.code]).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect((await signIn(app, person.phone)).userId).toBe(person.userId);
    // The code is not used up.
    const other = await app.call(recoverAccount, { as: await makeUser(app), body: { code } });
    expect(other.body.code).toBe('RECOVERY_WAITS');
  });
});

test('the number of a person who was limited, or whose sanction is over or was none, is free at once', async () => {
  const over = await makeUser(app);
  await makeDecision(app, await keysOf(app, over), {
    sanction: 'suspend',
    endsAt: new Date(app.clock.now() + 1000),
  });
  app.clock.advance(1000);
  await leave(over);
  const free = [over, await leaveUnder('limit'), await leaveUnder('none')];
  const before = (await heldRows()).length;
  for (const { phone } of free) expect(await tryNumber(app, phone)).toBe('200');
  expect((await heldRows()).length).toBe(before);
});

test('a wrong code, and asking for a code, do not tell that a number is held', async () => {
  const { phone } = await leaveUnder('ban', 180);
  const outcomes = [];
  for (const number of [phone, makePhone()]) {
    const actor = newActor();
    app.clock.advance(31_000);
    const asked = await app.call(requestOtp, { as: actor, body: { phone: number } });
    const wrong = await app.call(verifyOtp, { as: actor, body: { phone: number, otp: '000000' } });
    outcomes.push([asked.text, wrong.status, wrong.body.code, wrong.body.message]);
  }
  expect(outcomes[0]).toEqual(outcomes[1]);
});

test('an account cannot change to a held number', async () => {
  const { phone } = await leaveUnder('suspend');
  const person = await makeUser(app);
  await markConfirmed(app, person);
  const otp = await askForCode(app, person, phone, 'change');
  const answer = await app.call(changeNumber, { as: person, body: { phone, otp } });
  expect([answer.status, answer.body.code]).toEqual([403, 'NUMBER_HELD']);
  // It keeps its own.
  expect((await signIn(app, person.phone)).userId).toBe(person.userId);
});

test('a row has no user, no reason and no exact day, and its number leaves the other tables', async () => {
  const person = await makeUser(app);
  const { rows: index } = await rows.query<{ idx: Buffer }>(
    'select idx from identity.phone_index where user_id = $1',
    [String(person.userId)],
  );
  await makeDecision(app, await keysOf(app, person), { sanction: 'ban' });
  const before = new Set((await heldRows()).map(({ row }) => row['idx']));
  await leave(person);
  const [added, ...more] = (await heldRows()).filter(({ row }) => !before.has(row['idx']));
  expect(more).toEqual([]);
  expect(Object.keys(added?.row ?? {}).toSorted()).toEqual(['held_until', 'idx', 'key_id', 'wrapped_by']);
  expect(added?.row['idx']).toBe(`\\x${index[0]?.idx.toString('hex')}`);
  expect(added?.held_until).toMatch(/-(?:01|16)$/u);
  const { rowCount } = await rows.query('select 1 from identity.phone_index where idx = $1', [index[0]?.idx]);
  expect(rowCount).toBe(0);
});

test('if the deletion fails at the account itself, the number still opens it', async () => {
  const person = await makeUser(app);
  await makeDecision(app, await keysOf(app, person), { sanction: 'suspend' });
  await rows.query(`create function identity.refuse() returns trigger language plpgsql as $$
    begin raise exception 'not now'; end $$`);
  await rows.query(
    'create trigger refuse before delete on identity.users for each row execute function identity.refuse()',
  );
  await markConfirmed(app, person);
  expect((await app.call(deleteAccount, { as: person })).status).toBe(500);
  await rows.query('drop trigger refuse on identity.users');
  const back = await signIn(app, person.phone);
  expect(back.userId).toBe(person.userId);
  expect((await app.call(getSelf, { as: back })).body.user.suspended).toBe(true);
});

test('the nightly job deletes released numbers and rewrites the rest in an order that tells nothing', async () => {
  for (let n = 0; n < 6; n += 1) await leaveUnder('suspend');
  const gone = await leaveUnder('ban', 180);
  expect(await tryNumber(app, gone.phone)).toBe('NUMBER_HELD');
  const held = await heldRows();
  await runJob(app, 'release-held-numbers');
  expect(await heldRows()).toEqual(held.filter(({ held_until: until }) => until > today(app.clock)));
  const { rows: order } = await rows.query<{ idx: string }>(
    `select encode(idx, 'hex') as idx from identity.held_numbers order by ctid`,
  );
  expect(order.length).toBeGreaterThan(6);
  expect(order).toEqual(order.toSorted((a, b) => (a.idx < b.idx ? -1 : 1)));
  app.clock.advance(91 * day);
  await runJob(app, 'release-held-numbers');
  expect(await heldRows()).toEqual([]);
});
