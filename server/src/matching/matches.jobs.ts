import type { Job } from '../platform/job.ts';
import type { PairMaintenance } from './pair-maintenance.ts';
import type { SuggestionsService } from './suggestions.ts';

export function matchesJobs(maintenance: PairMaintenance, suggestions: SuggestionsService): Job[] {
  return [
    {
      name: 'settle-todays-pairs',
      cron: '15 * * * *',
      run: (rows) => maintenance.settle(rows, { isFinal: false }),
    },
    {
      name: 'settle-ended-pairs',
      cron: '2 0 * * *',
      run: (rows) => maintenance.settle(rows, { isFinal: true }),
    },
    { name: 'forget-old-matches', cron: '40 21 * * *', run: (rows) => maintenance.renewAndExpire(rows) },
    { name: 'top-up-suggestions', cron: '10 22 * * *', run: (rows) => suggestions.topUpRecent(rows) },
  ];
}
