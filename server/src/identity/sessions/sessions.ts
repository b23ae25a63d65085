import type { IdentityBase } from '../../kernel/base.ts';
import { limits, type SessionView } from '@unsaid/contract';
import { addDays, startOfDay, today, type Day } from '../../platform/clock.ts';
import { monthOf } from '../../platform/coarse-days.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import { transaction, type AfterCommit, type IdentityDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { RedisUnavailable } from '../../platform/redis.ts';
import type { Visitor } from './visit-codec.ts';
import type { StandingService } from '../../kernel/standing.ts';
import { createSessionFlags } from './session-flags.ts';
import { openFacts } from '../facts/account-facts.ts';
import { randomRowId } from '../../platform/random-id.ts';
import { deviceCode } from './device-label.ts';
import { idleDays, openSession, sealSession } from './session-facts.ts';
import * as queries from './sessions.queries.ts';
import type { LastSeenService } from './last-seen.ts';
import { createSessionTokens } from './session-token.ts';
import type { SessionEnds } from './session-ends.ts';

const cacheTtlSeconds = 60;
const negativeTtlSeconds = 5;
const purgeBatch = 10_000;
const endedSessions = rowsOf('identity', 'ended sessions', (id: bigint) => id, purgeBatch);
/** The length would tell how many digits the ids have. */
const cachedBytes = 320;

export interface SessionsDeps extends Pick<
  IdentityBase,
  'db' | 'redis' | 'clock' | 'keys' | 'publicIds' | 'persons' | 'redisCrypto' | 'seals'
> {
  readonly standing: StandingService;
  readonly lastSeen: LastSeenService;
  readonly cache: LocalCache<ResolvedSession | null>;
  readonly ends: SessionEnds;
}

/** What a token resolves to, without what may change from call to call. */
export interface ResolvedSession {
  readonly viewer: Omit<Viewer, 'isSuspended' | 'isLimited'>;
  readonly expiresAt: number;
}

type OpenedSession = NonNullable<ReturnType<typeof openSession>> & { readonly id: bigint };

interface CachedSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly authorSeed: string;
  readonly speakerId: string;
  readonly lastSeenOn: string;
  readonly endsOn: string;
  readonly userCreatedOn: string;
}

export interface SessionsService {
  /** `isSignUp`: the account was created just now, for this session. */
  open(userId: bigint, userAgent: string, options?: { readonly isSignUp: boolean }): Promise<string>;
  authenticate(token: string, options: { readonly skipCache: boolean }): Promise<Viewer | null>;
  /** The same by the key of a token, for connections that outlive a call. */
  findByKey(tokenKey: Buffer): Promise<Viewer | null>;
  /** Whether each of these sessions is still there. One statement, which counts as no visit. */
  areOpen(hashes: readonly Buffer[]): Promise<boolean[]>;
  list(viewer: Viewer): Promise<SessionView[]>;
  /** All stored sessions of a person, for the export. */
  listOf(userId: bigint): Promise<Pick<OpenedSession, 'label' | 'createdOn' | 'lastSeenOn' | 'endsOn'>[]>;
  /** The day of the newest visit of a person in an open session, and how many sessions are open. */
  lastVisit(
    userId: bigint,
    on?: IdentityDb,
  ): Promise<{ readonly day: Day | null; readonly sessions: number }>;
  end(viewer: Viewer): Promise<void>;
  revoke(viewer: Viewer, sealedId: string): Promise<{ readonly isCurrent: boolean }>;
  revokeOthers(viewer: Viewer): Promise<void>;
  revokeAll(userId: bigint): Promise<void>;
  /** The same in the transaction that takes the account from whoever has it open; but for one session. */
  endAll(tx: IdentityDb, afterCommit: AfterCommit, userId: bigint, kept?: bigint): Promise<void>;
  markReauthenticated(viewer: Viewer): Promise<void>;
  isReauthenticated(viewer: Viewer): Promise<boolean>;
  /** This session created the account, a few minutes ago. */
  isSigningUp(viewer: Viewer): Promise<boolean>;
  flushVisits(rows: JobRows): Promise<void>;
  purgeEnded(rows: JobRows): Promise<void>;
}

