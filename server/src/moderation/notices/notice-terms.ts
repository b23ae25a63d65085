import type { Day } from '../../platform/clock.ts';
import type { NoticeTerms } from '../case-box.ts';
import type { ModerationCore } from '../context.ts';
import { listSealed } from './notices.hot.queries.ts';

export interface HeldNotice extends NoticeTerms {
  readonly id: bigint;
  readonly slotKey: Buffer;
  readonly madeOn: Day;
  /** Neither voided nor expired: its points count. */
  readonly isValid: boolean;
}

/** The notices in these slots. One that was changed, or copied from another slot, counts as none. */
export async function readTerms({ db, caseBox }: ModerationCore, slotKeys: readonly Buffer[], now: number) {
  const rows = await listSealed(db, slotKeys);
  return rows.flatMap(({ id, slotKey, sealed, madeOn, voidedAt, expiresAt }) => {
    const terms = caseBox.open('notice', slotKey, sealed);
    const isValid = voidedAt === null && expiresAt.getTime() > now;
    return terms ? [{ ...terms, id, slotKey, madeOn, isValid }] : [];
  });
}
