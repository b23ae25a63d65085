import {
  changeNumber,
  confirmRecoveryCode,
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
import { describe, expect, test } from 'vitest';
import { wayIn } from '../src/identity/ways-in.ts';
import { dayMs, hourMs, today } from '../src/platform/clock.ts';
import { randomRecoveryCode, readRecoveryCode } from '../src/identity/recovery/recovery-code.ts';
import { newActor, usePool, useTestApp, type Actor } from './app.ts';
import { withClient } from './db.ts';
import {
  askForCode,
  finishLeaving,
  makePhone,
  makeValidCode,
  makeVent,
  runJob,
  signIn,
  type Person,
} from './factories.ts';
import { collide, whileWaiting, type Queryable } from './locks.ts';

const app = useTestApp();
const rows = usePool(app);

async function signInWith(phone: string, actor: Actor): Promise<Person> {
  const otp = await askForCode(app, actor, phone);
  const answer = await app.call(verifyOtp, { as: actor, body: { phone, otp } });
  expect(answer.status).toBe(200);
  const { token, user, isNewUser } = answer.body;
  return { ...actor, token, user, isNewUser, phone, userId: app.deps.publicIds.user.decode(user._id) ?? 0n };
}

async function confirm(person: Person): Promise<void> {
  const otp = await askForCode(app, person, person.phone, 'reauth');
  const answer = await app.call(reauthenticate, { as: person, body: { phone: person.phone, otp } });
  expect(answer.status).toBe(200);
}

const passDays = (days: number) => app.clock.advance(days * dayMs);

const makeCode = (person: Person) => makeValidCode(app, person);

/** A code that is shown and not confirmed yet. */
async function offerCode(person: Person) {
  const answer = await app.call(makeRecoveryCode, { as: person });
  expect(answer.status).toBe(200);
  return answer.body;
}

const confirmCode = (as: Person, proof: string) => app.call(confirmRecoveryCode, { as, body: { proof } });

const recover = (as: Person, code: string) => app.call(recoverAccount, { as, body: { code } });

/** Asks, waits, and comes back. */
async function recoverInTime(as: Person, code: string) {
  expect((await recover(as, code)).body.code).toBe('RECOVERY_WAITS');
  app.clock.advance((limits.recoveryWaitHours + 1) * hourMs);
  return recover(as, code);
}

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

describe('a sign-in with an existing number', () => {
  const table: [idle: number, device: 'known' | 'unknown', opens: 'theirs' | 'fresh'][] = [
    [0, 'unknown', 'theirs'],
    [90, 'unknown', 'theirs'],
    [90, 'known', 'theirs'],
    [91, 'unknown', 'fresh'],
    [91, 'known', 'theirs'],
    [179, 'unknown', 'fresh'],
    [179, 'known', 'theirs'],
    [180, 'unknown', 'fresh'],
    // The number was released: only the recovery code leads back.
    [180, 'known', 'fresh'],
  ];
  for (const [idle, device, opens] of table) {
    test(`after ${idle} days on a device that is ${device} opens an account that is ${opens} (R31)`, async () => {
      const before = await signIn(app);
      passDays(idle);
      await runJob(app, 'release-idle-numbers');
      const actor = device === 'known' ? { ...before } : newActor();
      const after = await signInWith(before.phone, actor);
      expect(after.userId === before.userId).toBe(opens === 'theirs');
      expect(after.isNewUser).toBe(opens === 'fresh');
      // The next sign-in opens the same account.
      expect((await signInWith(before.phone, newActor())).userId).toBe(after.userId);
    });
  }

  test('opens the existing account up to 90 idle days, and later only on a known device (R31)', () => {
    fc.assert(
      fc.property(fc.nat(400), fc.boolean(), (idleDays, isKnownDevice) => {
        const { opens } = wayIn('code', { sms: true, device: isKnownDevice }, { idleDays });
        expect(opens).toBe(idleDays > 90 && !isKnownDevice ? 'no' : 'at once');
      }),
    );
  });

  test('reveals nothing of the former account (R31)', async () => {
    const before = await signIn(app);
    const never = await signIn(app);
    passDays(120);
    const again = await signInWith(before.phone, newActor());
    const shape = ({ user }: Person) => ({ ...user, _id: '', profilePic: '' });
    expect(shape(again)).toEqual(shape(never));
  });

  test('opens one new account for two correct codes at the same time', async () => {
    const before = await signIn(app);
    passDays(100);
    // A correct code ends the others of its number. The second is sent when the first has been accepted.
    const enter = async () => {
      const actor = newActor();
      const otp = await askForCode(app, actor, before.phone);
      return app.call(verifyOtp, { as: actor, body: { phone: before.phone, otp } });
    };
    const answers = await collide(rows, 'lock table identity.phone_index in share mode', [enter, enter]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.filter(({ body }) => body.isNewUser)).toHaveLength(1);
    const ids = new Set(answers.map(({ body }) => body.user._id));
    expect(ids.size).toBe(1);
    expect(ids.has(before.user._id)).toBe(false);
  });

  test.each([
    ['opens the account that another correct code has made', 0],
    ['opens no account that is idle again, and makes no second one,', 100],
  ])('%s since the number was looked up', async (_what, idle) => {
    const sealOf = async ({ userId }: Person): Promise<Buffer | undefined> => {
      const found = await rows.query<{ seal: Buffer }>(
        'select seal from identity.phone_index where user_id = $1',
        [String(userId)],
      );
      return found.rows[0]?.seal;
    };
    /** The number changes hands as a whole row, as in a sign-up. */
    const give = (to: Person, seal: Buffer | undefined, from: Person, on: Queryable = rows) =>
      on.query('update identity.phone_index set user_id = $1, seal = $2 where user_id = $3', [
        String(to.userId),
        seal,
        String(from.userId),
      ]);
    const before = await signIn(app);
    const sealBefore = await sealOf(before);
    passDays(100);
    const first = await signInWith(before.phone, newActor());
    const sealAfter = await sealOf(first);
    passDays(idle);
    await give(before, sealBefore, first);
    // The second code reads the old row, and meets the new one.
    const second = await whileWaiting(
      rows,
      `select from identity.phone_index where user_id = ${before.userId} for update`,
      () => signInWith(before.phone, newActor()).catch(String),
      (holder) => give(first, sealAfter, before, holder),
    );
    if (typeof second === 'string') expect([second, idle]).toEqual([expect.stringContaining('503'), 100]);
    else expect([second.isNewUser, second.userId, idle]).toEqual([false, first.userId, 0]);
    expect(await sealOf(first)).toEqual(sealAfter);
  });
});

describe('the recovery code', () => {
  test('has 140 random bits in a readable alphabet, and tolerates typing variants', () => {
    const codes = Array.from({ length: 500 }, randomRecoveryCode);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) {
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/u);
      const typed = ` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
      expect(readRecoveryCode(typed)).toEqual(readRecoveryCode(code));
    }
    for (const wrong of ['', '0'.repeat(27), '0'.repeat(29), `${'0'.repeat(27)}U`, 'ü'.repeat(28)]) {
      expect(readRecoveryCode(wrong)).toBeNull();
    }
  });

  test('is shown once, and only its hash is stored', async () => {
    const person = await signIn(app);
    const read = async () => (await app.call(readRecovery, { as: person })).body;
    expect(await read()).toEqual({ success: true, hasCode: false, madeOn: null });
    const code = await makeCode(person);
    const madeOn = today(app.clock);
    expect(await read()).toEqual({ success: true, hasCode: true, madeOn });
    // The day is that of the current code, also after a replacement.
    passDays(1);
    expect((await read()).madeOn).toBe(madeOn);
    await confirm(person);
    await makeCode(person);
    expect((await read()).madeOn).toBe(today(app.clock));
    const kept = await withClient(app.config.databaseUrl, async (client) => {
      const { rows } = await client.query(`select * from identity.recovery_codes`);
      return JSON.stringify(rows);
    });
    expect(kept).not.toContain(code.slice(0, 5));
  });

  test('is valid only once it is confirmed: until then nothing is stored and an older one stays valid', async () => {
    const person = await signIn(app);
    const read = async () => (await app.call(readRecovery, { as: person })).body.madeOn;
    const offered = await offerCode(person);
    expect(await read()).toBeNull();
    expect((await recover(await signIn(app), offered.code)).body.code).toBe('RECOVERY_INVALID');
    const first = await makeCode(person);
    const firstDay = today(app.clock);
    passDays(1);
    await confirm(person);
    const second = await offerCode(person);
    expect(await read()).toBe(firstDay);
    expect((await recover(await signIn(app), second.code)).body.code).toBe('RECOVERY_INVALID');
    expect((await recoverInTime(await signIn(app), first)).status).toBe(200);
  });

  test('is confirmed by its proof alone, in the same session and in time', async () => {
    const person = await signIn(app);
    const elsewhere = await signInWith(person.phone, newActor());
    const stranger = await signIn(app);
    const { proof } = await offerCode(person);
    const forged = Buffer.from(proof, 'base64url');
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
    for (const [as, sent] of [
      [elsewhere, proof],
      [stranger, proof],
      [person, forged.toString('base64url')],
      [person, ''],
    ] as const) {
      expect((await confirmCode(as, sent)).body.code).toBe('REAUTH_REQUIRED');
    }
    app.clock.advance(limits.recoveryConfirmMinutes * 60_000);
    expect((await confirmCode(person, proof)).body.code).toBe('REAUTH_REQUIRED');
    await confirm(person);
    const second = await offerCode(person);
    // A person who writes slowly need not prove their identity again.
    app.clock.advance(limits.recoveryConfirmMinutes * 60_000 - 1);
    expect((await confirmCode(person, second.proof)).status).toBe(200);
    // Sent again after the time, because the response was lost.
    app.clock.advance(60_000);
    expect((await confirmCode(person, second.proof)).status).toBe(200);
  });

  test('can be confirmed twice without a second effect, and not after another one was', async () => {
    const person = await signIn(app);
    const offers = [await offerCode(person), await offerCode(person)];
    const answers = await collide(
      rows,
      'lock table identity.recovery_codes in share mode',
      offers.map(
        ({ proof }) =>
          () =>
            confirmCode(person, proof),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    const won = answers[0]?.status === 200 ? 0 : 1;
    const madeOn = today(app.clock);
    expect((await confirmCode(person, offers[won]?.proof ?? '')).body.madeOn).toBe(madeOn);
    expect((await confirmCode(person, offers[1 - won]?.proof ?? '')).body.code).toBe('REAUTH_REQUIRED');
    await confirm(person);
    const third = await offerCode(person);
    await confirmCode(person, third.proof);
    expect((await confirmCode(person, offers[won]?.proof ?? '')).body.code).toBe('REAUTH_REQUIRED');
    expect((await recoverInTime(await signIn(app), third.code)).status).toBe(200);
  });

  test('is created once without reauth during sign-up, and later needs a fresh SMS code (R31)', async () => {
    const make = async (as: Person) => (await app.call(makeRecoveryCode, { as })).body.code;
    const person = await signIn(app);
    await makeCode(person);
    expect(await make(person)).toBe('REAUTH_REQUIRED');
    // Half an hour later the session no longer counts as a sign-up.
    const slow = await signIn(app);
    app.clock.advance(limits.signUpMinutes * 60_000);
    expect(await make(slow)).toBe('REAUTH_REQUIRED');
    await confirm(slow);
    await makeCode(slow);
  });

  test('needs reauth in every other session of a new account (R31)', async () => {
    const person = await signIn(app);
    const elsewhere = await signInWith(person.phone, newActor());
    const answer = await app.call(makeRecoveryCode, { as: elsewhere });
    expect([answer.status, answer.body.code]).toEqual([403, 'REAUTH_REQUIRED']);
    await makeCode(person);
  });

  test('replaces the previous one, which opens nothing any more', async () => {
    const person = await signIn(app);
    const first = await makeCode(person);
    await confirm(person);
    const second = await makeCode(person);
    const other = await signIn(app);
    expect((await recover(other, first)).body.code).toBe('RECOVERY_INVALID');
    expect((await recoverInTime(other, second)).status).toBe(200);
  });

  test('restores the old account to a number that a new account had, and deletes the new account (R31)', async () => {
    const before = await signIn(app);
    const code = await makeCode(before);
    const { id: oldVent } = await makeVent(app, before);
    passDays(120);
    const fresh = await signInWith(before.phone, newActor());
    const { id: freshVent } = await makeVent(app, fresh);
    passDays(29);
    const again = await signInWith(before.phone, fresh);
    expect(again.userId).toBe(fresh.userId);
    const answer = await recoverInTime(again, code);
    expect(answer.status).toBe(200);
    expect(answer.body.user._id).toBe(before.user._id);
    const restored = { ...again, token: answer.body.token };
    expect((await app.call(getSelf, { as: restored })).body.user._id).toBe(before.user._id);
    const seen = await app.call(getVent, { as: restored, params: { id: oldVent } });
    expect(seen.body.vent.isOwner).toBe(true);
    // The new account is deleted at once, and its vents over 30 days, the default of any deletion.
    expect((await app.call(getSelf, { as: again })).status).toBe(401);
    expect(await accountRows(fresh.userId)).toBe(0);
    expect((await app.call(getVent, { as: restored, params: { id: freshVent } })).status).toBe(200);
    await finishLeaving(app);
    const reader = await signIn(app);
    expect((await app.call(getVent, { as: reader, params: { id: freshVent } })).status).toBe(404);
    // The number belongs to the old account again.
    expect((await signInWith(before.phone, newActor())).userId).toBe(before.userId);
    // The code is used up.
    expect((await recover(await signIn(app), code)).body.code).toBe('RECOVERY_INVALID');
  });

  test('works from another number, when the SIM is lost, and ends all other sessions', async () => {
    const before = await signIn(app);
    const code = await makeCode(before);
    const elsewhere = await signInWith(before.phone, newActor());
    const fresh = await signIn(app);
    const answer = await recoverInTime(fresh, code);
    expect(answer.body.user._id).toBe(before.user._id);
    for (const old of [before, elsewhere]) expect((await app.call(getSelf, { as: old })).status).toBe(401);
    expect((await signInWith(fresh.phone, newActor())).userId).toBe(before.userId);
    expect((await signInWith(before.phone, newActor())).isNewUser).toBe(true);
  });

  test('works after 364 idle days, and no longer after a year', async () => {
    const [one, other] = [await signIn(app), await signIn(app)];
    const [codeOne, codeOther] = [await makeCode(one), await makeCode(other)];
    passDays(364);
    await runJob(app, 'purge-forgotten-accounts');
    const asker = await signIn(app);
    expect((await recover(asker, codeOne)).body.code).toBe('RECOVERY_WAITS');
    passDays(1);
    await runJob(app, 'purge-forgotten-accounts');
    expect(await accountRows(other.userId)).toBe(0);
    // Asked for in time: the account stays until the wait is over.
    app.clock.advance(limits.recoveryWaitHours * hourMs);
    await runJob(app, 'purge-forgotten-accounts');
    expect((await recover(asker, codeOne)).body.user._id).toBe(one.user._id);
    expect((await recover(await signIn(app), codeOther)).body.code).toBe('RECOVERY_INVALID');
    expect(await accountRows(one.userId)).toBeGreaterThan(0);
  });

  test('asked for in the last of these 30 days, opens the account after the wait', async () => {
    const before = await signIn(app);
    const code = await makeCode(before);
    passDays(100);
    const fresh = await signInWith(before.phone, newActor());
    passDays(limits.recoverableDays - 1);
    const again = await signInWith(fresh.phone, fresh);
    expect((await recover(again, code)).body.code).toBe('RECOVERY_WAITS');
    passDays(2);
    await runJob(app, 'purge-forgotten-accounts');
    passDays(2);
    expect((await recover(again, code)).body.user._id).toBe(before.user._id);
  });

  test('stops working after 30 days if the number went to another account, because the old one is purged (R31)', async () => {
    const before = await signIn(app);
    const code = await makeCode(before);
    passDays(100);
    const fresh = await signInWith(before.phone, newActor());
    passDays(limits.recoverableDays - 1);
    await runJob(app, 'purge-forgotten-accounts');
    expect(await accountRows(before.userId)).toBeGreaterThan(0);
    passDays(1);
    await runJob(app, 'purge-forgotten-accounts');
    expect(await accountRows(before.userId)).toBe(0);
    expect((await recover(await signInWith(fresh.phone, fresh), code)).body.code).toBe('RECOVERY_INVALID');
  });

  test('does not replace an account that has been in use', async () => {
    const before = await signIn(app);
    const code = await makeCode(before);
    const settled = await signIn(app);
    passDays(limits.recoverableDays + 1);
    const again = await signInWith(settled.phone, settled);
    expect((await recover(again, code)).body.code).toBe('NUMBER_TAKEN');
    expect((await app.call(getSelf, { as: again })).status).toBe(200);
    // A refusal does not use up the code.
    expect((await recover(await signIn(app), code)).body.code).toBe('RECOVERY_WAITS');
  });

  test('does not open the caller’s own account, nor work twice at the same time', async () => {
    const before = await signIn(app);
    const code = await makeCode(before);
    expect((await recover(before, code)).body.code).toBe('RECOVERY_INVALID');
    const other = await signIn(app);
    await recover(other, code);
    app.clock.advance((limits.recoveryWaitHours + 1) * hourMs);
    const answers = await collide(
      rows,
      'lock table identity.recovery_codes in share mode',
      [other, other].map((person) => () => recover(person, code)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  });
});

describe('changing the number', () => {
  async function change(person: Person, phone: string, recoveryCode?: string) {
    const otp = await askForCode(app, person, phone, 'change');
    return app.call(changeNumber, {
      as: person,
      body: { phone, otp, ...(recoveryCode === undefined ? {} : { recoveryCode }) },
    });
  }

  test('needs a code for the new number and a fresh code for the old one, and ends other sessions', async () => {
    const person = await signIn(app);
    const elsewhere = await signInWith(person.phone, newActor());
    const phone = makePhone();
    const refused = await change(person, phone);
    expect(refused.body.code).toBe('REAUTH_REQUIRED');
    await confirm(person);
    expect((await change(person, phone)).status).toBe(200);
    expect((await app.call(getSelf, { as: elsewhere })).status).toBe(401);
    expect((await app.call(listSessions, { as: person })).body.sessions).toHaveLength(1);
    expect((await signInWith(phone, newActor())).userId).toBe(person.userId);
    expect((await signInWith(person.phone, newActor())).isNewUser).toBe(true);
  });

  test('accepts the recovery code in place of the old number', async () => {
    const person = await signIn(app);
    const code = await makeCode(person);
    const phone = makePhone();
    expect((await change(person, phone, randomRecoveryCode())).body.code).toBe('RECOVERY_INVALID');
    expect((await change(person, phone, code)).status).toBe(200);
    expect((await signInWith(phone, newActor())).userId).toBe(person.userId);
  });

  test('does not accept a code for signing in', async () => {
    const person = await signIn(app);
    const code = await makeCode(person);
    const phone = makePhone();
    const otp = await askForCode(app, person, phone, 'signin');
    const answer = await app.call(changeNumber, { as: person, body: { phone, otp, recoveryCode: code } });
    expect(answer.body.code).toBe('OTP_INVALID');
  });

  test('is refused for a number in use, and takes over the number of an idle account', async () => {
    const silent = await signIn(app);
    passDays(91);
    const present = await signIn(app);
    const person = await signIn(app);
    const code = await makeCode(person);
    expect((await change(person, present.phone, code)).body.code).toBe('NUMBER_TAKEN');
    expect((await change(person, silent.phone, code)).status).toBe(200);
    expect((await signInWith(silent.phone, newActor())).userId).toBe(person.userId);
    // Changing to the current number succeeds without effect.
    expect((await change(person, silent.phone, code)).status).toBe(200);
  });
});
