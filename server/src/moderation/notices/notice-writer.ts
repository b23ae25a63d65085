import type { PolicyName, Sanction } from '@unsaid/contract';
import type { ModerationDb } from '../../platform/db.ts';
import type { Person } from '../../pseudonyms/person-keys.ts';
import * as queries from './notices.queries.ts';

export interface NewNotice {
  readonly caseId: bigint;
  readonly kind: 'care' | 'hide' | 'remove';
  readonly policy: PolicyName;
  readonly policyVersion: number;
  readonly points: number;
  readonly sanction: Sanction;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly madeOn: string;
  readonly expiresAt: Date;
}

/**
 * Puts a notice into the author's first free slot. If none is free, the one that is needed least gives way.
 * Runs in the transaction of the decision.
 */
export async function writeNotice(
  tx: ModerationDb,
  person: Person,
  notice: NewNotice,
  now: Date,
): Promise<void> {
  const slotKeys = person.moderationSlots('notice');
  const taken = new Set(
    (await queries.listTakenSlots(tx, slotKeys)).map((slotKey) => slotKey.toString('latin1')),
  );
  const free = slotKeys.filter((slotKey) => !taken.has(slotKey.toString('latin1')));
  for (const slotKey of free) if (await queries.insertNotice(tx, { ...notice, slotKey })) return;
  const slotKey = await queries.deleteLeastNeeded(tx, slotKeys, now);
  if (!slotKey || !(await queries.insertNotice(tx, { ...notice, slotKey })))
    throw new Error('concurrent decisions hold every notice slot');
}
