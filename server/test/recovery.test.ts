import {
  changeNumber,
  getSelf,
  getVent,
  limits,
  listSessions,
  makeRecoveryCode,
  readRecovery,
  reauthenticate,
  recoverAccount,
  verifyOtp,
} from '@unsaid/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whoseAccount } from '../src/auth/accounts.state.ts';
import { dayMs, today } from '../src/platform/clock.ts';
import { drawRecoveryCode, hashRecoveryCode } from '../src/recovery/recovery.code.ts';
import { newActor, startTestApp, type Actor, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import { askForCode, finishLeaving, makePhone, makeVent, runJob, signIn, type Person } from './make.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function comeBack(phone: string, actor: Actor): Promise<Person> {
  const otp = await askForCode(app, actor, phone);
  const answer = await app.call(verifyOtp, { as: actor, body: { phone, otp } });
  expect(answer.status).toBe(200);
  const { token, user, isNewUser } = answer.body;
  return { ...actor, token, user, isNewUser, phone, userId: app.deps.seals.user.open(user._id) ?? 0n };
}

async function confirm(person: Person): Promise<void> {
  const otp = await askForCode(app, person, person.phone, 'reauth');
  const answer = await app.call(reauthenticate, { as: person, body: { phone: person.phone, otp } });
  expect(answer.status).toBe(200);
}

const later = (days: number) => app.clock.advance(days * dayMs);

async function codeOf(person: Person): Promise<string> {
  const answer = await app.call(makeRecoveryCode, { as: person });
  expect(answer.status).toBe(200);
  return answer.body.code;
}

const bringBack = (as: Person, code: string) => app.call(recoverAccount, { as, body: { code } });

