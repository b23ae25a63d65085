import type { Job } from '../platform/jobs.ts';
import type { ReportsService } from '../reports/reports.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { VentsService } from './vents.service.ts';

export function ventsJobs(vents: VentsService, reports: ReportsService, slots: Slots): Job[] {
  return [
    { name: 'remove-due-content', cron: '* * * * *', run: () => vents.removeDue() },
    { name: 'purge-old-reports', cron: '55 21 * * *', run: () => reports.purgeOld() },
    // At four in the morning in India, when hardly anybody writes.
    { name: 'rewrite-fresh-content', cron: '35 22 * * *', run: () => slots.rewriteFresh() },
    { name: 'sample-search-words', cron: '10 22 * * *', run: () => vents.sampleSearchWords() },
  ];
}
