import type { Job } from '../platform/jobs.ts';
import type { ReportsService } from '../reports/reports.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { VentRemoval } from './vent-removal.service.ts';
import type { VentsService } from './vents.service.ts';

interface VentsJobsDeps {
  readonly vents: VentsService;
  readonly removal: VentRemoval;
  readonly reports: ReportsService;
  readonly slots: Slots;
}

export function ventsJobs({ vents, removal, reports, slots }: VentsJobsDeps): Job[] {
  return [
    { name: 'remove-deleted-vents', cron: '* * * * *', run: () => removal.removeDeleted() },
    { name: 'purge-old-reports', cron: '55 21 * * *', run: () => reports.purgeOld() },
    // Right after midnight in India: reactions have no day, so what is written until then goes with the day before.
    { name: 'rewrite-fresh-content', cron: '31 18 * * *', run: () => slots.rewriteEndedDays() },
    { name: 'rewrite-todays-content', cron: '5 * * * *', run: () => slots.rewriteToday() },
    { name: 'sample-search-words', cron: '10 22 * * *', run: () => vents.sampleSearchWords() },
  ];
}
