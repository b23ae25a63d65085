import { limits, type SessionView } from '@unsaid/contract';
import type { Viewer } from '../../kernel/viewer.ts';
import { startOfDay, today } from '../../platform/clock.ts';
import { monthOf } from '../../platform/coarse-days.ts';
import { inTransaction, type AfterCommit } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { randomRowId } from '../../platform/random-id.ts';
import { RedisUnavailable } from '../../platform/redis.ts';
import type { IdentityContext } from '../context.ts';
import { makeSessionToken, revokeInCaches } from './authenticate.ts';
import { deviceCode } from './device-label.ts';
import { flushVisits } from './last-seen.ts';
import { expiresAt, idleDays, openSession, sealSession } from './session-facts.ts';
import { setFlag } from './session-flags.ts';
import * as queries from './sessions.queries.ts';
import type { Visitor } from './visit-codec.ts';

const purgeBatch = 10_000;
const endedSessions = rowsOf('identity', 'ended sessions', (id: bigint) => id, purgeBatch);

type StoredSession = NonNullable<ReturnType<typeof openSession>> & { readonly id: bigint };

/** Returns the token. `isSignUp`: the account was created just now, for this session. */
export async function startSession(
  ctx: IdentityContext,
  userId: bigint,
  userAgent: string,
  { isSignUp }: { readonly isSignUp: boolean } = { isSignUp: false },
): Promise<string> {
  const token = makeSessionToken(ctx.keys);
  const tokenKey = ctx.seals.lookupKey('session', token);
  const day = today(ctx.clock);
  const id = randomRowId();
  await inTransaction(ctx, async (ctx, afterCommit) => {
    const { db, seals, visits } = ctx;
    const others = isSignUp ? [] : await listStored(ctx, userId);
    const evicted = others.slice(limits.sessionsPerAccount - 1).map((session) => session.id);
    if (evicted.length > 0) {
      const ended = await queries.deleteSessions(db, evicted);
      afterCommit(() => revokeInCaches(ctx, ended));
    }
    const newest = others.find(({ createdOn }) => createdOn === day);
    const order = (newest?.order ?? 0) + 1;
    const facts = { createdOn: day, lastSeenOn: day, order, device: deviceCode(userAgent) };
    await queries.insertSession(db, {
      tokenKey,
      id,
      userId,
      seal: seals.seal('session', tokenKey, userId, id),
      facts: sealSession(seals, id, facts),
    });
    // The row already has its day. The visit puts it among the rows that are rewritten at night.
    afterCommit(() => visits.record({ sessionId: id, userId }).then(() => {}));
  });
  // Without Redis the flag is missing, and making a recovery code needs a reauth as it does later.
  if (isSignUp) await setFlag(ctx, 'signup', tokenKey, limits.signUpMinutes).catch(ignoreUnavailable);
  return token;
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof RedisUnavailable)) throw error;
}

/** Newest first. A row that was given to another person is nobody's: it would show them when its owner was here. */
async function listStored({ db, seals }: IdentityContext, userId: bigint): Promise<StoredSession[]> {
  const rows = await queries.listSessionsOf(db, userId);
  return rows
    .flatMap((row) => {
      const isTheirs = seals.fits('session', row.seal, row.tokenKey, userId, row.id);
      const session = isTheirs && openSession(seals, row);
      return session ? [{ ...session, id: row.id }] : [];
    })
    .toSorted((a, b) => b.createdOn.localeCompare(a.createdOn) || b.order - a.order);
}

/** How many sessions of a person are open. Without Redis it throws. */
export async function countOpenSessions(ctx: IdentityContext, userId: bigint): Promise<number> {
  const rows = await listStored(ctx, userId);
  const pending = await ctx.visits.pendingDays(visitorsOf(rows, userId), idleDays);
  const isOpen = (row: StoredSession, n: number) =>
    ctx.clock.now() < expiresAt({ ...row, lastSeenOn: pending[n] ?? row.lastSeenOn });
  return rows.filter(isOpen).length;
}

const visitorsOf = (rows: readonly StoredSession[], userId: bigint): Visitor[] =>
  rows.map(({ id }) => ({ sessionId: id, userId }));

