import type { Day } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import type { CaseBox, NoticeTerms } from '../case-box.ts';
import { listSealed } from './notices.hot.queries.ts';

export interface HeldNotice extends NoticeTerms {
  readonly id: bigint;
  readonly slotKey: Buffer;
  readonly madeOn: Day;
  /** Neither voided nor expired: its points count. */
  readonly isValid: boolean;
}

export function openTerms(
  box: CaseBox,
  { slotKey, sealed }: { readonly slotKey: Buffer; readonly sealed: Buffer },
): NoticeTerms {
  const terms = box.open('notice', slotKey, sealed);
  if (!terms) throw new Error('notice failed to decrypt');
  return terms;
}

/** The notices in these slots. */
export async function readTerms(
  db: ModerationDb,
  box: CaseBox,
  slotKeys: readonly Buffer[],
  now: number,
): Promise<HeldNotice[]> {
  const rows = await listSealed(db, slotKeys);
  return rows.map(({ id, slotKey, sealed, madeOn, voidedAt, expiresAt }) => ({
    ...openTerms(box, { slotKey, sealed }),
    id,
    slotKey,
    madeOn,
    isValid: voidedAt === null && expiresAt.getTime() > now,
  }));
}
