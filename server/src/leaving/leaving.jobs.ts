import type { Job } from '../platform/jobs.ts';
import type { LeavingService } from './leaving.service.ts';

export function leavingJobs(leaving: LeavingService): Job[] {
  return [
    { name: 'remove-due-content', cron: '* * * * *', run: () => leaving.removeDue() },
    { name: 'rewrite-leavings', cron: '35 18 * * *', run: () => leaving.rewriteTickets() },
  ];
}
