import { defineMetrics } from '../platform/metrics.ts';

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
