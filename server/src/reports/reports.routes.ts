import { reportVent } from '@unsaid/contract';
import { bind } from '../auth/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { ReportsService } from './reports.service.ts';

export function reportsRoutes(reports: ReportsService): Binding[] {
  return [bind(reportVent, ({ body, viewer }) => reports.create(viewer, body))];
}
