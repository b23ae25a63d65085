import type { ModerationBase } from '../kernel/base.ts';
import { defineMetrics } from '../platform/metrics.ts';
import { countBacklog } from './cases/console-figures.queries.ts';

export const moderationMetrics = defineMetrics(({ counter, gauge }) => ({
  auditBroken: gauge(
    'unsaid_audit_broken',
    'Whether the hash chain of the audit log is broken, by the last nightly check: 0 or 1',
  ),
  forgedModerators: gauge(
    'unsaid_forged_moderators',
    'Moderators who were not added by the command, or whose row was changed since, by the last check',
  ),
  reports: counter('unsaid_reports_total', 'Reports of vents, comments and profiles, by reason', 'reason'),
  casesWaiting: gauge('unsaid_cases_waiting', 'Cases that wait for a moderator, by severity', 'severity'),
  casesOverdue: gauge(
    'unsaid_cases_overdue',
    'Waiting cases that are past their time, by severity',
    'severity',
  ),
}));

const severities = [1, 2, 3, 4];

/** Sets the number of waiting and overdue cases. If the query fails, the series are removed: a stale value would look healthy. */
export async function measureCases({ db, metrics, clock }: ModerationBase): Promise<void> {
  const { casesWaiting, casesOverdue } = moderationMetrics(metrics);
  try {
    const rows = await countBacklog(db, new Date(clock.now()));
    for (const severity of severities) {
      const row = rows.find((one) => one.severity === severity);
      casesWaiting.set({ severity }, row?.waiting ?? 0);
      casesOverdue.set({ severity }, row?.overdue ?? 0);
    }
  } catch {
    casesWaiting.reset();
    casesOverdue.reset();
  }
}
