import { randomBytes } from 'node:crypto';
import type { ModeratorRole } from '@unsaid/contract/moderation/console';
import type { ModerationBase } from '../../kernel/base.ts';
import { dayOf, hourMs } from '../../platform/clock.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { inTransaction } from '../../platform/db.ts';
import { recordAudit, type AuditAction } from '../audit.ts';
import { moderationMetrics } from '../moderation.metrics.ts';
import { isModeratorSealed, sealModerator } from './moderator.ts';
import { deleteSessionsOf } from './moderator-sessions.queries.ts';
import * as queries from './moderators.queries.ts';

const enrolHours = 48;

/** The other actors of the audit log: an alias must not look like one of them. */
const reserved: ReadonlySet<string> = new Set(['reports', 'clock', 'author', 'operator']);

/** A sentence for whoever runs the command. */
export class StaffError extends Error {
  override name = 'StaffError';
}

/** What operators do on the command line. No call of the console can add or disable a moderator. */

/** Returns the token of the enrolment link. */
export async function addModerator(ctx: ModerationBase, alias: string, role: ModeratorRole): Promise<string> {
  if (!/^[a-z][a-z0-9-]{1,29}$/u.test(alias) || reserved.has(alias)) {
    throw new StaffError(
      'an alias has 2 to 30 small letters, digits and hyphens, begins with a letter, and is none of ' +
        [...reserved].join(', '),
    );
  }
  return inTransaction(ctx, async (ctx) => {
    const moderator = await queries.insertModerator(ctx.db, { alias, role });
    await recordStaffAction(ctx, 'moderator_added', { alias, role });
    return offerEnrolment(ctx, moderator);
  }).catch((error: unknown) => {
    if (isUniqueViolation(error, 'moderators_alias_key'))
      throw new StaffError(`the alias ${alias} was already given`);
    throw error;
  });
}

/** A new link, for another passkey. `isReplacing` deletes the passkeys and sessions: for a lost device. */
export function renewEnrolment(ctx: ModerationBase, alias: string, { isReplacing } = { isReplacing: false }) {
  return inTransaction(ctx, async (ctx) => {
    const moderator = await requireActive(ctx, alias);
    if (isReplacing) {
      // Passkeys first: a sign-in that is under way holds its passkey, and commits its session before this goes on.
      await queries.deletePasskeys(ctx.db, moderator.id);
      await deleteSessionsOf(ctx.db, moderator.id);
    }
    return offerEnrolment(ctx, moderator);
  });
}

/** Ends their sessions and deletes their passkeys. The alias stays in the audit log and is not given again. */
export async function disableModerator(ctx: ModerationBase, alias: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const moderator = await requireActive(ctx, alias);
    const disabled = { disabledOn: dayOf(ctx.clock.now()), enrolKey: null, enrolUntil: null };
    await queries.updateModerator(ctx.db, sealModerator(ctx.seals, { ...moderator, ...disabled }));
    await queries.deletePasskeys(ctx.db, moderator.id);
    await deleteSessionsOf(ctx.db, moderator.id);
    await recordStaffAction(ctx, 'moderator_disabled', { alias });
  });
}

/**
 * Looks for moderators who were not added by the command, or whose row was changed since. They cannot sign in without a
 * seal, but somebody writes to the database. Each is recorded once; the gauge shows them until they are gone.
 */
export async function checkRoster({ db, clock, logger, metrics, seals }: ModerationBase): Promise<void> {
  const forged = (await queries.listForRosterCheck(db)).filter(
    (row) => !row.isAdded || !isModeratorSealed(seals, row),
  );
  moderationMetrics(metrics).forgedModerators.set(forged.length);
  for (const { alias, role, isFound } of forged) {
    if (isFound) continue;
    logger.error({ event: 'moderator_forged' });
    const at = new Date(clock.now());
    await recordAudit(db, { at, actor: 'clock', action: 'moderator_forged', detail: { alias, role } });
  }
}

async function offerEnrolment(ctx: ModerationBase, moderator: queries.ModeratorRow): Promise<string> {
  const { alias } = moderator;
  const token = randomBytes(32).toString('base64url');
  const enrolment = {
    enrolKey: ctx.seals.lookupKey('enrol', token),
    enrolUntil: new Date(ctx.clock.now() + enrolHours * hourMs),
  };
  await queries.updateModerator(ctx.db, sealModerator(ctx.seals, { ...moderator, ...enrolment }));
  await recordStaffAction(ctx, 'enrolment_offered', { alias });
  return token;
}

async function requireActive({ db, seals }: ModerationBase, alias: string): Promise<queries.ModeratorRow> {
  const moderator = await queries.findActive(db, alias);
  if (!moderator || !isModeratorSealed(seals, moderator))
    throw new StaffError(`there is no active moderator ${alias}`);
  return moderator;
}

const recordStaffAction = (
  { db, clock }: ModerationBase,
  action: AuditAction,
  detail: { readonly alias: string; readonly role?: ModeratorRole },
) => recordAudit(db, { at: new Date(clock.now()), actor: 'operator', action, detail });
