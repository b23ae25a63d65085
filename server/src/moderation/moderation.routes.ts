import { createReport, listReports, reportVent } from '@unsaid/contract';
import { bind } from '../kernel/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { IntakeService } from './reports/reports.ts';
import { readSpecifiedReason } from './reports/specified-reasons.ts';

export function intakeRoutes(intake: IntakeService): Binding[] {
  return [
    bind(createReport, ({ body, viewer, caller }) => intake.report(viewer, body, caller.networkKey)),
    bind(listReports, async ({ viewer }) => ({ reports: await intake.listOwn(viewer.person) })),
    bind(reportVent, ({ body, viewer, caller }) =>
      intake.report(
        viewer,
        { about: { kind: 'vent', id: body.ventId }, ...readSpecifiedReason(body.reason) },
        caller.networkKey,
      ),
    ),
  ];
}
