import { hash, randomBytes } from 'node:crypto';
import { limits, type SessionView } from '@unsaid/contract';
import { addDays, startOfDay, today, type Clock, type Day } from '../platform/clock.ts';
import type { Copies } from '../platform/copies.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Opaque } from '../platform/opaque.ts';
import type { Persons } from '../platform/persons.ts';
import { RedisUnavailable, type RedisStore } from '../platform/redis.ts';
import type { Seals, Visitor } from '../platform/seals.ts';
import type { StandingService } from '../standing/standing.service.ts';
import * as queries from './sessions.queries.ts';
import type { VisitsService } from './visits.service.ts';

/** Both in whole UTC days, rounded down: never longer than this, at most a day shorter. */
const idleDays = 14;
const absoluteDays = 30;
const cacheSeconds = 60;
const missSeconds = 5;

export interface SessionsDeps {
  readonly db: Databases;
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly persons: Persons;
  readonly standing: StandingService;
  readonly opaque: Opaque;
  readonly visits: VisitsService;
  readonly copies: Copies<KnownSession | null>;
}

/** Who a token stands for, as far as it does not change from call to call. */
export interface KnownSession {
  readonly viewer: Omit<Viewer, 'isSuspended'>;
  readonly endsAt: number;
}

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
  /** `isSignUp` where the account was made a moment ago, by whoever gets this session. */
  open(userId: bigint, label: string, options?: { readonly isSignUp: boolean }): Promise<string>;
  authenticate(token: string, options: { readonly skipCache: boolean }): Promise<Viewer | null>;
  list(viewer: Viewer): Promise<SessionView[]>;
  end(viewer: Viewer): Promise<void>;
  revoke(viewer: Viewer, sealedId: string): Promise<{ readonly isCurrent: boolean }>;
  revokeOthers(viewer: Viewer): Promise<void>;
  revokeAll(userId: bigint): Promise<void>;
  markReauthenticated(viewer: Viewer): Promise<void>;
  isReauthenticated(viewer: Viewer): Promise<boolean>;
  /** This very session made the account, a few minutes ago. */
  isSigningUp(viewer: Viewer): Promise<boolean>;
  writeVisits(): Promise<void>;
  purgeEnded(): Promise<void>;
}

