import { sql } from 'kysely';
import type { ModerationDb } from '../../platform/db.ts';
import type { ItemEffect } from '../ports.ts';

export interface CaseWithEffect {
  readonly subjectKey: Buffer;
  readonly sealedItem: Buffer | null;
  readonly pendingEffect: ItemEffect;
}

/** Effects on one item wait for each other, also of different cases. In no table and no log. First of all locks. */
export async function lockItem(tx: ModerationDb, caseId: bigint): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(('x' || encode(substr(subject_key, 1, 8), 'hex'))::bit(64)::bigint)
      from moderation.cases where id = ${caseId}`.execute(tx);
}

/** Locks the case: effects of one case run one after the other, and a decision waits for the effect before it. */
export async function lockPending(tx: ModerationDb, caseId: bigint): Promise<CaseWithEffect | undefined> {
  const row = await tx
    .selectFrom('moderation.cases')
    .select(['subjectKey', 'sealedItem', 'pendingEffect'])
    .where('id', '=', caseId)
    .where('pendingEffect', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
  return row as CaseWithEffect | undefined;
}

export async function listPending(db: ModerationDb): Promise<bigint[]> {
  const rows = await db
    .selectFrom('moderation.cases')
    .select('id')
    .where('pendingEffect', 'is not', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function updateItem(tx: ModerationDb, caseId: bigint, sealedItem: Buffer): Promise<void> {
  await tx.updateTable('moderation.cases').set({ sealedItem }).where('id', '=', caseId).execute();
}

export async function clearPending(tx: ModerationDb, caseId: bigint): Promise<void> {
  await tx.updateTable('moderation.cases').set({ pendingEffect: null }).where('id', '=', caseId).execute();
}

/**
 * Another case about the item has taken it away, or paused it. What one case undoes, the other still holds. Not so an
 * earlier decision about a profile: it was about words that are gone, and its owner may write others.
 */
export async function isRestrictedByOther(tx: ModerationDb, caseId: bigint, subjectKey: Buffer) {
  const { rows } = await sql`
    select 1 from moderation.cases
     where subject_key = ${subjectKey} and id <> ${caseId}
       and (outcome in ('hide', 'remove') and resolution is distinct from 'overturned'
            or outcome is null and paused_at is not null)
       and (subject_kind <> 'profile' or outcome is null or id > ${caseId})
     limit 1`.execute(tx);
  return rows.length > 0;
}
