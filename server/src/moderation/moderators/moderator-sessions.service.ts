import { hash, randomBytes } from 'node:crypto';
import { hourMs, minuteMs, type Clock } from '../../platform/clock.ts';
import type { Databases, ModerationDb } from '../../platform/db.ts';
import type { Moderator } from './moderator.ts';
import * as queries from './moderator-sessions.queries.ts';

const idleMs = 30 * minuteMs;
export const sessionHours = 10;
/** How often `seen_at` is written. A session can end this much before the 30 minutes, never after them. */
const seenEveryMs = minuteMs;

const tokenPattern = /^[A-Za-z0-9_-]{43}$/u;
const hashOf = (token: string) => hash('sha256', token, 'buffer');

export interface ModeratorSessions {
  /** Returns the token, of which only the hash is stored. In the transaction that verified the passkey. */
  open(
    tx: ModerationDb,
    moderatorId: number,
  ): Promise<{ readonly token: string; readonly sessionHash: Buffer }>;
  /** Reads the database for every call: a disabled moderator is out at once. `isUse`: somebody is there. */
  find(token: string, call: { readonly isUse: boolean }): Promise<Moderator | null>;
  purgeEnded(): Promise<void>;
}

export function createModeratorSessions({
  db,
  clock,
}: {
  readonly db: Databases;
  readonly clock: Clock;
}): ModeratorSessions {
  const idleSince = () => new Date(clock.now() - idleMs);

  return {
    async open(tx, moderatorId) {
      const token = randomBytes(32).toString('base64url');
      const sessionHash = hashOf(token);
      const now = new Date(clock.now());
      await queries.insertSession(tx, {
        tokenSha256: sessionHash,
        moderatorId,
        provenAt: now,
        seenAt: now,
        endsAt: new Date(clock.now() + sessionHours * hourMs),
      });
      return { token, sessionHash };
    },

    async find(token, { isUse }) {
      if (!tokenPattern.test(token)) return null;
      const sessionHash = hashOf(token);
      const now = new Date(clock.now());
      const row = await queries.findSession(db.moderation, sessionHash, { now, idleSince: idleSince() });
      if (!row) return null;
      const { seenAt, ...moderator } = row;
      if (isUse && now.getTime() - seenAt.getTime() >= seenEveryMs)
        await queries.touchSession(db.moderation, sessionHash, now);
      return { ...moderator, sessionHash };
    },

    purgeEnded: () => queries.deleteEnded(db.moderation, new Date(clock.now()), idleSince()),
  };
}
