import {
  changeUsername,
  getUser,
  matchSuggestions,
  requestOtp,
  updateDetails,
  verifyOtp,
  type MatchSide,
  type MatchSuggestion,
  type RequestOf,
} from '@unsaid/contract';
import { vi } from 'vitest';
import { dayMs } from '../src/platform/clock.ts';
import { runJobs } from '../src/platform/jobs.ts';
import type { Actor, TestApp } from './app.ts';
import { makeUser } from './factories.ts';
import { reject } from './pairs.ts';

export { accept, reject } from './pairs.ts';

/**
 * Actions of an attacker on matching, through the public API alone: join, read suggestions, reject them all,
 * compare.
 */

export interface Member extends Actor {
  token: string;
  readonly phone: string;
  /** Peer ids differ from pair to pair, so tests identify people by name. */
  name: string;
}

type Details = RequestOf<typeof updateDetails>['body'];

/**
 * Runs all jobs at once except the topping up of suggestions. That job searches for every person in random order,
 * and the pairs that it makes would hide what a test looks for.
 */
export async function workerRound(app: TestApp): Promise<void> {
  await runJobs(app.features.jobs.filter(({ name }) => name !== 'top-up-suggestions'));
}

/** Advances the test's clock and resets the budgets, which follow the clock of Redis. */
export async function passDays(app: TestApp, days: number): Promise<void> {
  app.clock.advance(days * dayMs);
  const kept = await app.redis.keys(`${app.config.redisPrefix}bucket:*`);
  if (kept.length > 0) await app.redis.del(kept);
}

export async function addMember(app: TestApp, name: string, details: Details = {}): Promise<Member> {
  const { token, phone, address, cookies } = await makeUser(app);
  const member: Member = { token, phone, name, ...(address && cookies ? { address, cookies } : {}) };
  await rename(app, member, name);
  // A person without feelings gets five suggestions of their own search instead of ten.
  await describe(app, member, { feelings: ['Sad'], ...details });
  return member;
}

export async function describe(app: TestApp, as: Member, body: Details): Promise<void> {
  const { status, text } = await app.call(updateDetails, { as, body });
  if (status !== 200) throw new Error(text);
}

export async function rename(app: TestApp, as: Member, newUsername: string): Promise<void> {
  const { status, text } = await app.call(changeUsername, { as, body: { newUsername } });
  if (status !== 200) throw new Error(text);
  as.name = newUsername;
}

/** Signs in again: this counts as a visit and replaces an expired session. */
export async function signInAgain(app: TestApp, member: Member): Promise<void> {
  const { phone } = member;
  const sentAt = () => app.deps.outbox.recent().find(({ to }) => to === phone)?.at;
  const before = sentAt();
  // The cooldown between two codes for a number is half a minute.
  app.clock.advance(31_000);
  const asked = await app.call(requestOtp, { as: member, body: { phone } });
  if (asked.status !== 200) throw new Error(asked.text);
  // The code is sent after the response, and an older one may still be in the outbox.
  await vi.waitUntil(() => sentAt() !== before, { interval: 2, timeout: 60_000 });
  const answer = await app.call(verifyOtp, { as: member, body: { phone, otp: await app.codeFor(phone) } });
  if (answer.status !== 200) throw new Error(answer.text);
  member.token = answer.body.token;
}

/** A suggestion as the caller sees it, whichever of the two is user1. */
export interface Seen {
  readonly matchId: string;
  readonly other: MatchSide;
  readonly name: string;
  readonly isMineYes: boolean;
  readonly isTheirsYes: boolean;
  readonly score: number;
  /** Score, common emotions and reasons as one string. */
  readonly told: string;
}

export function sidesOf(me: Member, { user1, user2 }: Pick<MatchSuggestion, 'user1' | 'user2'>) {
  return user1.username === me.name ? { mine: user1, other: user2 } : { mine: user2, other: user1 };
}

function toSeen(me: Member, match: MatchSuggestion): Seen {
  const { mine, other } = sidesOf(me, match);
  const isFirst = mine === match.user1;
  return {
    matchId: match._id,
    other,
    name: other.username ?? '',
    isMineYes: isFirst ? match.user1Accepted : match.user2Accepted,
    isTheirsYes: isFirst ? match.user2Accepted : match.user1Accepted,
    score: match.matchScore,
    told: `${match.matchScore} ${match.commonEmotions.join('+')} ${match.reasons.map(({ text }) => text).join('+')}`,
  };
}

export async function fetchSuggestions(app: TestApp, me: Member): Promise<Seen[]> {
  const { status, text, body } = await app.call(matchSuggestions, { as: me });
  if (status !== 200) throw new Error(text);
  return body.matches.map((match) => toSeen(me, match));
}

export const readProfile = (app: TestApp, as: Member, id: string) =>
  app.call(getUser, { as, params: { id } });

const mostRounds = 40;

/** Rejects every suggestion until no new one comes or a budget is used up. */
export async function walkToday(app: TestApp, me: Member): Promise<Seen[]> {
  const met = new Map<string, Seen>();
  for (let round = 0; round < mostRounds; round += 1) {
    const list = await fetchSuggestions(app, me);
    if (list.every(({ matchId }) => met.has(matchId))) break;
    for (const seen of list) {
      met.set(seen.matchId, seen);
      const { status, text } = await reject(app, me, seen.matchId);
      if (status === 429) return [...met.values()];
      if (status !== 200) throw new Error(text);
    }
  }
  return [...met.values()];
}

/**
 * Several accounts reject all suggestions day by day, until none of them gets a new one. Returns for each what it
 * saw, by name.
 */
export async function walkToTheEnd(
  app: TestApp,
  walkers: readonly Member[],
): Promise<ReadonlyMap<string, string>[]> {
  const told = walkers.map(() => new Map<string, string>());
  for (;;) {
    let met = 0;
    for (const [n, walker] of walkers.entries()) {
      for (const seen of await walkToday(app, walker)) {
        told[n]?.set(seen.name, seen.told);
        met += 1;
      }
    }
    if (met === 0) return told;
    await passDays(app, 1);
  }
}

/** The people for whom two equal accounts saw different scores or reasons. */
export function findDifferences(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): { name: string; from: string; to: string }[] {
  return [...one].flatMap(([name, from]) => {
    const to = other.get(name);
    return to === undefined || to === from ? [] : [{ name, from, to }];
  });
}

export const inBoth = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
  [...one.keys()].filter((name) => other.has(name));

/**
 * Profiles whose scores with each other all differ, so that ranks are deterministic: each names the first n words
 * of one list, and no n is the geometric mean of two others.
 */
export function distinctInterests(count: number): Details[] {
  const words = Array.from({ length: 40 }, (_, n) => `word ${n}`);
  const sizes: number[] = [];
  for (let size = 1; size <= words.length && sizes.length < count; size += 1) {
    const hasMean = sizes.some((one) => sizes.some((other) => one * one === other * size));
    if (!hasMean) sizes.push(size);
  }
  if (sizes.length < count) throw new Error('more people than degrees');
  return sizes.map((size) => ({
    interests: words.slice(0, Math.min(size, 20)),
    likes: words.slice(20, Math.max(20, size)),
  }));
}
