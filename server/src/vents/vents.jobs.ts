import type { Job } from '../platform/jobs.ts';
import type { ReportsService } from '../reports/reports.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { VentsService } from './vents.service.ts';

export function ventsJobs(vents: VentsService, reports: ReportsService, slots: Slots): Job[] {
  return [
    { name: 'remove-due-content', cron: '* * * * *', run: () => vents.removeDue() },
    { name: 'purge-old-reports', cron: '55 21 * * *', run: () => reports.purgeOld() },
    // Right after midnight in India: reactions have no day, so what is written until then goes with the day before.
    { name: 'rewrite-fresh-content', cron: '31 18 * * *', run: () => slots.rewriteEndedDays() },
    { name: 'rewrite-todays-content', cron: '5 * * * *', run: () => slots.rewriteToday() },
    { name: 'sample-search-words', cron: '10 22 * * *', run: () => vents.sampleSearchWords() },
  ];
}
