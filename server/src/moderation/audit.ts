import { sql } from 'kysely';
import type { ModerationBase } from '../kernel/base.ts';
import type { ModerationDb } from '../platform/db.ts';
import { findAuditHead, firstBrokenAudit } from './audit.queries.ts';
import { moderationMetrics } from './moderation.metrics.ts';

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
export type AuditAction = CaseAction | LeaseAction | DecisionAction | SignInAction | RosterAction;
type CaseAction = 'reported' | 'opened' | 'paused' | 'unpaused' | 'mooted' | 'appealed' | 'lapsed';
type LeaseAction = 'taken' | 'extended' | 'released' | 'skipped' | 'escalated' | 'revealed';
type DecisionAction = 'decided' | 'resolved' | 'reversed';
type SignInAction = 'signed_in' | 'signed_out' | 'proved' | 'enrolment_offered' | 'passkey_registered';
type RosterAction = 'moderator_added' | 'moderator_disabled' | 'moderator_forged';

/** In the transaction of what it records. The database numbers and chains the entries. */
export async function recordAudit(
  tx: ModerationDb,
  { at, actor, action, caseId, detail = {} }: AuditEntry,
): Promise<void> {
  await sql`
    insert into moderation.audit (at, actor, action, case_id, detail)
    values (${at}, ${actor}, ${action}, ${caseId ?? null}, ${JSON.stringify(detail)}::jsonb)`.execute(tx);
}

/**
 * Recomputes the hash chain of the audit log, and logs its head. A cut tail leaves a whole chain: it shows only where the
 * head is compared with one that was logged or published before.
 */
export async function checkAudit({ db, logger, metrics }: ModerationBase): Promise<void> {
  const [broken, head] = await Promise.all([firstBrokenAudit(db), findAuditHead(db, null)]);
  moderationMetrics(metrics).auditBroken.set(broken === null ? 0 : 1);
  const found = { count: Number(head?.seq ?? 0n), auditHead: head?.hash.toString('hex') ?? '' };
  if (broken === null) logger.info({ event: 'audit_checked', ...found });
  else logger.error({ event: 'audit_broken', ...found, auditSeq: Number(broken) });
}
