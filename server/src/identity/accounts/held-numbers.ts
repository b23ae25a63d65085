import type { IdentityBase } from '../../kernel/base.ts';
import type { StandingService } from '../../kernel/standing.ts';
import { dayOf, today, type Day } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';
import type { JobRows } from '../../platform/job.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../../kernel/person-keys.ts';
import { deletePhoneIndexOf } from './accounts.queries.ts';
import { numberHeldUntil } from './accounts.state.ts';
import * as queries from './held-numbers.queries.ts';
import type { PhoneIndexEntry } from './phone-index.ts';

/**
 * Deleting a suspended account must not open a new one at once. Its number is held for a while: the entry of the index
 * alone, without user and reason.
 */
export interface HeldNumbers {
  /** The day on which the number of a person who leaves now is released. Null: it is not held. */
  releaseDay(person: Person): Promise<Day | null>;
  /** In the transaction that deletes the account. */
  hold(tx: IdentityDb, userId: bigint, until: Day): Promise<void>;
  /** Throws for a held number. Only after a correct code: nobody else learns it. */
  assertFree(tx: IdentityDb, entries: readonly PhoneIndexEntry[]): Promise<void>;
  /** Nightly. */
  release(rows: JobRows): Promise<void>;
}

interface HeldNumbersDeps extends Pick<IdentityBase, 'db' | 'clock'> {
  readonly standing: StandingService;
}

export function createHeldNumbers({ db, clock, standing }: HeldNumbersDeps): HeldNumbers {
  return {
    async releaseDay(person) {
      const exclusion = await standing.findExclusion(person);
      return exclusion && numberHeldUntil(exclusion.sanction, dayOf(exclusion.endsAt), today(clock));
    },

    async hold(tx, userId, until) {
      const entry = await deletePhoneIndexOf(tx, userId);
      if (entry) await queries.holdNumber(tx, entry, until);
    },

    async assertFree(tx, entries) {
      if (await queries.isNumberHeld(tx, entries, today(clock))) throw new AppError('NUMBER_HELD');
    },

    async release(rows) {
      await queries.deleteReleased(db, today(clock));
      await queries.rewriteHeldNumbers(db, rows);
    },
  };
}
