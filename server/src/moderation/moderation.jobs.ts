import type { Job } from '../platform/jobs.ts';
import type { CaseRounds } from './cases/case-rounds.service.ts';

export function moderationJobs(rounds: CaseRounds, checkAudit: () => Promise<void>): Job[] {
  return [
    { name: 'moderation-round', cron: '* * * * *', run: () => rounds.run() },
    { name: 'moderation-purge', cron: '35 21 * * *', run: () => rounds.purge() },
    { name: 'audit-check', cron: '50 21 * * *', run: checkAudit },
  ];
}
