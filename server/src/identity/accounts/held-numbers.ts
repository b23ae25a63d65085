import type { Person } from '../../kernel/person-keys.ts';
import { addDays, dayOf, today, type Day } from '../../platform/clock.ts';
import { halfMonthOf, nextHalfMonth } from '../../platform/coarse-days.ts';
import { AppError } from '../../platform/errors.ts';
import type { JobRows } from '../../platform/job.ts';
import type { IdentityContext } from '../context.ts';
import { recycledAfterDays } from '../ways-in.ts';
import { deletePhoneIndexOf } from './accounts.queries.ts';
import * as queries from './held-numbers.queries.ts';
import type { PhoneIndexEntry } from './phone-index.ts';

/**
 * Deleting a suspended account must not open a new one at once. Its number is held for a while: the entry of the index
 * alone, without user and reason.
 */

/** As long as the longest suspension. */
const heldDays = 30;

/**
 * The day on which the number of a deleted account is released. Of a suspended person it is held as long as a suspension
 * can last, of a banned person until the end of the ban; but at most 90 days, which is shorter than a ban: after 90 days
 * without an account the number may be somebody else's. Half months, because with the keys the exact day of leaving or of
 * the end of a ban would link the number to the leaving ticket, and so to items, or to a notice, and so to a case.
 */
export function numberHeldUntil(sanction: 'suspend' | 'ban', endsOn: Day, today: Day): Day {
  const wanted = nextHalfMonth(sanction === 'ban' ? endsOn : addDays(today, heldDays));
  const latest = halfMonthOf(addDays(today, recycledAfterDays));
  return wanted < latest ? wanted : latest;
}

/** The day on which the number of a person who leaves now is released. Null: it is not held. */
export async function numberReleaseDay(
  { clock, ports }: IdentityContext,
  person: Person,
): Promise<Day | null> {
  const exclusion = await ports.standing.findExclusion(person);
  return exclusion && numberHeldUntil(exclusion.sanction, dayOf(exclusion.endsAt), today(clock));
}

/** In the transaction that deletes the account. */
export async function holdNumber({ db }: IdentityContext, userId: bigint, until: Day): Promise<void> {
  const entry = await deletePhoneIndexOf(db, userId);
  if (entry) await queries.insertHeldNumber(db, entry, until);
}

/** Throws for a held number. Only after a correct code: nobody else learns it. */
export async function assertNumberFree(
  { db, clock }: IdentityContext,
  entries: readonly PhoneIndexEntry[],
): Promise<void> {
  if (await queries.isNumberHeld(db, entries, today(clock))) throw new AppError('NUMBER_HELD');
}

/** Nightly. */
export async function releaseHeldNumbers({ db, clock }: IdentityContext, rows: JobRows): Promise<void> {
  await queries.deleteReleased(db, today(clock));
  await queries.rewriteHeldNumbers(db, rows);
}
