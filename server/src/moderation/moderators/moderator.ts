import type { ModeratorRole } from '@unsaid/contract/moderation/console';
import { proofMinutes } from '@unsaid/contract/moderation/policies';
import type { ModerationBase } from '../../kernel/base.ts';
import { dayInIndia, minuteMs, startOfDayInIndia } from '../../platform/clock.ts';
import type { RowSeals } from '../../platform/crypto/row-seals.ts';
import { AppError } from '../../platform/errors.ts';
import type { Principal } from '../../platform/http/access.ts';
import { bindFor } from '../../platform/http/bind.ts';
import { readSevereLeft, type ModeratorRow } from './moderators.queries.ts';

/** The signed-in moderator who makes a request. Not a user: nothing links the two. */
export interface Moderator extends Principal {
  readonly moderatorId: number;
  readonly alias: string;
  readonly role: ModeratorRole;
  /** The last passkey proof of this session. */
  readonly provenAt: Date;
  /** The key of the session's row. */
  readonly sessionHash: Buffer;
  readonly endsAt: Date;
}

/** Who they are, what they may do, and the link that is open. */
const sealedParts = ({ id, alias, role, disabledOn, enrolKey, enrolUntil }: ModeratorRow) =>
  [id, alias, role, disabledOn, enrolKey, enrolUntil] as const;

export const isModeratorSealed = (seals: RowSeals, row: ModeratorRow) =>
  seals.fits('moderator', row.seal, ...sealedParts(row));

/** The row after a change, with a new seal. */
export const sealModerator = (seals: RowSeals, row: ModeratorRow): ModeratorRow => ({
  ...row,
  seal: seals.seal('moderator', ...sealedParts(row)),
});

/** Binds an endpoint of the console to its handler. */
export const bindModerator = bindFor<Moderator>();

export const isProven = ({ clock }: ModerationBase, { provenAt }: Moderator): boolean =>
  clock.now() - provenAt.getTime() < proofMinutes * minuteMs;

/** For handlers where only some requests need a recent proof. `needsProof` on the endpoint covers the others. */
export function requireProof(ctx: ModerationBase, moderator: Moderator): void {
  if (!isProven(ctx, moderator)) throw new AppError('PROOF_REQUIRED');
}

/**
 * How many severe texts (severity 3 and 4) may still be revealed today, by the day in India. Counts audit entries
 * `revealed`, whose detail has the `severity` of the case.
 */
export const severeLeft = ({ db, clock }: ModerationBase, moderator: Moderator): Promise<number> =>
  readSevereLeft(db, moderator, new Date(startOfDayInIndia(dayInIndia(clock.now()))));
