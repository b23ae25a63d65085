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
import { makeUser } from './make.ts';
import { reject } from './pairs.ts';

export { accept, reject } from './pairs.ts';

/** What an attacker who uses matching can do: join, ask, say no to everybody, compare. By calls of the contract alone. */

export interface Member extends Actor {
  token: string;
  readonly phone: string;
  /** Ids differ from pair to pair, so people are known by their names. */
  name: string;
}

type Details = RequestOf<typeof updateDetails>['body'];

/**
 * A worker's round, without waiting for the clock: all that the server takes over from what people did.
 * Topping up is left out: it searches in everybody's name at once, in an order drawn by chance, and the places that it
 * fills would hide what a test looks for. A server without that job runs its whole round here.
 */
export async function workerRound(app: TestApp): Promise<void> {
  await runJobs(app.features.jobs.filter(({ name }) => name !== 'top-up-suggestions'));
}

/** The test's clock moves, and the budgets of a day, which follow the clock of Redis, begin anew as they would. */
export async function passDays(app: TestApp, days: number): Promise<void> {
  app.clock.advance(days * dayMs);
  const kept = await app.redis.keys(`${app.config.redisPrefix}bucket:*`);
  if (kept.length > 0) await app.redis.del(kept);
}

export async function join(app: TestApp, name: string, details: Details = {}): Promise<Member> {
  const { token, phone, address, cookies } = await makeUser(app);
  const member: Member = { token, phone, name, ...(address && cookies ? { address, cookies } : {}) };
  await rename(app, member, name);
  // Whoever names nothing has five places of their own in place of ten.
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

/** Signs in again, which is a visit, and a session that had ended is replaced. */
export async function comeBack(app: TestApp, member: Member): Promise<void> {
  const { phone } = member;
  const sentAt = () => app.deps.outbox.recent().find(({ to }) => to === phone)?.at;
  const before = sentAt();
  // No two codes for a number within half a minute.
  app.clock.advance(31_000);
  const asked = await app.call(requestOtp, { as: member, body: { phone } });
  if (asked.status !== 200) throw new Error(asked.text);
  // It is sent after the answer, and an older one may still be there.
  await vi.waitUntil(() => sentAt() !== before, { interval: 2, timeout: 5000 });
  const answer = await app.call(verifyOtp, { as: member, body: { phone, otp: await app.codeFor(phone) } });
  if (answer.status !== 200) throw new Error(answer.text);
  member.token = answer.body.token;
}

/** A pair as the one who asks sees it, whichever of the two comes first. */
export interface Seen {
  readonly matchId: string;
  readonly other: MatchSide;
  readonly name: string;
  readonly isMineYes: boolean;
  readonly isTheirsYes: boolean;
  readonly score: number;
  /** All that it tells of the other, as one text. */
  readonly told: string;
}

export function sidesOf(me: Member, { user1, user2 }: Pick<MatchSuggestion, 'user1' | 'user2'>) {
  return user1.username === me.name ? { mine: user1, other: user2 } : { mine: user2, other: user1 };
}

function see(me: Member, match: MatchSuggestion): Seen {
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

export async function ask(app: TestApp, me: Member): Promise<Seen[]> {
  const { status, text, body } = await app.call(matchSuggestions, { as: me });
  if (status !== 200) throw new Error(text);
  return body.matches.map((match) => see(me, match));
}

export const readProfile = (app: TestApp, as: Member, id: string) =>
  app.call(getUser, { as, params: { id } });

const mostRounds = 40;

/** Says no to everybody who is suggested, until nobody new comes or a budget is used up. */
export async function walkToday(app: TestApp, me: Member): Promise<Seen[]> {
  const met = new Map<string, Seen>();
  for (let round = 0; round < mostRounds; round += 1) {
    const list = await ask(app, me);
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

/** Several who walk on the same days, for as long as any of them meets somebody: by name, what each was told. */
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

/** Those of whom two equal walkers were told different things. */
export function standingOut(
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
 * Profiles that fit each other to a different degree, so that no rank is left to chance: each names the first n words
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
