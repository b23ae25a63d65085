import { sql } from 'kysely';
import type { ModerationDb } from '../platform/db.ts';

/** Who acted: the alias of a moderator, or reports, clock, author, operator. */
export type Actor = string;

export interface AuditEntry {
  readonly at: Date;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly caseId?: bigint;
  /** Enumerated values and numbers only: no text, no key, no id of a person. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * The ledger (ledger/ledger.queries.ts) counts from these, and from these details:
 * opened {source}, decided {outcome, policy}, resolved {resolution}. A decision is timed from the entry `opened` of its case.
 */
export type AuditAction =
  | 'reported'
  | 'opened'
  | 'paused'
  | 'unpaused'
  | 'taken'
  | 'extended'
  | 'released'
  | 'skipped'
  | 'escalated'
  | 'revealed'
  | 'decided'
  | 'mooted'
  | 'appealed'
  | 'resolved'
  | 'reversed'
  | 'lapsed'
  | 'signed_in'
  | 'signed_out'
  | 'proved'
  | 'moderator_added'
  | 'moderator_disabled'
  | 'moderator_forged'
  | 'enrolment_offered'
  | 'passkey_registered';

/** In the transaction of what it records. The database numbers and chains the entries. */
export async function recordAudit(
  tx: ModerationDb,
  { at, actor, action, caseId, detail = {} }: AuditEntry,
): Promise<void> {
  await sql`
    insert into moderation.audit (at, actor, action, case_id, detail)
    values (${at}, ${actor}, ${action}, ${caseId ?? null}, ${JSON.stringify(detail)}::jsonb)`.execute(tx);
}
