import {
  appealNotice,
  createReport,
  getGrievanceOfficer,
  getLedger,
  listNotices,
  listReports,
  reportVent,
} from '@unsaid/contract';
import { bind } from '../kernel/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { ModerationContext } from './context.ts';
import { readLedger } from './ledger/ledger.ts';
import * as notices from './notices/notices.ts';
import { listOwnReports, readSpecifiedReason, reportItem } from './reports/reports.ts';

/** What users call. What moderators call is in cases/console.routes.ts and moderators/moderators.routes.ts. */
export const moderationRoutes = (ctx: ModerationContext): Binding[] => [
  bind(createReport, ({ body, viewer, caller }) => reportItem(ctx, viewer, body, caller.networkKey)),
  bind(listReports, async ({ viewer }) => ({ reports: await listOwnReports(ctx, viewer.person) })),
  bind(reportVent, ({ body: { ventId, reason }, viewer, caller }) =>
    reportItem(
      ctx,
      viewer,
      { about: { kind: 'vent', id: ventId }, ...readSpecifiedReason(reason) },
      caller.networkKey,
    ),
  ),
  bind(listNotices, async ({ viewer }) => ({ notices: await notices.listNotices(ctx, viewer.person) })),
  bind(appealNotice, ({ viewer, params, body }) => notices.appealNotice(ctx, viewer, params.id, body.text)),
  bind(getLedger, () => readLedger(ctx)),
  bind(getGrievanceOfficer, async () => ctx.ports.imprint),
];
