import type { Job } from '../platform/jobs.ts';
import type { MatchesService } from './matches.service.ts';

export function matchesJobs(matches: MatchesService): Job[] {
  return [
    { name: 'settle-todays-pairs', cron: '15 * * * *', run: () => matches.settle({ isFinal: false }) },
    { name: 'settle-ended-pairs', cron: '2 0 * * *', run: () => matches.settle({ isFinal: true }) },
    { name: 'forget-old-matches', cron: '40 21 * * *', run: () => matches.forgetOld() },
    { name: 'top-up-suggestions', cron: '10 22 * * *', run: () => matches.topUpRecent() },
  ];
}
