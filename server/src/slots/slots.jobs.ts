import type { Job } from '../platform/jobs.ts';
import type { Slots } from './slots.service.ts';

export function slotsJobs(slots: Slots): Job[] {
  return [
    // Right after midnight in India. Reactions have no day, so those written until the job runs count as yesterday's.
    { name: 'rewrite-fresh-content', cron: '31 18 * * *', run: () => slots.rewriteEndedDays() },
    { name: 'rewrite-todays-content', cron: '5 * * * *', run: () => slots.rewriteToday() },
  ];
}
