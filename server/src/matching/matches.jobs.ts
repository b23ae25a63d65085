import type { Job } from '../platform/jobs.ts';
import type { PairMaintenance } from './pair-maintenance.service.ts';
import type { SuggestionsService } from './suggestions.service.ts';

export function matchesJobs(maintenance: PairMaintenance, suggestions: SuggestionsService): Job[] {
  return [
    { name: 'settle-todays-pairs', cron: '15 * * * *', run: () => maintenance.settle({ isFinal: false }) },
    { name: 'settle-ended-pairs', cron: '2 0 * * *', run: () => maintenance.settle({ isFinal: true }) },
    { name: 'forget-old-matches', cron: '40 21 * * *', run: () => maintenance.renewAndExpire() },
    { name: 'top-up-suggestions', cron: '10 22 * * *', run: () => suggestions.topUpRecent() },
  ];
}