export async function listSessions(
  ctx: IdentityContext,
  { userId, sessionId }: Viewer,
): Promise<SessionView[]> {
  const rows = await listStored(ctx, userId);
  const pending = await pendingDaysOrNone(ctx, visitorsOf(rows, userId));
  return rows
    .map((row, n) => {
      const isCurrent = row.id === sessionId;
      const days = [row.lastSeenOn, pending[n] ?? '', isCurrent ? today(ctx.clock) : ''];
      return { ...row, isCurrent, lastSeenOn: days.toSorted().at(-1) ?? row.lastSeenOn };
    })
    .filter((session) => ctx.clock.now() < expiresAt(session))
    .map(({ id, label, createdOn, lastSeenOn, isCurrent }) => ({
      _id: ctx.publicIds.session.encode(id),
      label,
      createdOn,
      lastSeenOn,
      isCurrent,
    }));
}

/** For display: without Redis the stored days are good enough. */
async function pendingDaysOrNone({ visits }: IdentityContext, visitors: readonly Visitor[]) {
  try {
    return await visits.pendingDays(visitors, idleDays);
  } catch (error) {
    if (error instanceof RedisUnavailable) return [];
    throw error;
  }
}

/** All stored sessions of a person, for the export. */
export async function exportSessions(ctx: IdentityContext, userId: bigint) {
  const rows = await listStored(ctx, userId);
  return rows.map(({ label, createdOn, lastSeenOn, endsOn }) => ({ label, createdOn, lastSeenOn, endsOn }));
}

export async function endSession(ctx: IdentityContext, { userId, sessionId }: Viewer): Promise<void> {
  await revokeInCaches(ctx, await queries.deleteSession(ctx.db, userId, sessionId));
}

export async function revokeSession(ctx: IdentityContext, viewer: Viewer, publicId: string) {
  // Same statement for a forged id, so that timing does not reveal it.
  const id = ctx.publicIds.session.decode(publicId) ?? -1n;
  const ended = await queries.deleteSession(ctx.db, viewer.userId, id);
  if (ended.length === 0) throw new AppError('NOT_FOUND');
  await revokeInCaches(ctx, ended);
  return { isCurrent: id === viewer.sessionId };
}

export async function revokeOtherSessions(
  ctx: IdentityContext,
  { userId, sessionId }: Viewer,
): Promise<void> {
  await inTransaction(ctx, async (ctx, afterCommit) => {
    await queries.lockSession(ctx.db, sessionId);
    await endSessionsOf(ctx, afterCommit, userId, sessionId);
  });
}

export async function revokeAllSessions(ctx: IdentityContext, userId: bigint): Promise<void> {
  await inTransaction(ctx, (ctx, afterCommit) => endSessionsOf(ctx, afterCommit, userId));
}

/** In the transaction that takes the account from whoever has it open; but for one session. */
export async function endSessionsOf(
  ctx: IdentityContext,
  afterCommit: AfterCommit,
  userId: bigint,
  kept = -1n,
): Promise<void> {
  const ended = await queries.deleteSessionsExcept(ctx.db, userId, kept);
  afterCommit(() => revokeInCaches(ctx, ended));
}

export async function purgeEndedSessions(ctx: IdentityContext, rows: JobRows): Promise<void> {
  const { db, clock, seals } = ctx;
  const day = today(clock);
  // Only those that ended before this month: else an account without a session would be one that was not here lately.
  // Flush first: a session with a pending visit must not be deleted.
  await flushVisits(ctx, rows, day);
  for (let after = 0n; ;) {
    const listed = await queries.listSessionsAfter(db, after, purgeBatch);
    const last = listed.at(-1);
    if (!last) return;
    after = last.id;
    const ended = listed.filter((row) => {
      const session = openSession(seals, row);
      return session !== null && expiresAt(session) <= startOfDay(monthOf(day));
    });
    await rows.eachBatch(
      ended.map(({ id }) => id),
      endedSessions,
      (batch) => queries.deleteSessions(db, batch),
    );
  }
}
