import type { Job } from '../platform/jobs.ts';
import type { ReportsService } from '../reports/reports.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { VentsService } from './vents.service.ts';

export function ventsJobs(vents: VentsService, reports: ReportsService, slots: Slots): Job[] {
  return [
    { name: 'remove-due-content', cron: '* * * * *', run: () => vents.removeDue() },
    { name: 'purge-old-reports', cron: '55 21 * * *', run: () => reports.purgeOld() },
    // Shortly after midnight in India, when the day of a comment has ended.
    { name: 'rewrite-fresh-content', cron: '40 18 * * *', run: () => slots.rewriteFresh() },
    { name: 'sample-search-words', cron: '10 22 * * *', run: () => vents.sampleSearchWords() },
  ];
}
