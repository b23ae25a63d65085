import {
  appealNotice,
  changeUsername,
  commentOnVent,
  createReport,
  createVent,
  deleteAccount,
  emotions,
  getSelf,
  listNotices,
  matchSuggestions,
  react,
  reportReasonCodes,
  requestOtp,
  updateDetails,
  verifyOtp,
  type ReportSubject,
} from '@unsaid/contract';
import {
  decideCase,
  nextCase,
  resolveAppeal,
  revealPart,
  type CaseView,
} from '@unsaid/contract/moderation/console';
import type pg from 'pg';
import { vi } from 'vitest';
import { createSubjects } from '../src/kernel/subjects.ts';
import type { BoundJob } from '../src/platform/job.ts';
import type { Answer, TestApp } from './app.ts';
import { proveAgain, signInAgain, signInModerator, type SignedInModerator } from './authenticator.ts';
import { makeUser, markConfirmed, type Person } from './factories.ts';
import { seeded } from './statistics.ts';
import { pairKeysOf } from './pairs.ts';

/**
 * A community with moderators. People visit every day, also while they are suspended; they write, report, appeal and
 * leave, and moderators decide, all by the real calls. Jobs run at their times of the day. Who writes what, what is
 * reported and what is decided is drawn without looking at accounts, so every assignment of decided items to accounts
 * is as likely as any other, unless the server links them. Moderators choose the sanction that the console suggests,
 * which depends on earlier notices of the author.
 */

interface TownSize {
  readonly people: number;
  readonly days: number;
}

/** What a test knows and an attacker does not. An account is its id as text. */
interface TownTruth {
  /** By `vent 12` or `comment 12/3`. */
  readonly authorOf: ReadonlyMap<string, string>;
  /** By the text of the bytes, as in a dump. */
  readonly numberOwner: ReadonlyMap<string, string>;
  readonly speakerOwner: ReadonlyMap<string, string>;
  readonly pairOwner: ReadonlyMap<string, string>;
  readonly left: ReadonlySet<string>;
  /** The item or profile of a subject key. */
  itemOf(subjectKey: string): { readonly kind: string; readonly key: string };
}

export interface ModeratedTown {
  readonly truth: TownTruth;
  /** To half past midnight, with every job of the night. */
  passNight(): Promise<void>;
}

export const ventKey = (ventId: unknown) => `vent ${String(ventId)}`;
export const commentKey = (ventId: unknown, no: unknown) => `comment ${String(ventId)}/${String(no)}`;
const profileKey = (userId: unknown) => `profile ${String(userId)}`;

const minute = 60_000;
const dayMs = 86_400_000;

/** Refused to somebody who is limited, or because the vent was taken down meanwhile. Anything else is an error. */
function isRefused({ status, text }: Answer<unknown>): boolean {
  if (status === 201) return false;
  if (status === 403 || status === 404) return true;
  throw new Error(text);
}

/** The nightly jobs with the minute of the day at which they run. */
function nightlyJobs(jobs: readonly BoundJob[]): { readonly at: number; readonly job: BoundJob }[] {
  return jobs.flatMap((job) => {
    const [, minutes, hours] = ('cron' in job && /^(\d+) (\d+) \* \* \*$/u.exec(job.cron)) || [];
    return minutes === undefined ? [] : [{ at: Number(hours) * 60 + Number(minutes), job }];
  });
}

