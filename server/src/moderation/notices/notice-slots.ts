import type { PolicyName } from '@unsaid/contract';
import { noticeNumbers, type Person } from '../../kernel/person-keys.ts';
import type { NoticeTerms } from '../case-box.ts';
import type { ModerationCore } from '../context.ts';
import { listSealed } from './notices.hot.queries.ts';
import * as queries from './notices.queries.ts';

type HeldNotice = Awaited<ReturnType<typeof readTerms>>[number];

/** The notices in these slots. One that was changed, or copied from another slot, counts as none. */
export async function readTerms({ db, caseBox }: ModerationCore, slotKeys: readonly Buffer[], now: number) {
  const rows = await listSealed(db, slotKeys);
  return rows.flatMap(({ id, slotKey, sealed, madeOn, voidedAt, expiresAt }) => {
    const terms = caseBox.open('notice', slotKey, sealed);
    // Neither voided nor expired: its points count.
    const isValid = voidedAt === null && expiresAt.getTime() > now;
    return terms ? [{ ...terms, id, slotKey, madeOn, isValid }] : [];
  });
}

interface NewNotice {
  readonly caseId: bigint;
  readonly kind: 'care' | 'hide' | 'remove';
  readonly policy: PolicyName;
  readonly policyVersion: number;
  readonly madeOn: string;
  readonly expiresAt: Date;
}

/**
 * Puts a notice into the author's first slot that was never used. Whatever is deleted, no slot is used again before all
 * sixteen were: a second notice in it would be to the same author, and the login of moderation may delete notices. From the
 * seventeenth on a free one is used, and where none is free the one that is needed least gives way.
 * Runs in the transaction of the decision.
 */
export async function writeNotice(
  ctx: ModerationCore,
  person: Person,
  { notice, terms }: { readonly notice: NewNotice; readonly terms: NoticeTerms },
  now: Date,
): Promise<void> {
  const { db, caseBox } = ctx;
  const slotKeys = person.noticeSlots();
  const insert = (slotKey: Buffer) =>
    queries.insertNotice(db, { ...notice, slotKey, sealed: caseBox.seal('notice', slotKey, terms) });
  const takenKeys = person.takenKeys('notice', noticeNumbers);
  const used = new Set((await queries.listTaken(db, takenKeys)).map((key) => key.toString('latin1')));
  for (const [n, takenKey] of takenKeys.entries()) {
    if (used.has(takenKey.toString('latin1')) || !(await queries.takeSlot(db, takenKey))) continue;
    if (await insert(slotKeys[n] as Buffer)) return;
  }
  const held = await readTerms(ctx, slotKeys, now.getTime());
  const free = slotKeys.filter((slotKey) => !held.some((one) => one.slotKey.equals(slotKey)));
  for (const slotKey of free) if (await insert(slotKey)) return;
  // A concurrent decision may have replaced one of these: then the next gives way.
  for (const { id, slotKey } of held.toSorted((a, b) => compareNeed(a, b, now.getTime())))
    if ((await queries.deleteNotice(db, id)) && (await insert(slotKey))) return;
  throw new Error('concurrent decisions hold every notice slot');
}

const severities = ['limit', 'suspend', 'ban'];

/**
 * The oldest whose sanction is over first. Where all sanctions are in force, the mildest that ends first: the others last
 * longer.
 */
function compareNeed(a: HeldNotice, b: HeldNotice, now: number): number {
  const endOf = ({ isValid, endsAt }: HeldNotice) =>
    isValid && endsAt !== null && endsAt > now ? endsAt : 0;
  const needOf = (one: HeldNotice) => (endOf(one) === 0 ? -1 : severities.indexOf(one.sanction));
  return (
    needOf(a) - needOf(b) ||
    endOf(a) - endOf(b) ||
    (a.madeOn === b.madeOn ? Number(a.id - b.id) : a.madeOn < b.madeOn ? -1 : 1)
  );
}