export function createSessionsService(deps: SessionsDeps): SessionsService {
  const { db, redis, clock, seals, persons, standing, opaque, visits, copies } = deps;
  const cacheKey = (tokenSha256: Buffer) => `sess:${opaque.name('session', tokenSha256)}`;
  const reauthKey = (tokenSha256: Buffer) => `reauth:${opaque.name('reauth', tokenSha256)}`;
  const signUpKey = (tokenSha256: Buffer) => `signup:${opaque.name('signup', tokenSha256)}`;

  async function setUntil(key: string, minutes: number): Promise<void> {
    const until = clock.now() + minutes * 60_000;
    await redis.run((client) => client.set(key, String(until), 'EX', minutes * 60));
  }

  async function isBeforeEnd(key: string): Promise<boolean> {
    const until = await redis.run((client) => client.get(key));
    return until !== null && clock.now() < Number(until);
  }

  /** Undefined when the cache cannot say; null when it knows that there is no such session. */
  async function readCache(tokenSha256: Buffer): Promise<CachedSession | null | undefined> {
    const kept = await redis.getOrMiss(cacheKey(tokenSha256));
    return kept === null ? undefined : (opaque.decrypt(kept) as CachedSession | null | undefined);
  }

  function writeCache(tokenSha256: Buffer, session: CachedSession | null): void {
    const seconds = session ? cacheSeconds : missSeconds;
    // NX: a copy read before a revocation must not overwrite the mark that the revocation left.
    void redis
      .run((client) => client.set(cacheKey(tokenSha256), opaque.encrypt(session), 'EX', seconds, 'NX'))
      .catch(() => {});
  }

  /** Leaves a "no such session" for as long as an old copy could live. */
  async function dropFromCache(hashes: readonly Buffer[]): Promise<void> {
    if (hashes.length === 0) return;
    await redis.insist(
      (client) =>
        Promise.all(
          hashes.map((hash) => client.set(cacheKey(hash), opaque.encrypt(null), 'EX', cacheSeconds)),
        ),
      cacheSeconds * 1000,
    );
    await copies.drop();
  }

  function endOf({ lastSeenOn, endsOn }: { lastSeenOn: string; endsOn: string }): number {
    return Math.min(startOfDay(endsOn), startOfDay(addDays(lastSeenOn, idleDays)));
  }

  const isAlive = (session: { lastSeenOn: string; endsOn: string }) => clock.now() < endOf(session);

  async function load(tokenSha256: Buffer): Promise<CachedSession | null> {
    const row = await queries.findSession(db.identity, tokenSha256);
    return row
      ? {
          userId: String(row.userId),
          sessionId: String(row.id),
          authorSeed: row.authorSeed.toString('base64url'),
          speakerId: row.speakerId.toString('base64url'),
          lastSeenOn: row.lastSeenOn,
          endsOn: row.endsOn,
          userCreatedOn: row.userCreatedOn,
        }
      : null;
  }

  /**
   * Rows learn of a visit in the night after it. One that looks idle for too long may be behind, and Redis knows.
   * Without Redis nobody can say: the caller is told to come again, since a refusal would log them out.
   */
  async function catchUp(session: CachedSession): Promise<CachedSession> {
    const hasReachedItsEnd = clock.now() >= startOfDay(session.endsOn);
    if (isAlive(session) || hasReachedItsEnd) return session;
    const [day] = await visits.waitingDays([visitorOf(session)], idleDays);
    return day ? { ...session, lastSeenOn: day } : session;
  }

  /** Only when read from the database: a copy in the cache is a minute old at most. */
  async function markSeen(session: CachedSession): Promise<CachedSession> {
    const isNoted = isAlive(session) && (await visits.note(visitorOf(session)));
    return isNoted ? { ...session, lastSeenOn: today(clock) } : session;
  }

  /** For showing: without Redis the days of the rows do. */
  async function waitingDaysOrNone(visitors: readonly Visitor[]): Promise<(Day | null)[]> {
    try {
      return await visits.waitingDays(visitors, idleDays);
    } catch (error) {
      if (error instanceof RedisUnavailable) return [];
      throw error;
    }
  }

  async function find(tokenSha256: Buffer, skipCache: boolean): Promise<KnownSession | null> {
    let session = skipCache ? undefined : await readCache(tokenSha256);
    if (session === undefined) {
      session = await load(tokenSha256);
      if (session) session = await markSeen(await catchUp(session));
      writeCache(tokenSha256, session);
    }
    if (!session) return null;
    const person = persons({
      authorSeed: Buffer.from(session.authorSeed, 'base64url'),
      speakerId: Buffer.from(session.speakerId, 'base64url'),
    });
    // Once a session, not once a budget of every call.
    const countedPerson = person.mark('budget');
    return {
      endsAt: endOf(session),
      viewer: {
        userId: BigInt(session.userId),
        sessionId: BigInt(session.sessionId),
        tokenSha256,
        person,
        countedAs: (budget) => (budget === 'callsPerToken' ? tokenSha256 : countedPerson),
        // Known to the day only, so the first 24 hours end somewhere in the second day.
        isNewcomer: session.userCreatedOn >= addDays(today(clock), -1),
      },
    };
  }

  return {
    async open(userId, label, { isSignUp } = { isSignUp: false }) {
      const token = `uns_${randomBytes(32).toString('base64url')}`;
      const day = today(clock);
      await transaction(db.identity, async (tx, afterCommit) => {
        const sessionId = await queries.insertSession(tx, {
          tokenSha256: hashToken(token),
          userId,
          label,
          createdOn: day,
          lastSeenOn: day,
          endsOn: addDays(day, absoluteDays),
        });
        const evicted = await queries.evictOldSessions(tx, userId, limits.sessionsPerAccount);
        afterCommit(() => dropFromCache(evicted));
        // The row knows its day; with the visit it is among those that are written again in the night.
        afterCommit(() => visits.note({ sessionId, userId }).then(() => {}));
      });
      // Without Redis they are asked for a fresh code, as everybody is.
      if (isSignUp)
        await setUntil(signUpKey(hashToken(token)), limits.signUpMinutes).catch(ignoreUnavailable);
      return token;
    },

    async authenticate(token, { skipCache }) {
      const tokenSha256 = hashToken(token);
      const known = skipCache
        ? await find(tokenSha256, skipCache)
        : await copies.get(tokenSha256.toString('base64url'), () => find(tokenSha256, skipCache));
      if (!known || clock.now() >= known.endsAt) return null;
      const isSuspended = await standing.isSuspended(known.viewer.person, { skipCache });
      return { ...known.viewer, isSuspended };
    },

    async list(viewer) {
      const rows = await queries.listSessionsOf(db.identity, viewer.userId);
      const waiting = await waitingDaysOrNone(
        rows.map(({ id }) => ({ sessionId: id, userId: viewer.userId })),
      );
      return rows
        .map((row, n) => {
          const isCurrent = row.id === viewer.sessionId;
          const days = [row.lastSeenOn, waiting[n] ?? '', isCurrent ? today(clock) : ''];
          return { ...row, isCurrent, lastSeenOn: days.toSorted().at(-1) ?? row.lastSeenOn };
        })
        .filter(isAlive)
        .map(({ id, label, createdOn, lastSeenOn, isCurrent }) => ({
          _id: seals.session.seal(id),
          label,
          createdOn,
          lastSeenOn,
          isCurrent,
        }));
    },

    async end(viewer) {
      await dropFromCache(await queries.deleteSession(db.identity, viewer.userId, viewer.sessionId));
    },

    async revoke(viewer, sealedId) {
      // One statement whether or not the id opens, so that a forged one takes no other path.
      const id = seals.session.open(sealedId) ?? -1n;
      const hashes = await queries.deleteSession(db.identity, viewer.userId, id);
      if (hashes.length === 0) throw new AppError('NOT_FOUND');
      await dropFromCache(hashes);
      return { isCurrent: id === viewer.sessionId };
    },

    async revokeOthers(viewer) {
      const hashes = await transaction(db.identity, async (tx) => {
        await queries.holdSession(tx, viewer.sessionId);
        return queries.deleteSessionsExcept(tx, viewer.userId, viewer.sessionId);
      });
      await dropFromCache(hashes);
    },

    async revokeAll(userId) {
      await dropFromCache(await queries.deleteAllSessions(db.identity, userId));
    },

    markReauthenticated: (viewer) => setUntil(reauthKey(viewer.tokenSha256), limits.reauthMinutes),

    isReauthenticated: (viewer) => isBeforeEnd(reauthKey(viewer.tokenSha256)),

    isSigningUp: (viewer) => isBeforeEnd(signUpKey(viewer.tokenSha256)),

    writeVisits: () => visits.write(today(clock)),

    async purgeEnded() {
      const day = today(clock);
      // First what waits: a session must not go whose owner was here yesterday.
      await visits.write(day);
      await queries.deleteEndedSessions(db.identity, day, addDays(day, -idleDays));
    },
  };
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof RedisUnavailable)) throw error;
}

function visitorOf({ sessionId, userId }: CachedSession): Visitor {
  return { sessionId: BigInt(sessionId), userId: BigInt(userId) };
}

function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