export async function buildModeratedTown(
  app: TestApp,
  rows: pg.Pool,
  size: TownSize,
): Promise<ModeratedTown> {
  const random = seeded(2026);
  /** Draws all of them before one comes again: the rare ones come whatever else chance does. */
  const drawFrom = <T>(choices: readonly T[]): (() => T) => {
    let left: T[] = [];
    return () => {
      if (left.length === 0) left = random.shuffle(choices);
      return left.pop() as T;
    };
  };
  const outcomes = ['keep', 'care', 'hide', 'hide', 'remove', 'remove', 'remove'] as const;
  const drawOutcome = {
    vent: drawFrom(outcomes),
    comment: drawFrom(outcomes),
    profile: drawFrom(outcomes),
  };
  /** Their numbers are held: some leave in every town. */
  const drawLeavingSuspended = drawFrom(Array.from({ length: 10 }, (_, n) => n === 0));
  const people: Person[] = [];
  const moderators: SignedInModerator[] = [];
  const authorOf = new Map<string, string>();
  const left = new Set<string>();
  const nightly = nightlyJobs(app.features.jobs);
  const others = app.features.jobs.filter((job) => !nightly.some((one) => one.job === job));

  /** To this minute of the day, with the jobs that are due on the way. */
  async function passTime(minutes: number): Promise<void> {
    const before = app.clock.now();
    const after = before + minutes * minute;
    const startOfDay = before - (before % dayMs);
    const due = [0, dayMs]
      .flatMap((day) => nightly.map(({ at, job }) => ({ time: startOfDay + day + at * minute, job })))
      .filter(({ time }) => time > before && time <= after)
      .toSorted((a, b) => a.time - b.time);
    for (const { time, job } of due) {
      app.clock.advance(time - app.clock.now());
      await job.run();
    }
    app.clock.advance(after - app.clock.now());
  }

  /** To half past midnight, after the last job of the night. */
  async function passNight(): Promise<void> {
    const now = app.clock.now();
    const minutes = (dayMs - (now % dayMs)) / minute + 30;
    await passTime(minutes);
    // Redis caches a session for a minute of its own time, and a night is longer.
    for (const prefix of ['sess', 'standing']) {
      const keys = await app.redis.keys(`${app.config.redisPrefix}${prefix}*`);
      if (keys.length > 0) await app.redis.del(keys);
    }
  }

  interface Item {
    readonly about: ReportSubject;
    readonly by: number;
  }
  const vents: { readonly id: string; readonly by: number }[] = [];
  const items: Item[] = [];
  const words = (most: number) => Array.from({ length: 1 + random.below(most) }, () => 'rain').join(' ');

  async function writeVent(by: number): Promise<void> {
    const as = people[by] as Person;
    const body = { title: words(4), text: words(60), emotion: random.pick(emotions) };
    const answer = await app.call(createVent, { as, body });
    if (isRefused(answer)) return;
    const id = answer.body.vent?._id ?? '';
    vents.push({ id, by });
    items.push({ about: { kind: 'vent', id }, by });
    authorOf.set(ventKey(app.deps.publicIds.vent.decode(id)), String(as.userId));
  }

  async function writeComment(by: number, ventId: string, anonymous: boolean): Promise<void> {
    const as = people[by] as Person;
    const answer = await app.call(commentOnVent, { as, body: { ventId, anonymous, text: words(20) } });
    if (isRefused(answer)) return;
    const { _id: id } = answer.body.comment;
    const number = app.deps.publicIds.comment.decode(id);
    items.push({ about: { kind: 'comment', id, ventId }, by });
    authorOf.set(commentKey(number?.ventId, number?.no), String(as.userId));
  }

  /** A person reads their notices, and may appeal. */
  async function readNotices(as: Person): Promise<void> {
    const { notices } = (await app.call(listNotices, { as })).body;
    for (const { _id, appeal } of notices)
      if (appeal === 'open' && random.below(3) === 0)
        await app.call(appealNotice, { as, params: { id: _id }, body: { text: words(40) } });
  }

  async function reportSomething(by: number): Promise<void> {
    const as = people[by] as Person;
    const reason = random.pick(reportReasonCodes);
    const details = random.below(3) === 0 ? { details: words(30) } : {};
    if (random.below(4) === 0) {
      const { matches } = (await app.call(matchSuggestions, { as })).body;
      const { user1, user2 } = random.pick(matches) ?? {};
      const peer = [user1, user2].find((one) => one && one._id !== as.user._id);
      if (peer)
        await app.call(createReport, {
          as,
          body: { about: { kind: 'profile', id: peer._id }, reason, ...details },
        });
      return;
    }
    const item = random.pick(items.slice(-60).filter((one) => one.by !== by));
    if (item) await app.call(createReport, { as, body: { about: item.about, reason, ...details } });
  }

  async function leave(as: Person): Promise<void> {
    await markConfirmed(app, as);
    const removeWords = random.pick(['3days', '30days', 'never'] as const);
    const answer = await app.call(deleteAccount, { as, query: { removeWords } });
    if (answer.status !== 200) throw new Error(`not deleted: ${answer.text}`);
    left.add(String(as.userId));
  }

  /** A new session: a sign-in writes rows of its own. */
  async function signInOnNewDay(as: Person): Promise<Person> {
    const askedAt = new Date(app.clock.now()).toISOString();
    const asked = await app.call(requestOtp, { as, body: { phone: as.phone } });
    if (asked.status !== 200) throw new Error(`no code: ${asked.text}`);
    const find = () => app.deps.outbox.recent().find(({ to, at }) => to === as.phone && at >= askedAt)?.code;
    const otp = await vi.waitUntil(find, { interval: 2, timeout: 60_000 });
    const answer = await app.call(verifyOtp, { as, body: { phone: as.phone, otp } });
    if (answer.status !== 200) throw new Error(`no session: ${answer.text}`);
    return { ...as, token: answer.body.token };
  }

  async function visit(by: number, day: number): Promise<void> {
    let as = people[by] as Person;
    if (random.below(10) === 0) {
      as = await signInOnNewDay(as);
      people[by] = as;
    }
    const { suspended } = (await app.call(getSelf, { as })).body.user;
    await readNotices(as);
    if (day >= 3 && (suspended ? drawLeavingSuspended() : random.below(150) === 0)) {
      await leave(as);
      return;
    }
    if (suspended) return;
    if (random.below(3) === 0) await reportSomething(by);
    if (random.below(12) === 0) await app.call(updateDetails, { as, body: { bio: words(12) } });
    if (random.below(3) > 0) await writeVent(by);
    const others = vents.slice(-40).filter((vent) => vent.by !== by);
    const about = random.pick(others);
    if (!about) return;
    await app.call(react, { as, body: { ventId: about.id, reactionType: 'hug', active: true } });
    await writeComment(by, about.id, random.below(3) > 0);
    const own = vents.findLast((vent) => vent.by === by);
    if (own && random.below(4) === 0) await writeComment(by, own.id, false);
  }

  async function decide(as: SignedInModerator, found: CaseView): Promise<void> {
    const { id, version, kind, suggestedSanction } = found;
    const outcome = drawOutcome[kind]();
    const isRestriction = outcome === 'hide' || outcome === 'remove';
    const isLead = as.role === 'lead';
    // Only a lead bans.
    const allowed = suggestedSanction === 'ban' && !isLead ? 'suspend' : suggestedSanction;
    const sanction = isRestriction ? allowed : 'none';
    const isRule = found.policy !== 'worried' && found.policy !== 'legal_order';
    if (sanction === 'ban') await proveAgain(app, as);
    const days = {
      none: 0,
      limit: 1 + random.below(7),
      suspend: isLead ? 7 + random.below(24) : 7,
      ban: 180,
    };
    const body = {
      version,
      outcome,
      ...(isRestriction
        ? { policy: isRule ? found.policy : random.pick(['harassment', 'spam_scam', 'threat'] as const) }
        : {}),
      ...(sanction !== 'none' ? { sanction, days: days[sanction] } : {}),
      ...(random.below(3) === 0 ? { note: words(30) } : {}),
    };
    const answer = await app.callMod(decideCase, { as, params: { id }, body });
    if (answer.status !== 200) throw new Error(`not decided: ${answer.text}`);
  }

  /** A moderator takes the next case, and decides it or resolves its appeal. */
  async function moderate(): Promise<void> {
    const as = random.pick(moderators);
    // Idle sessions end after half an hour.
    await signInAgain(app, as);
    const found = (await app.callMod(nextCase, { as })).body.case;
    if (!found) return;
    const params = { id: found.id };
    if (random.below(2) === 0) await app.callMod(revealPart, { as, params, body: { part: 'item' } });
    app.clock.advance(random.below(5 * minute));
    if (found.state !== 'appealed') {
      await decide(as, found);
      return;
    }
    const resolution = random.pick(['upheld', 'upheld', 'overturned'] as const);
    await app.callMod(resolveAppeal, { as, params, body: { version: found.version, resolution } });
  }

  async function liveADay(day: number): Promise<void> {
    let sinceHourly = 0;
    const here = [...people.keys()].filter((n) => !left.has(String(people[n]?.userId)));
    for (const by of random.shuffle(here)) {
      const gap = 2 + random.below(9);
      await passTime(gap);
      await visit(by, day);
      sinceHourly += gap;
      await app.deps.backgroundDone();
      if (random.below(2) === 0) await moderate();
      for (const job of others) {
        const isHourly = 'cron' in job && /^\d+ \* /u.test(job.cron);
        if (!isHourly || sinceHourly >= 60) await job.run();
      }
      if (sinceHourly >= 60) sinceHourly = 0;
    }
  }

  const subjects = createSubjects(app.deps.keys);
  const bytes = (value: string) => Buffer.from(value.slice(2), 'hex');
  for (const role of ['lead', 'lead', 'moderator'] as const)
    moderators.push(await signInModerator(app, { role }));
  for (let n = 0; n < size.people; n += 1) {
    // They sign up on three days.
    if (n > 0 && n % Math.ceil(size.people / 3) === 0) await passNight();
    app.clock.advance(random.below(4 * minute));
    const person = await makeUser(app);
    people.push(person);
    const username = `member_${'x'.repeat(random.below(8))}${n}`;
    await app.call(changeUsername, { as: person, body: { newUsername: username } });
    await app.call(updateDetails, { as: person, body: { bio: words(12), interests: [words(3)] } });
  }
  const owners = async (query: string) =>
    new Map(
      (await rows.query<{ key: string; owner: string }>(query)).rows.map(({ key, owner }) => [key, owner]),
    );
  const numberOwner = await owners(
    `select '\\x' || encode(idx, 'hex') as key, user_id::text as owner from identity.phone_index`,
  );
  const speakerOwner = await owners(
    `select '\\x' || encode(speaker_id, 'hex') as key, id::text as owner from identity.users`,
  );
  for (let day = 0; day < size.days; day += 1) {
    await passNight();
    await liveADay(day);
  }
  return {
    truth: {
      authorOf,
      numberOwner,
      speakerOwner,
      pairOwner: new Map(
        people.flatMap(({ userId }) =>
          pairKeysOf(app, userId).map((key) => [`\\x${key.toString('hex')}`, String(userId)] as const),
        ),
      ),
      left,
      itemOf(subjectKey) {
        const subject = subjects.open(bytes(subjectKey));
        if (subject.kind === 'vent') return { kind: 'vent', key: ventKey(subject.ventId) };
        if (subject.kind === 'comment')
          return { kind: 'comment', key: commentKey(subject.ventId, subject.no) };
        return { kind: 'profile', key: profileKey(subject.userId) };
      },
    },
    passNight,
  };
}