async function accountRows(userId: bigint): Promise<number> {
  return withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select (select count(*) from identity.users where id = $1)
            + (select count(*) from identity.phone_index where user_id = $1)
            + (select count(*) from identity.recovery_codes where user_id = $1)
            + (select count(*) from identity.devices where user_id = $1)
            + (select count(*) from identity.sessions where user_id = $1) as count`,
      [String(userId)],
    );
    return Number(rows[0]?.count);
  });
}

describe('a number that comes back', () => {
  const table: [idle: number, device: 'known' | 'unknown', opens: 'theirs' | 'fresh'][] = [
    [0, 'unknown', 'theirs'],
    [90, 'unknown', 'theirs'],
    [90, 'known', 'theirs'],
    [91, 'unknown', 'fresh'],
    [91, 'known', 'theirs'],
    [179, 'unknown', 'fresh'],
    [179, 'known', 'theirs'],
    [180, 'unknown', 'fresh'],
    // The number has been let go of: only the recovery code leads back.
    [180, 'known', 'fresh'],
  ];
  for (const [idle, device, opens] of table) {
    test(`after ${idle} days on a device that is ${device} opens an account that is ${opens}`, async () => {
      const before = await signIn(app);
      later(idle);
      await runJob(app, 'let-go-of-numbers');
      const actor = device === 'known' ? { ...before } : newActor();
      const after = await comeBack(before.phone, actor);
      expect(after.userId === before.userId).toBe(opens === 'theirs');
      expect(after.isNewUser).toBe(opens === 'fresh');
      // And it stays so.
      expect((await comeBack(before.phone, newActor())).userId).toBe(after.userId);
    });
  }

  test('the rule, for any silence: 90 days are nobody else, and a known device is the same person', () => {
    fc.assert(
      fc.property(fc.nat(400), fc.boolean(), (idleDays, isKnownDevice) => {
        const opens = whoseAccount({ idleDays, isKnownDevice });
        expect(opens).toBe(idleDays > 90 && !isKnownDevice ? 'fresh' : 'theirs');
      }),
    );
  });

  test('says no word of the account that was there', async () => {
    const before = await signIn(app);
    const never = await signIn(app);
    later(120);
    const again = await comeBack(before.phone, newActor());
    const shape = ({ user }: Person) => ({ ...user, _id: '', profilePic: '' });
    expect(shape(again)).toEqual(shape(never));
  });

  test('two right codes at once open one fresh account', async () => {
    const before = await signIn(app);
    later(100);
    const actors = [newActor(), newActor()];
    const codes: string[] = [];
    for (const actor of actors) codes.push(await askForCode(app, actor, before.phone));
    // The first to be right ends the other's code, so at least one comes in, and into one account.
    const answers = await Promise.all(
      actors.map((actor, n) =>
        app.call(verifyOtp, { as: actor, body: { phone: before.phone, otp: codes[n] ?? '' } }),
      ),
    );
    const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.user._id));
    expect(ids.size).toBe(1);
    expect(ids.has(before.user._id)).toBe(false);
  });
});

describe('the recovery code', () => {
  test('is 140 random bits that can be read aloud, and forgives how it is typed', () => {
    const codes = Array.from({ length: 500 }, drawRecoveryCode);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) {
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/u);
      const typed = ` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
      expect(hashRecoveryCode(typed)).toEqual(hashRecoveryCode(code));
    }
    for (const wrong of ['', '0'.repeat(27), '0'.repeat(29), `${'0'.repeat(27)}U`, 'ü'.repeat(28)]) {
      expect(hashRecoveryCode(wrong)).toBeNull();
    }
  });

  test('is shown once; only a hash of it is kept', async () => {
    const person = await signIn(app);
    const read = async () => (await app.call(readRecovery, { as: person })).body;
    expect(await read()).toEqual({ success: true, hasCode: false, madeOn: null });
    const code = await codeOf(person);
    const madeOn = today(app.clock);
    expect(await read()).toEqual({ success: true, hasCode: true, madeOn });
    // The day is that of the code, also of one that takes the place of another.
    later(1);
    expect((await read()).madeOn).toBe(madeOn);
    await confirm(person);
    await codeOf(person);
    expect((await read()).madeOn).toBe(today(app.clock));
    const kept = await withClient(app.config.databaseUrl, async (client) => {
      const { rows } = await client.query(`select * from identity.recovery_codes`);
      return JSON.stringify(rows);
    });
    expect(kept).not.toContain(code.slice(0, 5));
  });

  test('is free once while signing up; afterwards it takes a fresh SMS code', async () => {
    const make = async (as: Person) => (await app.call(makeRecoveryCode, { as })).body.code;
    const person = await signIn(app);
    await codeOf(person);
    expect(await make(person)).toBe('REAUTH_REQUIRED');
    // Half an hour later the same session is any open session.
    const slow = await signIn(app);
    app.clock.advance(limits.signUpMinutes * 60_000);
    expect(await make(slow)).toBe('REAUTH_REQUIRED');
    await confirm(slow);
    await codeOf(slow);
  });

  test('is not free for another session of a new account, whoever opened it', async () => {
    const person = await signIn(app);
    const elsewhere = await comeBack(person.phone, newActor());
    const answer = await app.call(makeRecoveryCode, { as: elsewhere });
    expect([answer.status, answer.body.code]).toEqual([403, 'REAUTH_REQUIRED']);
    await codeOf(person);
  });

  test('a new one ends the old one', async () => {
    const person = await signIn(app);
    const first = await codeOf(person);
    await confirm(person);
    const second = await codeOf(person);
    const other = await signIn(app);
    expect((await bringBack(other, first)).body.code).toBe('RECOVERY_INVALID');
    expect((await bringBack(other, second)).status).toBe(200);
  });

  test('brings the old account back to a number that had gone to a fresh one, which then ends', async () => {
    const before = await signIn(app);
    const code = await codeOf(before);
    const { id: oldVent } = await makeVent(app, before);
    later(120);
    const fresh = await comeBack(before.phone, newActor());
    const { id: freshVent } = await makeVent(app, fresh);
    later(29);
    const again = await comeBack(before.phone, fresh);
    expect(again.userId).toBe(fresh.userId);
    const answer = await bringBack(again, code);
    expect(answer.status).toBe(200);
    expect(answer.body.user._id).toBe(before.user._id);
    const restored = { ...again, token: answer.body.token };
    expect((await app.call(getSelf, { as: restored })).body.user._id).toBe(before.user._id);
    const seen = await app.call(getVent, { as: restored, params: { id: oldVent } });
    expect(seen.body.vent.isOwner).toBe(true);
    // The fresh account is gone at once, and its vents over the 30 days that any deletion takes if nobody chose.
    expect((await app.call(getSelf, { as: again })).status).toBe(401);
    expect(await accountRows(fresh.userId)).toBe(0);
    expect((await app.call(getVent, { as: restored, params: { id: freshVent } })).status).toBe(200);
    await finishLeaving(app);
    const reader = await signIn(app);
    expect((await app.call(getVent, { as: reader, params: { id: freshVent } })).status).toBe(404);
    // The number is the old account's again.
    expect((await comeBack(before.phone, newActor())).userId).toBe(before.userId);
    // And the code is used up.
    expect((await bringBack(await signIn(app), code)).body.code).toBe('RECOVERY_INVALID');
  });

  test('leads from another number too, when the SIM is lost; sessions elsewhere end', async () => {
    const before = await signIn(app);
    const code = await codeOf(before);
    const elsewhere = await comeBack(before.phone, newActor());
    const fresh = await signIn(app);
    const answer = await bringBack(fresh, code);
    expect(answer.body.user._id).toBe(before.user._id);
    for (const old of [before, elsewhere]) expect((await app.call(getSelf, { as: old })).status).toBe(401);
    expect((await comeBack(fresh.phone, newActor())).userId).toBe(before.userId);
    expect((await comeBack(before.phone, newActor())).isNewUser).toBe(true);
  });

  test('leads back after a year of silence less a day, and to nothing after a year', async () => {
    const [one, other] = [await signIn(app), await signIn(app)];
    const [codeOne, codeOther] = [await codeOf(one), await codeOf(other)];
    later(364);
    await runJob(app, 'purge-forgotten-accounts');
    expect((await bringBack(await signIn(app), codeOne)).body.user._id).toBe(one.user._id);
    later(1);
    await runJob(app, 'purge-forgotten-accounts');
    expect(await accountRows(other.userId)).toBe(0);
    expect((await bringBack(await signIn(app), codeOther)).body.code).toBe('RECOVERY_INVALID');
    expect(await accountRows(one.userId)).toBeGreaterThan(0);
  });

  test('an account whose number went to another is purged after 30 days', async () => {
    const before = await signIn(app);
    const code = await codeOf(before);
    later(100);
    const fresh = await comeBack(before.phone, newActor());
    later(limits.broughtBackDays - 1);
    await runJob(app, 'purge-forgotten-accounts');
    expect(await accountRows(before.userId)).toBeGreaterThan(0);
    later(1);
    await runJob(app, 'purge-forgotten-accounts');
    expect(await accountRows(before.userId)).toBe(0);
    expect((await bringBack(await comeBack(fresh.phone, fresh), code)).body.code).toBe('RECOVERY_INVALID');
  });

  test('does not cost somebody an account they have lived with', async () => {
    const before = await signIn(app);
    const code = await codeOf(before);
    const settled = await signIn(app);
    later(limits.broughtBackDays + 1);
    const again = await comeBack(settled.phone, settled);
    expect((await bringBack(again, code)).body.code).toBe('NUMBER_TAKEN');
    expect((await app.call(getSelf, { as: again })).status).toBe(200);
    // Nothing is used up by being refused.
    expect((await bringBack(await signIn(app), code)).status).toBe(200);
  });

  test('does not open the account one is in, nor twice at the same instant', async () => {
    const before = await signIn(app);
    const code = await codeOf(before);
    expect((await bringBack(before, code)).body.code).toBe('RECOVERY_INVALID');
    const two = [await signIn(app), await signIn(app)];
    const answers = await Promise.all(two.map((person) => bringBack(person, code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  });
});

describe('another number', () => {
  async function change(person: Person, phone: string, recoveryCode?: string) {
    const otp = await askForCode(app, person, phone, 'change');
    return app.call(changeNumber, {
      as: person,
      body: { phone, otp, ...(recoveryCode === undefined ? {} : { recoveryCode }) },
    });
  }

  test('takes a code of the new one and a fresh code of the old one, and ends other sessions', async () => {
    const person = await signIn(app);
    const elsewhere = await comeBack(person.phone, newActor());
    const phone = makePhone();
    const refused = await change(person, phone);
    expect(refused.body.code).toBe('REAUTH_REQUIRED');
    await confirm(person);
    expect((await change(person, phone)).status).toBe(200);
    expect((await app.call(getSelf, { as: elsewhere })).status).toBe(401);
    expect((await app.call(listSessions, { as: person })).body.sessions).toHaveLength(1);
    expect((await comeBack(phone, newActor())).userId).toBe(person.userId);
    expect((await comeBack(person.phone, newActor())).isNewUser).toBe(true);
  });

  test('takes the recovery code in place of the old number', async () => {
    const person = await signIn(app);
    const code = await codeOf(person);
    const phone = makePhone();
    expect((await change(person, phone, drawRecoveryCode())).body.code).toBe('RECOVERY_INVALID');
    expect((await change(person, phone, code)).status).toBe(200);
    expect((await comeBack(phone, newActor())).userId).toBe(person.userId);
  });

  test('a code for signing in does not change a number', async () => {
    const person = await signIn(app);
    const code = await codeOf(person);
    const phone = makePhone();
    const otp = await askForCode(app, person, phone, 'signin');
    const answer = await app.call(changeNumber, { as: person, body: { phone, otp, recoveryCode: code } });
    expect(answer.body.code).toBe('OTP_INVALID');
  });

  test('that somebody else is using is refused; one whose account is long silent is taken over', async () => {
    const silent = await signIn(app);
    later(91);
    const present = await signIn(app);
    const person = await signIn(app);
    const code = await codeOf(person);
    expect((await change(person, present.phone, code)).body.code).toBe('NUMBER_TAKEN');
    expect((await change(person, silent.phone, code)).status).toBe(200);
    expect((await comeBack(silent.phone, newActor())).userId).toBe(person.userId);
    // Changing to the number one has is no change.
    expect((await change(person, silent.phone, code)).status).toBe(200);
  });
});
