import { randomBytes } from 'node:crypto';
import type { ModerationBase } from '../../kernel/base.ts';
import { hourMs, minuteMs } from '../../platform/clock.ts';
import { isModeratorSealed, type Moderator } from './moderator.ts';
import type { ModeratorRow } from './moderators.queries.ts';
import * as queries from './moderator-sessions.queries.ts';

const idleMs = 30 * minuteMs;
export const sessionHours = 10;
/** How often `seen_at` is written. A session can end this much before the 30 minutes, never after them. */
const seenEveryMs = minuteMs;

const tokenPattern = /^[A-Za-z0-9_-]{43}$/u;

const idleSince = ({ clock }: ModerationBase) => new Date(clock.now() - idleMs);

/** The proof is part of it: a later time in the row is not one. */
const partsOf = ({ sessionHash, moderatorId, role, provenAt, endsAt }: Moderator) =>
  [sessionHash, moderatorId, role, provenAt, endsAt] as const;
const sealOf = ({ seals }: ModerationBase, moderator: Moderator) =>
  seals.seal('console', ...partsOf(moderator));

/** Returns the token, of which only the hash is stored. In the transaction that verified the passkey. */
export async function openModeratorSession(
  ctx: ModerationBase,
  { id: moderatorId, alias, role }: ModeratorRow,
): Promise<{ readonly token: string; readonly moderator: Moderator }> {
  const token = randomBytes(32).toString('base64url');
  const sessionHash = ctx.seals.lookupKey('console', token);
  const provenAt = new Date(ctx.clock.now());
  const endsAt = new Date(ctx.clock.now() + sessionHours * hourMs);
  const moderator = { moderatorId, alias, role, provenAt, sessionHash, endsAt };
  await queries.insertSession(ctx.db, {
    tokenKey: sessionHash,
    moderatorId,
    provenAt,
    seenAt: provenAt,
    endsAt,
    seal: sealOf(ctx, moderator),
  });
  return { token, moderator };
}

/** Records a passkey proof. In the transaction that verified it. */
export async function recordProof(ctx: ModerationBase, moderator: Moderator): Promise<Moderator> {
  const proven = { ...moderator, provenAt: new Date(ctx.clock.now()) };
  const { provenAt, sessionHash } = proven;
  await queries.setProven(ctx.db, sessionHash, { provenAt, seal: sealOf(ctx, proven) });
  return proven;
}

/** Reads the database for every call: a disabled moderator is out at once. `isUse`: somebody is there. */
export async function findModerator(
  ctx: ModerationBase,
  token: string,
  { isUse }: { readonly isUse: boolean },
): Promise<Moderator | null> {
  const { db, clock, seals } = ctx;
  if (!tokenPattern.test(token)) return null;
  const sessionHash = seals.lookupKey('console', token);
  const now = new Date(clock.now());
  const row = await queries.findSession(db, sessionHash, { now, idleSince: idleSince(ctx) });
  if (!row || !isModeratorSealed(seals, row.moderator)) return null;
  const { id: moderatorId, alias, role } = row.moderator;
  const moderator = { moderatorId, alias, role, provenAt: row.provenAt, sessionHash, endsAt: row.endsAt };
  if (!seals.fits('console', row.seal, ...partsOf(moderator))) return null;
  if (isUse && now.getTime() - row.seenAt.getTime() >= seenEveryMs)
    await queries.touchSession(db, sessionHash, now);
  return moderator;
}

export const purgeEndedSessions = (ctx: ModerationBase): Promise<void> =>
  queries.deleteEnded(ctx.db, new Date(ctx.clock.now()), idleSince(ctx));
