import type { Job } from '../platform/jobs.ts';
import type { ReportsService } from './reports.service.ts';

export function reportsJobs(reports: ReportsService): Job[] {
  return [{ name: 'purge-old-reports', cron: '55 21 * * *', run: () => reports.deleteOld() }];
}
