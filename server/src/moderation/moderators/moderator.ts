import type { ModeratorRole } from '@unsaid/contract/moderation/console';
import { proofMinutes } from '@unsaid/contract/moderation/policies';
import { minuteMs, type Clock } from '../../platform/clock.ts';
import type { RowSeals } from '../../platform/crypto/row-seals.ts';
import { AppError } from '../../platform/errors.ts';
import type { Principal } from '../../platform/http/access.ts';
import { bindFor } from '../../platform/http/bind.ts';
import type { ModeratorRow } from './moderators.queries.ts';

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

export function isProven({ provenAt }: Pick<Moderator, 'provenAt'>, clock: Clock): boolean {
  return clock.now() - provenAt.getTime() < proofMinutes * minuteMs;
}

/** For handlers where only some requests need a recent proof. `needsProof` on the endpoint covers the others. */
export function requireProof(moderator: Moderator, clock: Clock): void {
  if (!isProven(moderator, clock)) throw new AppError('PROOF_REQUIRED');
}
