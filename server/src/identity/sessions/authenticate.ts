import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Viewer } from '../../kernel/viewer.ts';
import { addDays, startOfDay, today } from '../../platform/clock.ts';
import { hmac, type Keys } from '../../platform/crypto/keys.ts';
import type { IdentityContext, ResolvedSession } from '../context.ts';
import { openFacts } from '../facts/account-facts.ts';
import { expiresAt, idleDays, openSession } from './session-facts.ts';
import * as queries from './sessions.queries.ts';
import type { Visitor } from './visit-codec.ts';

/** From the token of a call to the viewer: by a cache in the process, one in Redis, or the database. */

const cacheTtlSeconds = 60;
const negativeTtlSeconds = 5;
/** The length would tell how many digits the ids have. */
const cachedBytes = 320;

/** As it is in Redis. */
interface CachedSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly authorSeed: string;
  readonly speakerId: string;
  readonly lastSeenOn: string;
  readonly endsOn: string;
  readonly userCreatedOn: string;
}

export async function authenticate(
  ctx: IdentityContext,
  token: string,
  { skipCache }: { readonly skipCache: boolean },
): Promise<Viewer | null> {
  return isGenuineToken(ctx.keys, token)
    ? findViewer(ctx, ctx.seals.lookupKey('session', token), skipCache)
    : null;
}

/** The same by the key of a token, for connections that outlive a call. */
export const authenticateByKey = (ctx: IdentityContext, tokenKey: Buffer): Promise<Viewer | null> =>
  findViewer(ctx, tokenKey, false);

async function findViewer(
  ctx: IdentityContext,
  tokenKey: Buffer,
  skipCache: boolean,
): Promise<Viewer | null> {
  const resolved = skipCache
    ? await resolve(ctx, tokenKey, skipCache)
    : await ctx.sessionCache.getOrLoad(tokenKey.toString('base64url'), () =>
        resolve(ctx, tokenKey, skipCache),
      );
  if (!resolved || ctx.clock.now() >= resolved.expiresAt) return null;
  const standing = await ctx.ports.standing.find(resolved.viewer.person, { skipCache });
  return { ...resolved.viewer, isSuspended: standing === 'suspended', isLimited: standing === 'limited' };
}

async function resolve(
  ctx: IdentityContext,
  tokenKey: Buffer,
  skipCache: boolean,
): Promise<ResolvedSession | null> {
  let session = skipCache ? undefined : await readCache(ctx, tokenKey);
  if (session === undefined) {
    session = await load(ctx, tokenKey);
    if (session) session = await recordVisit(ctx, await applyPendingVisit(ctx, session));
    writeCache(ctx, tokenKey, session);
  }
  if (!session) return null;
  const person = ctx.persons({
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
      isNewcomer: session.userCreatedOn >= addDays(today(ctx.clock), -1),
    },
  };
}

async function load({ db, seals }: IdentityContext, tokenKey: Buffer): Promise<CachedSession | null> {
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
async function applyPendingVisit(
  { clock, visits }: IdentityContext,
  session: CachedSession,
): Promise<CachedSession> {
  const now = clock.now();
  if (now < expiresAt(session) || now >= startOfDay(session.endsOn)) return session;
  const [day] = await visits.pendingDays([visitorOf(session)], idleDays);
  return day ? { ...session, lastSeenOn: day } : session;
}

/** Called for sessions read from the database only: a cached copy is at most a minute old. */
async function recordVisit(
  { clock, visits }: IdentityContext,
  session: CachedSession,
): Promise<CachedSession> {
  const isRecorded = clock.now() < expiresAt(session) && (await visits.record(visitorOf(session)));
  return isRecorded ? { ...session, lastSeenOn: today(clock) } : session;
}

const visitorOf = ({ sessionId, userId }: CachedSession): Visitor => ({
  sessionId: BigInt(sessionId),
  userId: BigInt(userId),
});

/** Whether each of these sessions is still there. One statement, which counts as no visit. */
export async function areSessionsOpen(
  { db, seals, clock }: IdentityContext,
  tokenKeys: readonly Buffer[],
): Promise<boolean[]> {
  const rows = await queries.listSessions(db, tokenKeys);
  // Whether one is idle too long is decided when it is used.
  const open = rows.filter((row) => (openSession(seals, row)?.endsOn ?? '') > today(clock));
  const names = new Set(open.map(({ tokenKey }) => tokenKey.toString('latin1')));
  return tokenKeys.map((tokenKey) => names.has(tokenKey.toString('latin1')));
}

const cacheKey = ({ redisCrypto }: IdentityContext, tokenKey: Buffer) =>
  `sess:${redisCrypto.keyedHash('session', tokenKey)}`;

/** Undefined on a cache miss; null is a cached negative result. */
async function readCache(ctx: IdentityContext, tokenKey: Buffer): Promise<CachedSession | null | undefined> {
  const cached = await ctx.redis.getCached(cacheKey(ctx, tokenKey));
  return cached === null ? undefined : (ctx.redisCrypto.decrypt(cached) as CachedSession | null | undefined);
}

function writeCache(ctx: IdentityContext, tokenKey: Buffer, session: CachedSession | null): void {
  const seconds = session ? cacheTtlSeconds : negativeTtlSeconds;
  // NX: a row read before a revocation must not overwrite the tombstone of that revocation.
  void ctx.redis
    .run((client) =>
      client.set(cacheKey(ctx, tokenKey), ctx.redisCrypto.encrypt(session, cachedBytes), 'EX', seconds, 'NX'),
    )
    .catch(() => {});
}

/** After sessions were deleted: writes tombstones for as long as a cached copy could live, and tells all processes. */
export async function revokeInCaches(ctx: IdentityContext, tokenKeys: readonly Buffer[]): Promise<void> {
  if (tokenKeys.length === 0) return;
  const tombstones = tokenKeys.map((key) => [cacheKey(ctx, key), ctx.redisCrypto.encrypt(null)] as const);
  await ctx.redis.overwrite(new Map(tombstones), cacheTtlSeconds);
  await ctx.sessionCache.invalidateAll();
  await ctx.sessionEnds.announce(tokenKeys);
}

const prefix = 'uns_';
const randomLength = 32;
const checksumLength = 6;

const checksum = (keys: Keys, secret: Buffer) =>
  hmac(keys.of('token-check/1'), secret).subarray(0, checksumLength);

/** Random, and after it a keyed checksum: an invented one is refused before any store is asked. */
export function makeSessionToken(keys: Keys): string {
  const secret = randomBytes(randomLength);
  return prefix + Buffer.concat([secret, checksum(keys, secret)]).toString('base64url');
}

function isGenuineToken(keys: Keys, token: string): boolean {
  const bytes = Buffer.from(token.slice(prefix.length), 'base64url');
  if (bytes.length !== randomLength + checksumLength) return false;
  const [secret, check] = [bytes.subarray(0, randomLength), bytes.subarray(randomLength)];
  return timingSafeEqual(check, checksum(keys, secret));
}
