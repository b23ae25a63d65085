import type { Job } from '../platform/jobs.ts';
import type { ReportsService } from '../reports/reports.service.ts';
import type { VentsService } from './vents.service.ts';

export function ventsJobs(vents: VentsService, reports: ReportsService): Job[] {
  return [
    { name: 'remove-due-content', cron: '* * * * *', run: () => vents.removeDue() },
    { name: 'purge-old-reports', cron: '55 21 * * *', run: () => reports.purgeOld() },
  ];
}
