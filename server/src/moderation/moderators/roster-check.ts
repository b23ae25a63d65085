import type { ModerationBase } from '../../kernel/base.ts';
import { recordAudit } from '../audit.ts';
import { moderationMetrics } from '../moderation.metrics.ts';
import { isModeratorSealed } from './moderator.ts';
import { listForRosterCheck } from './moderators.queries.ts';

/**
 * Looks for moderators who were not added by the command, or whose row was changed since. They cannot sign in without a
 * seal, but somebody writes to the database. Each is recorded once; the gauge shows them until they are gone.
 */
export async function checkRoster({ db, clock, logger, metrics, seals }: ModerationBase): Promise<void> {
  const forged = (await listForRosterCheck(db)).filter(
    (row) => !row.isAdded || !isModeratorSealed(seals, row),
  );
  moderationMetrics(metrics).forgedModerators.set(forged.length);
  for (const { alias, role, isFound } of forged) {
    if (isFound) continue;
    logger.error({ event: 'moderator_forged' });
    const at = new Date(clock.now());
    await recordAudit(db, { at, actor: 'clock', action: 'moderator_forged', detail: { alias, role } });
  }
}
