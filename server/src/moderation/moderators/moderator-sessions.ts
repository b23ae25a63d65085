import { randomBytes } from 'node:crypto';
import type { ModerationBase } from '../../kernel/base.ts';
import { hourMs, minuteMs } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import { isModeratorSealed, type Moderator } from './moderator.ts';
import type { ModeratorRow } from './moderators.queries.ts';
import * as queries from './moderator-sessions.queries.ts';

const idleMs = 30 * minuteMs;
export const sessionHours = 10;
/** How often `seen_at` is written. A session can end this much before the 30 minutes, never after them. */
const seenEveryMs = minuteMs;

const tokenPattern = /^[A-Za-z0-9_-]{43}$/u;

export interface ModeratorSessions {
  /** Returns the token, of which only the hash is stored. In the transaction that verified the passkey. */
  open(
    tx: ModerationDb,
    moderator: ModeratorRow,
  ): Promise<{ readonly token: string; readonly moderator: Moderator }>;
  /** Records a passkey proof. In the transaction that verified it. */
  prove(tx: ModerationDb, moderator: Moderator): Promise<Moderator>;
  /** Reads the database for every call: a disabled moderator is out at once. `isUse`: somebody is there. */
  find(token: string, call: { readonly isUse: boolean }): Promise<Moderator | null>;
  purgeEnded(): Promise<void>;
}

export function createModeratorSessions({
  db,
  clock,
  seals,
}: Pick<ModerationBase, 'db' | 'clock' | 'seals'>): ModeratorSessions {
  const idleSince = () => new Date(clock.now() - idleMs);
  /** The proof is part of it: a later time in the row is not one. */
  const partsOf = ({ sessionHash, moderatorId, role, provenAt, endsAt }: Moderator) =>
    [sessionHash, moderatorId, role, provenAt, endsAt] as const;
  const sealOf = (moderator: Moderator) => seals.seal('console', ...partsOf(moderator));

  return {
    async open(tx, { id: moderatorId, alias, role }) {
      const token = randomBytes(32).toString('base64url');
      const sessionHash = seals.lookupKey('console', token);
      const provenAt = new Date(clock.now());
      const endsAt = new Date(clock.now() + sessionHours * hourMs);
      const moderator = { moderatorId, alias, role, provenAt, sessionHash, endsAt };
      await queries.insertSession(tx, {
        tokenKey: sessionHash,
        moderatorId,
        provenAt,
        seenAt: provenAt,
        endsAt,
        seal: sealOf(moderator),
      });
      return { token, moderator };
    },

    async prove(tx, moderator) {
      const proven = { ...moderator, provenAt: new Date(clock.now()) };
      await queries.setProven(tx, moderator.sessionHash, { provenAt: proven.provenAt, seal: sealOf(proven) });
      return proven;
    },

    async find(token, { isUse }) {
      if (!tokenPattern.test(token)) return null;
      const sessionHash = seals.lookupKey('console', token);
      const now = new Date(clock.now());
      const row = await queries.findSession(db, sessionHash, { now, idleSince: idleSince() });
      if (!row || !isModeratorSealed(seals, row.moderator)) return null;
      const { id: moderatorId, alias, role } = row.moderator;
      const moderator = { moderatorId, alias, role, provenAt: row.provenAt, sessionHash, endsAt: row.endsAt };
      if (!seals.fits('console', row.seal, ...partsOf(moderator))) return null;
      if (isUse && now.getTime() - row.seenAt.getTime() >= seenEveryMs)
        await queries.touchSession(db, sessionHash, now);
      return moderator;
    },

    purgeEnded: () => queries.deleteEnded(db, new Date(clock.now()), idleSince()),
  };
}
