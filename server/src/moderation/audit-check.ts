import type { ModerationDb } from '../platform/db.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { findAuditHead, firstBrokenAudit } from './audit.queries.ts';
import { moderationMetrics } from './moderation.metrics.ts';

/**
 * Recomputes the hash chain of the audit log, and logs its head. A cut tail leaves a whole chain: it shows only where the
 * head is compared with one that was logged or published before.
 */
export async function checkAudit({
  db,
  logger,
  metrics,
}: {
  readonly db: ModerationDb;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Promise<void> {
  const [broken, head] = await Promise.all([firstBrokenAudit(db), findAuditHead(db, null)]);
  moderationMetrics(metrics).auditBroken.set(broken === null ? 0 : 1);
  const found = { count: Number(head?.seq ?? 0n), auditHead: head?.hash.toString('hex') ?? '' };
  if (broken === null) logger.info({ event: 'audit_checked', ...found });
  else logger.error({ event: 'audit_broken', ...found, auditSeq: Number(broken) });
}
