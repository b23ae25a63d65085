import {
  cancelRecoveryCode,
  changeNumber,
  getSelf,
  limits,
  listInbox,
  listVents,
  logout,
  reauthenticate,
  readRecovery,
  recoverAccount,
  revokeOtherSessions,
  verifyOtp,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { cases, entryOf, holders, type Case } from './ways.ts';
import type { Entry, Held } from '../src/identity/ways-in.ts';
import { dayMs, hourMs, today } from '../src/platform/clock.ts';
import { newActor, usePool, useTestApp, type Actor } from './app.ts';
import {
  askForCode,
  makePhone,
  makeValidCode,
  makeVent,
  runJob,
  signIn,
  suspend,
  type Person,
} from './factories.ts';
import { collide } from './locks.ts';
import { listTables } from './tables.ts';

const app = useTestApp();
const pool = usePool(app);

const passDays = (days: number) => app.clock.advance(days * dayMs);
const waitMs = limits.recoveryWaitHours * hourMs;

async function verify(phone: string, as: Actor, extra: { readonly asksFirst?: boolean } = {}) {
  const otp = await askForCode(app, as, phone);
  return app.call(verifyOtp, { as, body: { phone, otp, ...extra } });
}

async function signInAgain(phone: string, actor: Actor = newActor()): Promise<Person> {
  const { body } = await verify(phone, actor);
  const { token, user, isNewUser } = body;
  return { ...actor, token, user, isNewUser, phone, userId: app.deps.publicIds.user.decode(user._id) ?? 0n };
}

/** With a code that somebody reads on the phone. */
async function confirm(as: Person, phone = as.phone): Promise<void> {
  const otp = await askForCode(app, as, phone, 'reauth');
  expect((await app.call(reauthenticate, { as, body: { phone, otp } })).status).toBe(200);
}

async function moveTo(as: Person, phone: string, recoveryCode?: string) {
  const otp = await askForCode(app, as, phone, 'change');
  return app.call(changeNumber, { as, body: { phone, otp, ...(recoveryCode && { recoveryCode }) } });
}

async function recover(as: Actor, code: string) {
  const { status, body } = await app.call(recoverAccount, { as, body: { code } });
  const { opensAt: hour = '' } = body as { readonly opensAt?: string };
  return { status, body: { ...body, opensAt: hour } };
}
const cancel = (as: Actor) => app.call(cancelRecoveryCode, { as });
const isOpen = async (as: Actor) => (await app.call(getSelf, { as })).status === 200;
const opensAt = async (as: Actor) => (await app.call(getSelf, { as })).body.user.recoveryOpensAt;

async function eventsOf(as: Actor): Promise<string[]> {
  const { body } = await app.call(listInbox, { as, query: {} });
  return body.lines.flatMap((line) => (line.kind === 'account' ? [line.event] : []));
}

async function ownVents(as: Actor): Promise<number> {
  const { status, body } = await app.call(listVents, { as, query: { mine: 'true' } });
  return status === 200 ? body.vents.length : 0;
}

/** An owner with a vent and a code on paper. */
async function makeOwner() {
  const owner = await signIn(app);
  await makeVent(app, owner);
  return { owner, paper: await makeValidCode(app, owner) };
}

describe('whoever has the phone for five minutes and reads one SMS', () => {
  test('gets a recovery code that the owner sees, sees used, and stops', async () => {
    const { owner, paper } = await makeOwner();
    await confirm(owner);
    const taken = await makeValidCode(app, owner);
    expect(await eventsOf(owner)).toEqual(['code_replaced']);
    const partner = await signIn(app);
    const asked = await recover(partner, taken);
    expect([asked.status, asked.body.code]).toEqual([409, 'RECOVERY_WAITS']);
    // Every open session, every sign-in and the inbox say so.
    const elsewhere = await verify(owner.phone, newActor());
    for (const seen of [await opensAt(owner), elsewhere.body.user.recoveryOpensAt])
      expect(seen).toBe(asked.body.opensAt);
    expect(await eventsOf(owner)).toContain('recovery_asked');
    // Not without a code to the number.
    const again = await signInAgain(owner.phone);
    expect((await cancel(again)).body.code).toBe('REAUTH_REQUIRED');
    await confirm(again);
    expect((await cancel(again)).status).toBe(200);
    expect(await opensAt(owner)).toBeUndefined();
    app.clock.advance(waitMs + hourMs);
    const later = await signInAgain(partner.phone, partner);
    expect((await recover(later, taken)).body.code).toBe('RECOVERY_INVALID');
    expect(await ownVents(later)).toBe(0);
    expect(await isOpen(again)).toBe(true);
    expect((await recover(await signIn(app), paper)).body.code).toBe('RECOVERY_INVALID');
  });

  test('does not void the code on paper by replacing it twice', async () => {
    const { owner, paper } = await makeOwner();
    await confirm(owner);
    await makeValidCode(app, owner);
    await makeValidCode(app, owner);
    await cancel(owner);
    expect((await moveTo(owner, makePhone())).status).toBe(200);
    expect((await recover(await signInAgain(owner.phone), paper)).body.code).toBe('RECOVERY_WAITS');
  });

  /** What an owner, or a thief with the open phone, does on one day, in each order. */
  const replace = async (as: Person) => void (await makeValidCode(app, as));
  const orders = {
    'the number is changed': { before: [], after: [] },
    'the code is cancelled, then the number is changed': { before: [cancel], after: [] },
    'the code is replaced, then the number is changed': { before: [replace], after: [] },
    'the number is changed, then the code is cancelled': { before: [], after: [cancel] },
    'the number is changed, then the code is replaced': { before: [], after: [replace] },
  } as const;

  test.each(Object.entries(orders))(
    '%s: the old code opens the account for who has the former number, and for nobody else',
    async (_, { before, after }) => {
      const { owner, paper } = await makeOwner();
      passDays(8);
      await confirm(owner);
      for (const step of before) await step(owner);
      const newPhone = makePhone();
      expect((await moveTo(owner, newPhone)).status).toBe(200);
      await confirm(owner, newPhone);
      for (const step of after) await step(owner);

      // With a photograph of the paper and a SIM of their own. The holder of the number sees it, and stops it.
      const stranger = await signIn(app);
      await recover(stranger, paper);
      expect((await app.call(getSelf, { as: owner })).body.user).not.toHaveProperty('recoveryIsFinal');
      expect((await cancel(owner)).status).toBe(200);
      app.clock.advance(waitMs + hourMs);
      const strangerAgain = await signInAgain(stranger.phone, stranger);
      expect((await recover(strangerAgain, paper)).status).toBe(403);

      // With the number that the account had.
      const holder = await signInAgain(owner.phone);
      expect(holder.userId).not.toBe(owner.userId);
      expect((await recover(holder, paper)).body.code).toBe('RECOVERY_WAITS');
      const now = await signInAgain(newPhone, owner);
      await confirm(now, newPhone);
      expect((await cancel(now)).body.code).toBe('NUMBER_TOO_NEW');
      app.clock.advance(waitMs + hourMs);
      const back = await recover(await signInAgain(owner.phone, holder), paper);
      expect([back.status, back.body.user._id]).toEqual([200, owner.user._id]);
    },
  );

  test('has no former number to use after seven days, nor one that was only passed through', async () => {
    const { owner, paper } = await makeOwner();
    await confirm(owner);
    const passed = makePhone();
    for (const phone of [passed, owner.phone]) expect((await moveTo(owner, phone)).status).toBe(200);
    await confirm(owner);
    await cancel(owner);
    expect((await recover(await signInAgain(passed), paper)).body.code).toBe('RECOVERY_INVALID');

    const late = await makeOwner();
    await confirm(late.owner);
    await moveTo(late.owner, makePhone());
    passDays(limits.replacedCodeDays);
    const holder = await signInAgain(late.owner.phone);
    expect((await recover(holder, late.paper)).body.code).toBe('RECOVERY_WAITS');
    expect((await app.call(getSelf, { as: late.owner })).body.user).not.toHaveProperty('recoveryIsFinal');
  });

  /** The number of an account is changed by whoever has the phone, some days after its code was made. */
  async function takeByNumber() {
    const { owner, paper } = await makeOwner();
    passDays(limits.replacedCodeDays);
    await confirm(owner);
    const theirs = makePhone();
    const made = await makeValidCode(app, owner);
    expect((await moveTo(owner, theirs)).status).toBe(200);
    const partner = await signInAgain(theirs);
    expect(partner.userId).toBe(owner.userId);
    const victim = await signInAgain(owner.phone);
    expect(victim.userId).not.toBe(owner.userId);
    return { owner, paper, theirs, made, partner, victim };
  }

  test('does not keep an account by changing its number: the code on paper brings it back, and cannot be stopped', async () => {
    const { owner, paper, theirs, partner, victim } = await takeByNumber();
    expect(await eventsOf(partner)).toContain('number_changed');
    // On the last of seven days.
    passDays(limits.replacedCodeDays - 1);
    await signInAgain(theirs, partner);
    expect((await recover(victim, paper)).body.code).toBe('RECOVERY_WAITS');
    expect((await app.call(getSelf, { as: partner })).body.user.recoveryIsFinal).toBe(true);
    await confirm(partner, theirs);
    expect((await cancel(partner)).body.code).toBe('NUMBER_TOO_NEW');
    await makeValidCode(app, partner);
    app.clock.advance(waitMs + hourMs);
    const visiting = await signInAgain(theirs, partner);
    await confirm(visiting, theirs);
    await makeValidCode(app, visiting);
    expect((await cancel(visiting)).body.code).toBe('NUMBER_TOO_NEW');
    const back = await recover(victim, paper);
    expect([back.status, back.body.user._id]).toEqual([200, owner.user._id]);
    expect(await ownVents({ ...victim, token: back.body.token })).toBe(1);
    expect(await isOpen(visiting)).toBe(false);
    expect((await signInAgain(theirs)).userId).not.toBe(owner.userId);
  });

  test('does not put the code on paper off by another code, nor by staying away', async () => {
    const { paper, made, victim, partner, theirs } = await takeByNumber();
    expect((await recover(victim, paper)).body.code).toBe('RECOVERY_WAITS');
    const other = await signIn(app);
    expect((await recover(other, made)).body.code).toBe('RECOVERY_INVALID');
    await confirm(partner, theirs);
    const again = await makeValidCode(app, partner);
    passDays(4);
    expect((await recover(other, again)).body.code).toBe('RECOVERY_INVALID');
    expect((await recover(victim, paper)).status).toBe(200);
  });

  test('makes no code that the number cannot stop: not by changing the number and back, nor by one that was cancelled before', async () => {
    const { owner } = await makeOwner();
    passDays(limits.replacedCodeDays);
    await confirm(owner);
    const taken = await makeValidCode(app, owner);
    for (const phone of [makePhone(), owner.phone]) expect((await moveTo(owner, phone)).status).toBe(200);
    const partner = await signIn(app);
    expect((await recover(partner, taken)).body.code).toBe('RECOVERY_WAITS');
    await confirm(owner);
    expect((await cancel(owner)).status).toBe(200);
    expect((await recover(partner, taken)).body.code).toBe('RECOVERY_INVALID');

    const leaked = await makeOwner();
    passDays(limits.replacedCodeDays);
    await confirm(leaked.owner);
    await cancel(leaked.owner);
    passDays(2);
    await confirm(leaked.owner);
    const fresh = makePhone();
    await moveTo(leaked.owner, fresh);
    expect((await recover(await signIn(app), leaked.paper)).body.code).toBe('RECOVERY_INVALID');
  });

  test('cannot change the number with a code that was cancelled', async () => {
    const { owner, paper } = await makeOwner();
    await confirm(owner);
    await cancel(owner);
    passDays(1);
    expect((await moveTo(owner, makePhone(), paper)).body.code).toBe('RECOVERY_INVALID');
  });

  test('sees no other account’s first visit, and the owner does', async () => {
    const { owner } = await makeOwner();
    const month = today(app.clock).slice(0, 7);
    const asked = await verify(owner.phone, newActor(), { asksFirst: true });
    expect(asked.body.firstVisit).toEqual({ since: month, hasCode: true, otherSessions: 1 });
    // Not on a device that was here before, not of an account without either, and not if it was not asked for.
    expect((await verify(owner.phone, owner, { asksFirst: true })).body).not.toHaveProperty('firstVisit');
    expect((await verify(owner.phone, newActor())).body).not.toHaveProperty('firstVisit');
    const alone = await signIn(app);
    await app.call(logout, { as: alone });
    expect((await verify(alone.phone, newActor(), { asksFirst: false })).body).not.toHaveProperty(
      'firstVisit',
    );
  });
});

test('whoever signs up with a number before its owner is seen by the owner, and reads none of three vents', async () => {
  const phone = makePhone();
  const early = await signIn(app, phone);
  const kept = await makeValidCode(app, early);
  await app.call(logout, { as: early });
  const owner = newActor();
  const { body } = await verify(phone, owner, { asksFirst: false });
  expect([body.isNewUser, body.firstVisit?.hasCode]).toEqual([false, true]);
  const signedIn = {
    ...owner,
    token: body.token,
    phone,
    user: body.user,
    userId: early.userId,
    isNewUser: false,
  };
  await confirm(signedIn);
  await app.call(revokeOtherSessions, { as: signedIn });
  expect((await cancel(signedIn)).status).toBe(200);
  for (let n = 0; n < 3; n += 1) await makeVent(app, signedIn);
  const thief = await signIn(app);
  expect((await recover(thief, kept)).body.code).toBe('RECOVERY_INVALID');
  expect(await ownVents(thief)).toBe(0);
});

describe('a recovery code', () => {
  test('brings back the account of a lost SIM after 72 hours, and the hour does not move', async () => {
    const { owner, paper } = await makeOwner();
    const newSim = await signIn(app);
    const { body } = await recover(newSim, paper);
    const until = Date.parse(body.opensAt);
    expect(until % hourMs).toBe(0);
    expect(until - app.clock.now()).toBeGreaterThanOrEqual(waitMs);
    expect(until - app.clock.now()).toBeLessThan(waitMs + hourMs);
    app.clock.advance(until - app.clock.now() - hourMs);
    // The owner's phone is in use by whoever has it.
    await app.call(getSelf, { as: await signInAgain(owner.phone, owner) });
    expect((await recover(newSim, paper)).body.opensAt).toBe(body.opensAt);
    app.clock.advance(until - app.clock.now());
    const back = await recover(newSim, paper);
    expect([back.status, back.body.user._id]).toEqual([200, owner.user._id]);
    expect(back.body.user).not.toHaveProperty('recoveryOpensAt');
    expect(await eventsOf({ ...newSim, token: back.body.token })).toEqual(['recovered']);
    expect((await recover(await signIn(app), paper)).body.code).toBe('RECOVERY_INVALID');
  });

  test('waits as long for an account that nobody uses, and is told to who comes back meanwhile', async () => {
    const { owner, paper } = await makeOwner();
    passDays(60);
    await runJob(app, 'write-visits');
    const asker = await signIn(app);
    expect((await recover(asker, paper)).body.code).toBe('RECOVERY_WAITS');
    const back = await signInAgain(owner.phone, owner);
    expect(back.userId).toBe(owner.userId);
    expect(await opensAt(back)).toBeDefined();
    await confirm(back);
    expect((await cancel(back)).status).toBe(200);
    app.clock.advance(waitMs + hourMs);
    expect((await recover(asker, paper)).body.code).toBe('RECOVERY_INVALID');
  });

  test('has to ask again if nobody comes back in a week', async () => {
    const { owner, paper } = await makeOwner();
    const asker = await signIn(app);
    const { body } = await recover(asker, paper);
    app.clock.advance(waitMs + limits.recoveryOpenDays * dayMs + hourMs);
    await signInAgain(owner.phone, owner);
    const again = await recover(await signInAgain(asker.phone, asker), paper);
    expect(again.body.code).toBe('RECOVERY_WAITS');
    expect(Date.parse(again.body.opensAt)).toBeGreaterThan(Date.parse(body.opensAt) + waitMs);
  });

  test('starts to wait anew if another one asks', async () => {
    const { owner, paper } = await makeOwner();
    const first = await recover(await signIn(app), paper);
    app.clock.advance(2 * hourMs);
    const second = await recover(await signIn(app), paper);
    expect(Date.parse(second.body.opensAt)).toBeGreaterThan(Date.parse(first.body.opensAt));
    expect(await opensAt(owner)).toBe(second.body.opensAt);
    // A new code stops it as well.
    await confirm(owner);
    const newer = await makeValidCode(app, owner);
    expect(await opensAt(owner)).toBeUndefined();
    expect((await recover(await signIn(app), paper)).body.code).toBe('RECOVERY_INVALID');
    expect((await recover(await signIn(app), newer)).body.code).toBe('RECOVERY_WAITS');
  });

  test('opens after the wait also for who asked on the last day of their own account', async () => {
    const { owner, paper } = await makeOwner();
    const asker = await signIn(app);
    passDays(limits.recoverableDays - 1);
    await signInAgain(owner.phone, owner);
    const again = await signInAgain(asker.phone, asker);
    expect((await recover(again, paper)).body.code).toBe('RECOVERY_WAITS');
    app.clock.advance(waitMs + hourMs);
    await signInAgain(owner.phone, owner);
    expect((await recover(again, paper)).status).toBe(200);
  });

  test('is not told to work by an account that cannot use it', async () => {
    const { paper } = await makeOwner();
    const settled = await signIn(app);
    passDays(limits.recoverableDays + 1);
    const again = await signInAgain(settled.phone, settled);
    for (const code of [paper, '0000-0000-0000-0000-0000-0000-0000'])
      expect((await recover(again, code)).body.code).toBe('NUMBER_TAKEN');
  });

  test('can be stopped by a suspended owner, whose former number stays held when it opens', async () => {
    const { owner, paper } = await makeOwner();
    await suspend(app, owner);
    const asker = await signIn(app);
    expect((await recover(asker, paper)).body.code).toBe('RECOVERY_WAITS');
    await confirm(owner);
    expect((await cancel(owner)).status).toBe(200);
    expect((await app.call(revokeOtherSessions, { as: owner })).status).toBe(200);
    const other = await makeOwner();
    await suspend(app, other.owner);
    const second = await signIn(app);
    await recover(second, other.paper);
    app.clock.advance(waitMs + hourMs);
    expect((await recover(second, other.paper)).status).toBe(200);
    expect((await verify(other.owner.phone, newActor())).body.code).toBe('NUMBER_HELD');
  });

  test('moves no number unless the sessions end with it', async () => {
    const { owner, paper } = await makeOwner();
    const asker = await signIn(app);
    await recover(asker, paper);
    app.clock.advance(waitMs + hourMs);
    await pool.query(`create function public.refuse() returns trigger language plpgsql as $$
      begin raise exception 'planted'; end $$;
      create trigger planted before delete on identity.sessions for each row
        when (old.user_id = ${owner.userId}) execute function public.refuse()`);
    try {
      expect((await recover(asker, paper)).status).toBe(500);
    } finally {
      await pool.query('drop trigger planted on identity.sessions; drop function public.refuse()');
    }
    expect((await recover(asker, paper)).status).toBe(200);
    expect(await isOpen(owner)).toBe(false);
  });

  test('and its stop at the same time do not wait for each other', async () => {
    const { owner, paper } = await makeOwner();
    const asker = await signIn(app);
    await recover(asker, paper);
    app.clock.advance(waitMs + hourMs);
    await confirm(owner);
    const answers = await collide(pool, 'lock table identity.recovery_codes in share mode', [
      async () => (await recover(asker, paper)).status,
      async () => (await cancel(owner)).status,
    ]);
    expect(answers.filter((status) => status >= 500)).toEqual([]);
  });

  test('tells its day', async () => {
    const { owner } = await makeOwner();
    await confirm(owner);
    await makeValidCode(app, owner);
    const madeOn = today(app.clock);
    const read = async () => (await app.call(readRecovery, { as: owner })).body;
    expect(await read()).toMatchObject({ hasCode: true, madeOn });
    await cancel(owner);
    expect(await read()).toMatchObject({ hasCode: false, madeOn: null });
    expect(await eventsOf(owner)).toEqual(['code_cancelled']);
  });

  test('leaves in a copy neither that a recovery runs nor who asks', async () => {
    const { owner, paper } = await makeOwner();
    const quiet = await makeOwner();
    const asker = await signIn(app);
    const dump = async () => {
      const rows = new Map<string, string>();
      for (const table of await listTables(pool)) {
        const { rows: found } = await pool.query<{ row: string }>(
          `select t::text as row from ${table} t order by 1`,
        );
        rows.set(table, found.map(({ row }) => row).join('\n'));
      }
      return rows;
    };
    const before = await dump();
    expect((await recover(asker, paper)).body.code).toBe('RECOVERY_WAITS');
    const after = await dump();
    expect([...after.keys()].filter((table) => before.get(table) !== after.get(table))).toEqual([
      'identity.recovery_codes',
    ]);
    // The row looks like that of an account that nobody asks for, and has nothing of who asks.
    const { rows } = await pool.query<Record<string, unknown>>(
      `select octet_length(facts) as facts, octet_length(code_key) as code, octet_length(replaced_key) as replaced,
              position(int8send($2) in facts) + position(int8send($2 << 8) in facts) as asker
         from identity.recovery_codes where user_id = any($1::bigint[])`,
      [[owner.userId, quiet.owner.userId], asker.userId],
    );
    expect(rows).toEqual(Array.from({ length: 2 }, () => ({ facts: 64, code: 32, replaced: 32, asker: 0 })));
  });
});

/** The table of docs/ways-in.md, each cell tried on the server. */
describe('every way into an account, for everybody who holds something of it', () => {
  interface Account {
    readonly owner: Person;
    readonly paper: string;
    /** The number of the account now. */
    readonly phone: string;
  }

  async function makeAccounts({ account }: Case, count: number): Promise<Account[]> {
    const made: Account[] = [];
    for (let n = 0; n < count; n += 1) {
      const one = await makeOwner();
      const phone = account.isNumberChanged ? makePhone() : one.owner.phone;
      made.push({ ...one, phone });
      if (account.isPaperReplaced || account.isNumberChanged) await confirm(one.owner);
      if (account.isPaperReplaced) expect((await cancel(one.owner)).status).toBe(200);
      if (account.isNumberChanged) expect((await moveTo(one.owner, phone)).status).toBe(200);
    }
    return made;
  }

  type Found = Entry['opens'] | (() => Promise<Entry['opens']>);

  /** Tries a way with what is held. Returns how far it led, or what is to be tried after a wait. */
  async function enter({ way, account }: Case, held: Held, { owner, paper, phone }: Account): Promise<Found> {
    const browser = held.device ? { ...owner } : newActor();
    const isTheirs = (user: { readonly _id: string } | undefined) => user?._id === owner.user._id;
    const found = (isIn: boolean) => (isIn ? 'at once' : 'no');
    switch (way) {
      case 'session':
        return found(await isOpen({ ...browser, token: held.session ? owner.token : '' }));
      case 'code': {
        const otp = await askForCode(app, browser, phone);
        const wrong = otp === '000000' ? '000001' : '000000';
        const body = { phone, otp: held.sms ? otp : wrong };
        return found(isTheirs((await app.call(verifyOtp, { as: browser, body })).body.user));
      }
      case 'recoveryCode': {
        const isOfFormer = account.isNumberChanged && held.formerSms;
        const asker = isOfFormer ? await signInAgain(owner.phone) : await signIn(app);
        const first = await recover(asker, held.paper ? paper : '0000');
        if (first.status !== 409) return found(isTheirs(first.body.user));
        return async () => {
          await signInAgain(phone, owner);
          return isTheirs((await recover(asker, paper)).body.user) ? 'after a wait' : 'no';
        };
      }
      case 'changedNumber': {
        if (!held.session) return 'no';
        if (held.sms) await confirm(owner);
        const mine = makePhone();
        await moveTo(owner, mine, held.paper && !held.sms ? paper : undefined);
        return found((await signInAgain(mine)).userId === owner.userId);
      }
    }
  }

  for (const one of cases)
    test(one.name, async () => {
      const tries = Object.entries(holders);
      const accounts = await makeAccounts(one, tries.length);
      const { idleDays = 0 } = one.account;
      passDays(idleDays);
      if (idleDays > 0) await runJob(app, 'write-visits');
      const begun: [string, Found][] = [];
      for (const [n, [name, held]] of tries.entries())
        begun.push([name, await enter(one, held, accounts[n] as Account)]);
      app.clock.advance(waitMs + hourMs);
      const found: [string, string][] = [];
      for (const [name, led] of begun) found.push([name, typeof led === 'string' ? led : await led()]);
      expect(found).toEqual(tries.map(([name, held]) => [name, entryOf(one, held).opens]));
    });
});
