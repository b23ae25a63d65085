import {
  commentOnVent,
  confirmRecoveryCode,
  createVent,
  makeRecoveryCode,
  requestOtp,
  verifyOtp,
  type OtpPurpose,
  type RequestOf,
  type SelfUser,
  type VentView,
} from '@unsaid/contract';
import type pg from 'pg';
import { expect } from 'vitest';
import { addDays, startOfDay, today, type Day } from '../src/platform/clock.ts';
import { outsideTransaction } from '../src/platform/confirmed-pool.ts';
import type { Person as PersonKeys } from '../src/kernel/person-keys.ts';
import { newActor, type Actor, type TestApp } from './app.ts';
import { makeDecision } from './decisions.ts';

const hour = 3_600_000;

let numbers = 0;

/** An Indian mobile number that no other test uses, with a prefix that few others share. */
export function makePhone(): string {
  numbers += 1;
  const digits = (numbers * 10_037 + (process.pid % 1000) * 10_000) % 100_000_000;
  return `+9198${String(digits).padStart(8, '0')}`;
}

export interface Person extends Actor {
  readonly token: string;
  readonly phone: string;
  readonly user: SelfUser;
  readonly userId: bigint;
  readonly isNewUser: boolean;
}

/** Signs in with a code, like any user. */
export async function signIn(
  app: TestApp,
  phone: string = makePhone(),
  actor: Actor = newActor(),
): Promise<Person> {
  const sent = await app.call(requestOtp, { as: actor, body: { phone } });
  if (sent.status !== 200) throw new Error(`no code: ${sent.text}`);
  const answer = await app.call(verifyOtp, { as: actor, body: { phone, otp: await app.codeFor(phone) } });
  if (answer.status !== 200) throw new Error(`no session: ${answer.text}`);
  const { token, user, isNewUser } = answer.body;
  return { ...actor, token, user, isNewUser, phone, userId: app.deps.publicIds.user.decode(user._id) ?? 0n };
}

/** Requests a code and waits for it, because the outbox may still hold an older one of the same number. */
export async function askForCode(
  app: TestApp,
  actor: Actor,
  phone: string,
  purpose: OtpPurpose = 'signin',
): Promise<string> {
  app.clock.advance(31_000);
  const sent = () => app.deps.outbox.recent().filter(({ to }) => to === phone).length;
  const before = sent();
  const asked = await app.call(requestOtp, { as: actor, body: { phone, purpose } });
  expect(asked.status).toBe(200);
  await expect.poll(sent, { interval: 2 }).toBe(before + 1);
  return app.codeFor(phone);
}

/** Reauthenticates without a code, for tests of other features. */
export async function markConfirmed(app: TestApp, { token }: Actor): Promise<void> {
  const viewer = await app.features.sessions.authenticate(token ?? '', { skipCache: true });
  if (!viewer) throw new Error('no session');
  await app.features.sessions.markReauthenticated(viewer);
}

export async function makeUser(app: TestApp): Promise<Person> {
  return signIn(app);
}

let vents = 0;

export interface MadeVent {
  readonly id: string;
  readonly number: bigint;
  readonly view: VentView;
}

/** Posts a vent; fields that are not given get a new value each time. */
export async function makeVent(
  app: TestApp,
  as: Actor,
  said: Partial<RequestOf<typeof createVent>['body']> = {},
): Promise<MadeVent> {
  vents += 1;
  const body = { title: `Title ${vents}`, text: `Words number ${vents}`, emotion: 'Sad' as const, ...said };
  const answer = await app.call(createVent, { as, body });
  if (answer.status !== 201) throw new Error(`no vent: ${answer.text}`);
  const { vent } = answer.body;
  if (!vent) throw new Error('the vent was held back');
  return { id: vent._id, number: app.deps.publicIds.vent.decode(vent._id) ?? 0n, view: vent };
}

