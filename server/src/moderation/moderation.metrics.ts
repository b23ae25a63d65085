import { defineMetrics } from '../platform/metrics.ts';

export const moderationMetrics = defineMetrics(({ counter, gauge }) => ({
  auditBroken: gauge(
    'unsaid_audit_broken',
    'Whether the hash chain of the audit log is broken, by the last nightly check: 0 or 1',
  ),
  reports: counter('unsaid_reports_total', 'Reports of vents, comments and profiles, by reason', 'reason'),
  casesWaiting: gauge('unsaid_cases_waiting', 'Cases that wait for a moderator, by severity', 'severity'),
  casesOverdue: gauge(
    'unsaid_cases_overdue',
    'Waiting cases that are past their time, by severity',
    'severity',
  ),
}));