export function createSessionsService(deps: SessionsDeps): SessionsService {
  const { db, redis, clock, publicIds, persons, standing, redisCrypto, seals, lastSeen, cache, ends } = deps;
  const cacheKey = (tokenKey: Buffer) => `sess:${redisCrypto.keyedHash('session', tokenKey)}`;
  const flags = createSessionFlags({ redis, clock, redisCrypto });
  const tokens = createSessionTokens(deps.keys);
  const keyOfToken = (token: string) => seals.lookupKey('session', token);

  /** Undefined on a cache miss; null is a cached negative result. */
  async function readCache(tokenKey: Buffer): Promise<CachedSession | null | undefined> {
    const cached = await redis.getCached(cacheKey(tokenKey));
    return cached === null ? undefined : (redisCrypto.decrypt(cached) as CachedSession | null | undefined);
  }

  function writeCache(tokenKey: Buffer, session: CachedSession | null): void {
    const seconds = session ? cacheTtlSeconds : negativeTtlSeconds;
    // NX: a row read before a revocation must not overwrite the tombstone of that revocation.
    void redis
      .run((client) =>
        client.set(cacheKey(tokenKey), redisCrypto.encrypt(session, cachedBytes), 'EX', seconds, 'NX'),
      )
      .catch(() => {});
  }

  /** Writes a tombstone for as long as a cached copy could live. */
  async function revokeInCache(hashes: readonly Buffer[]): Promise<void> {
    if (hashes.length === 0) return;
    const tombstones = hashes.map((hash) => [cacheKey(hash), redisCrypto.encrypt(null)] as const);
    await redis.overwrite(new Map(tombstones), cacheTtlSeconds);
    await cache.invalidateAll();
    await ends.announce(hashes);
  }

  function expiresAt({ lastSeenOn, endsOn }: { lastSeenOn: string; endsOn: string }): number {
    return Math.min(startOfDay(endsOn), startOfDay(addDays(lastSeenOn, idleDays)));
  }

  const isAlive = (session: { lastSeenOn: string; endsOn: string }) => clock.now() < expiresAt(session);

  async function load(tokenKey: Buffer): Promise<CachedSession | null> {
    const row = await queries.findSession(db, tokenKey);
    if (
      !row ||
      !seals.fits('session', row.seal, tokenKey, row.userId, row.id) ||
      !seals.fits('user', row.userSeal, row.userId, row.authorSeed, row.speakerId)
    )
      return null;
    const session = openSession(seals, row);
    const owner = openFacts(seals, { id: row.userId, facts: row.userFacts });
    return session && owner
      ? {
          userId: String(row.userId),
          sessionId: String(row.id),
          authorSeed: row.authorSeed.toString('base64url'),
          speakerId: row.speakerId.toString('base64url'),
          lastSeenOn: session.lastSeenOn,
          endsOn: session.endsOn,
          userCreatedOn: owner.createdOn,
        }
      : null;
  }

  /**
   * The day of the last visit is flushed nightly, so a session that looks idle may have a newer visit pending in Redis. Without
   * Redis this throws and the caller gets 503: a rejection would sign the user out.
   */
  async function applyPendingVisit(session: CachedSession): Promise<CachedSession> {
    const hasReachedItsEnd = clock.now() >= startOfDay(session.endsOn);
    if (isAlive(session) || hasReachedItsEnd) return session;
    const [day] = await lastSeen.pendingDays([visitorOf(session)], idleDays);
    return day ? { ...session, lastSeenOn: day } : session;
  }

  /** Newest first. A row that was given to another person is nobody's: it would show them when its owner was here. */
  async function openAll(on: IdentityDb, userId: bigint): Promise<OpenedSession[]> {
    const rows = await queries.listSessionsOf(on, userId);
    return rows
      .flatMap((row) => {
        const isTheirs = seals.fits('session', row.seal, row.tokenKey, userId, row.id);
        const session = isTheirs && openSession(seals, row);
        return session ? [{ ...session, id: row.id }] : [];
      })
      .toSorted((a, b) => b.createdOn.localeCompare(a.createdOn) || b.order - a.order);
  }

  /** Called for sessions read from the database only: a cached copy is at most a minute old. */
  async function markSeen(session: CachedSession): Promise<CachedSession> {
    const isRecorded = isAlive(session) && (await lastSeen.record(visitorOf(session)));
    return isRecorded ? { ...session, lastSeenOn: today(clock) } : session;
  }

  /** For display: without Redis the stored days are good enough. */
  async function pendingDaysOrNone(visitors: readonly Visitor[]): Promise<(Day | null)[]> {
    try {
      return await lastSeen.pendingDays(visitors, idleDays);
    } catch (error) {
      if (error instanceof RedisUnavailable) return [];
      throw error;
    }
  }

  async function find(tokenKey: Buffer, skipCache: boolean): Promise<ResolvedSession | null> {
    let session = skipCache ? undefined : await readCache(tokenKey);
    if (session === undefined) {
      session = await load(tokenKey);
      if (session) session = await markSeen(await applyPendingVisit(session));
      writeCache(tokenKey, session);
    }
    if (!session) return null;
    const person = persons({
      authorSeed: Buffer.from(session.authorSeed, 'base64url'),
      speakerId: Buffer.from(session.speakerId, 'base64url'),
    });
    // Derived once per session, not for every budget of every call.
    const countedPerson = person.mark('budget');
    return {
      expiresAt: expiresAt(session),
      viewer: {
        userId: BigInt(session.userId),
        sessionId: BigInt(session.sessionId),
        tokenKey,
        person,
        rateLimitKey: (budget) => (budget === 'callsPerToken' ? tokenKey : countedPerson),
        // Only the day is stored: the first 24 hours end during the second day.
        isNewcomer: session.userCreatedOn >= addDays(today(clock), -1),
      },
    };
  }

  async function authenticate(tokenKey: Buffer, skipCache: boolean): Promise<Viewer | null> {
    const resolved = skipCache
      ? await find(tokenKey, skipCache)
      : await cache.getOrLoad(tokenKey.toString('base64url'), () => find(tokenKey, skipCache));
    if (!resolved || clock.now() >= resolved.expiresAt) return null;
    const now = await standing.find(resolved.viewer.person, { skipCache });
    return { ...resolved.viewer, isSuspended: now === 'suspended', isLimited: now === 'limited' };
  }

  async function endAll(tx: IdentityDb, afterCommit: AfterCommit, userId: bigint, kept = -1n): Promise<void> {
    const ended = await queries.deleteSessionsExcept(tx, userId, kept);
    afterCommit(() => revokeInCache(ended));
  }

  return {
    async open(userId, userAgent, { isSignUp } = { isSignUp: false }) {
      const token = tokens.make();
      const tokenKey = keyOfToken(token);
      const day = today(clock);
      const id = randomRowId();
      await transaction(db, async (tx, afterCommit) => {
        const others = isSignUp ? [] : await openAll(tx, userId);
        const evicted = others.slice(limits.sessionsPerAccount - 1).map((session) => session.id);
        if (evicted.length > 0) {
          const ended = await queries.deleteSessions(tx, evicted);
          afterCommit(() => revokeInCache(ended));
        }
        const newest = others.find(({ createdOn }) => createdOn === day);
        const facts = {
          createdOn: day,
          lastSeenOn: day,
          order: (newest?.order ?? 0) + 1,
          device: deviceCode(userAgent),
        };
        await queries.insertSession(tx, {
          tokenKey,
          id,
          userId,
          seal: seals.seal('session', tokenKey, userId, id),
          facts: sealSession(seals, id, facts),
        });
        // The row already has its day. The visit puts it among the rows that are rewritten at night.
        afterCommit(() => lastSeen.record({ sessionId: id, userId }).then(() => {}));
      });
      // Without Redis the flag is missing, and making a recovery code needs a reauth as it does later.
      if (isSignUp) await flags.set('signup', tokenKey, limits.signUpMinutes).catch(ignoreUnavailable);
      return token;
    },

    authenticate: async (token, { skipCache }) =>
      tokens.isGenuine(token) ? authenticate(seals.lookupKey('session', token), skipCache) : null,

    findByKey: (tokenKey) => authenticate(tokenKey, false),

    async areOpen(hashes) {
      const rows = await queries.listSessions(db, hashes);
      // Whether one is idle too long is decided when it is used.
      const open = rows.filter((row) => (openSession(seals, row)?.endsOn ?? '') > today(clock));
      const names = new Set(open.map(({ tokenKey }) => tokenKey.toString('latin1')));
      return hashes.map((hash) => names.has(hash.toString('latin1')));
    },

    async lastVisit(userId, on = db) {
      const rows = await openAll(on, userId);
      const visitors = rows.map(({ id }) => ({ sessionId: id, userId }));
      const pending = await lastSeen.pendingDays(visitors, idleDays);
      const open = rows
        .map((row, n) => ({ ...row, lastSeenOn: pending[n] ?? row.lastSeenOn }))
        .filter(isAlive);
      const days = open.map(({ lastSeenOn }) => lastSeenOn).toSorted();
      return { day: days.at(-1) ?? null, sessions: open.length };
    },

    async list(viewer) {
      const rows = await openAll(db, viewer.userId);
      const pending = await pendingDaysOrNone(
        rows.map(({ id }) => ({ sessionId: id, userId: viewer.userId })),
      );
      return rows
        .map((row, n) => {
          const isCurrent = row.id === viewer.sessionId;
          const days = [row.lastSeenOn, pending[n] ?? '', isCurrent ? today(clock) : ''];
          return { ...row, isCurrent, lastSeenOn: days.toSorted().at(-1) ?? row.lastSeenOn };
        })
        .filter(isAlive)
        .map(({ id, label, createdOn, lastSeenOn, isCurrent }) => ({
          _id: publicIds.session.encode(id),
          label,
          createdOn,
          lastSeenOn,
          isCurrent,
        }));
    },

    async listOf(userId) {
      const rows = await openAll(db, userId);
      return rows.map(({ label, createdOn, lastSeenOn, endsOn }) => ({
        label,
        createdOn,
        lastSeenOn,
        endsOn,
      }));
    },

    async end(viewer) {
      await revokeInCache(await queries.deleteSession(db, viewer.userId, viewer.sessionId));
    },

    async revoke(viewer, sealedId) {
      // Same statement for a forged id, so that timing does not reveal it.
      const id = publicIds.session.decode(sealedId) ?? -1n;
      const hashes = await queries.deleteSession(db, viewer.userId, id);
      if (hashes.length === 0) throw new AppError('NOT_FOUND');
      await revokeInCache(hashes);
      return { isCurrent: id === viewer.sessionId };
    },

    revokeOthers: ({ userId, sessionId }) =>
      transaction(db, async (tx, afterCommit) => {
        await queries.lockSession(tx, sessionId);
        await endAll(tx, afterCommit, userId, sessionId);
      }),

    revokeAll: (userId) => transaction(db, (tx, afterCommit) => endAll(tx, afterCommit, userId)),

    endAll,

    markReauthenticated: (viewer) => flags.set('reauth', viewer.tokenKey, limits.reauthMinutes),

    isReauthenticated: (viewer) => flags.isSet('reauth', viewer.tokenKey),

    isSigningUp: (viewer) => flags.isSet('signup', viewer.tokenKey),

    flushVisits: (rows) => lastSeen.flush(rows, today(clock)),

    async purgeEnded(rows) {
      const day = today(clock);
      // Only those that ended before this month: else an account without a session would be one that was not here lately.
      // Flush first: a session with a pending visit must not be deleted.
      await lastSeen.flush(rows, day);
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
    },
  };
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof RedisUnavailable)) throw error;
}

function visitorOf({ sessionId, userId }: CachedSession): Visitor {
  return { sessionId: BigInt(sessionId), userId: BigInt(userId) };
}