/** Comments on a vent and returns the comment's id. */
export async function makeComment(
  app: TestApp,
  as: Actor,
  ventId: string,
  said: { readonly text?: string; readonly anonymous?: boolean } = {},
): Promise<string> {
  const answer = await app.call(commentOnVent, { as, body: { text: 'I hear you', ...said, ventId } });
  if (answer.status !== 201) throw new Error(`no comment: ${answer.text}`);
  return answer.body.comment._id;
}

/** Runs a scheduled job now. */
export async function runJob(app: TestApp, name: string): Promise<void> {
  const job = app.features.jobs.find((one) => one.name === name);
  if (!job) throw new Error(`no job ${name}`);
  // As a worker does, also where a test holds a transaction.
  await outsideTransaction(() => job.run());
}

/** So many vents in each hour of last week, by nobody: by them a held vent gets its moment (held/rhythm.ts). */
export async function makeWeekOfVents(app: TestApp, rows: pg.Pool, anHour: number): Promise<void> {
  await rows.query(
    `with made as (
       insert into content.vents (id, speaker, slot_key, emotion, title, body, created_at) overriding system value
       select -n - 1000, decode(md5('speaker' || n), 'hex'), decode(md5('slot' || n), 'hex'), 'Neutral', 'A week ago',
              'busy', date_trunc('minute', $1::timestamptz - n * $3 * interval '1 second', 'UTC')
       from generate_series(1, $2::integer) as n returning id)
     insert into content.vent_stats (vent_id) select id from made`,
    [new Date(app.clock.now()), Math.floor(7 * 24 * anHour), Math.floor(3600 / anHour)],
  );
}

/** A worker runs for so many minutes: its job for held vents every ten seconds, and what that left to timers. */
export async function releaseHeldVents(app: TestApp, minutes: number): Promise<void> {
  for (let tick = 0; tick < minutes * 6; tick += 1) {
    await runJob(app, 'release-held-vents');
    await app.clock.run(10_000);
  }
}

/** A person's keys for content, as the server derives them. */
export async function keysOf(app: TestApp, person: Actor): Promise<PersonKeys> {
  const viewer = await app.features.sessions.authenticate(person.token ?? '', { skipCache: true });
  if (!viewer) throw new Error('no session');
  return viewer.person;
}

/** A sanction that is in force from now on, on a notice as a decision writes it. 180 days is the longest. */
export async function sanction(
  app: TestApp,
  person: Actor,
  kind: 'limit' | 'suspend' | 'ban',
  until: Day = addDays(today(app.clock), 180),
): Promise<void> {
  await makeDecision(app, await keysOf(app, person), { sanction: kind, endsAt: new Date(startOfDay(until)) });
}

export async function suspend(app: TestApp, person: Actor, until?: Day): Promise<void> {
  await sanction(app, person, 'suspend', until);
}

/** Advances past the removal period of everyone who left, and runs the worker until all of their items are deleted. */
export async function finishLeaving(app: TestApp, days: 3 | 30 = 30): Promise<void> {
  // The period begins on the next day.
  app.clock.advance((days + 1) * 24 * hour);
  for (let rounds = 0; rounds < 2000; rounds += 1) {
    await runJob(app, 'remove-due-content');
    const waiting = await app.deps.databases.content
      .selectFrom('content.leavings')
      .select('ticketKey')
      .execute();
    if (waiting.length === 0) return;
    app.clock.advance(hour);
  }
  throw new Error('items of people who left still exist');
}

/** A recovery code that is valid: made and confirmed. The session must be new or reauthenticated. */
export async function makeValidCode(app: TestApp, person: Actor): Promise<string> {
  const made = await app.call(makeRecoveryCode, { as: person });
  expect(made.status).toBe(200);
  const confirmed = await app.call(confirmRecoveryCode, { as: person, body: { proof: made.body.proof } });
  expect(confirmed.status).toBe(200);
  return made.body.code;
}
