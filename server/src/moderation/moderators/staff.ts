import { randomBytes } from 'node:crypto';
import type { ModeratorRole } from '@unsaid/contract/moderation/console';
import type { ModerationBase } from '../../kernel/base.ts';
import { dayOf, hourMs } from '../../platform/clock.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { transaction, type ModerationDb } from '../../platform/db.ts';
import { recordAudit } from '../audit.ts';
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
export interface StaffService {
  /** Returns the token of the enrolment link. */
  add(alias: string, role: ModeratorRole): Promise<string>;
  /** A new link, for another passkey. `isReplacing` deletes the passkeys and sessions: for a lost device. */
  enrol(alias: string, options?: { readonly isReplacing: boolean }): Promise<string>;
  /** Ends their sessions and deletes their passkeys. The alias stays in the audit log and is not given again. */
  disable(alias: string): Promise<void>;
  list(): Promise<queries.RosterLine[]>;
  /** Those who can sign in and decide. Below two, no appeal can be resolved. */
  countActive(): Promise<number>;
}

export function createStaffService({
  db,
  clock,
  seals,
}: Pick<ModerationBase, 'db' | 'clock' | 'seals'>): StaffService {
  const now = () => new Date(clock.now());

  async function offerEnrolment(tx: ModerationDb, moderator: queries.ModeratorRow): Promise<string> {
    const { alias } = moderator;
    const token = randomBytes(32).toString('base64url');
    const enrolment = {
      enrolKey: seals.lookupKey('enrol', token),
      enrolUntil: new Date(clock.now() + enrolHours * hourMs),
    };
    await queries.updateModerator(tx, sealModerator(seals, { ...moderator, ...enrolment }));
    await recordAudit(tx, { at: now(), actor: 'operator', action: 'enrolment_offered', detail: { alias } });
    return token;
  }

  async function activeOrThrow(tx: ModerationDb, alias: string): Promise<queries.ModeratorRow> {
    const moderator = await queries.findActive(tx, alias);
    if (!moderator || !isModeratorSealed(seals, moderator))
      throw new StaffError(`there is no active moderator ${alias}`);
    return moderator;
  }

  return {
    async add(alias, role) {
      if (!/^[a-z][a-z0-9-]{1,29}$/u.test(alias) || reserved.has(alias)) {
        throw new StaffError(
          'an alias has 2 to 30 small letters, digits and hyphens, begins with a letter, and is none of ' +
            [...reserved].join(', '),
        );
      }
      return transaction(db, async (tx) => {
        const moderator = await queries.insertModerator(tx, { alias, role });
        await recordAudit(tx, {
          at: now(),
          actor: 'operator',
          action: 'moderator_added',
          detail: { alias, role },
        });
        return offerEnrolment(tx, moderator);
      }).catch((error: unknown) => {
        if (isUniqueViolation(error, 'moderators_alias_key'))
          throw new StaffError(`the alias ${alias} was already given`);
        throw error;
      });
    },

    enrol: (alias, { isReplacing } = { isReplacing: false }) =>
      transaction(db, async (tx) => {
        const moderator = await activeOrThrow(tx, alias);
        if (isReplacing) {
          // Passkeys first: a sign-in that is under way holds its passkey, and commits its session before this goes on.
          await queries.deletePasskeys(tx, moderator.id);
          await deleteSessionsOf(tx, moderator.id);
        }
        return offerEnrolment(tx, moderator);
      }),

    disable: (alias) =>
      transaction(db, async (tx) => {
        const moderator = await activeOrThrow(tx, alias);
        const disabled = { disabledOn: dayOf(clock.now()), enrolKey: null, enrolUntil: null };
        await queries.updateModerator(tx, sealModerator(seals, { ...moderator, ...disabled }));
        await queries.deletePasskeys(tx, moderator.id);
        await deleteSessionsOf(tx, moderator.id);
        await recordAudit(tx, {
          at: now(),
          actor: 'operator',
          action: 'moderator_disabled',
          detail: { alias },
        });
      }),

    list: () => queries.listModerators(db),
    countActive: () => queries.countActive(db),
  };
}
