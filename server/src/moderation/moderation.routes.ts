import * as calls from '@unsaid/contract';
import { bind } from '../kernel/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { ModerationContext } from './context.ts';
import { readLedger } from './ledger/ledger.ts';
import { appealNotice, listNotices } from './notices/notices.ts';
import { listOwnReports, readSpecifiedReason, reportItem } from './reports/reports.ts';

/** What users call. What moderators call is in cases/console.routes.ts and moderators/moderators.routes.ts. */
export const moderationRoutes = (ctx: ModerationContext): Binding[] => [
  bind(calls.createReport, ({ body, viewer, caller }) => reportItem(ctx, viewer, body, caller.networkKey)),
  bind(calls.listReports, async ({ viewer }) => ({ reports: await listOwnReports(ctx, viewer.person) })),
  bind(calls.reportVent, ({ body: { ventId, reason }, viewer, caller }) =>
    reportItem(
      ctx,
      viewer,
      { about: { kind: 'vent', id: ventId }, ...readSpecifiedReason(reason) },
      caller.networkKey,
    ),
  ),
  bind(calls.listNotices, async ({ viewer }) => ({ notices: await listNotices(ctx, viewer.person) })),
  bind(calls.appealNotice, ({ viewer, params, body }) => appealNotice(ctx, viewer, params.id, body.text)),
  bind(calls.getLedger, () => readLedger(ctx)),
  bind(calls.getGrievanceOfficer, async () => ctx.ports.imprint),
];
