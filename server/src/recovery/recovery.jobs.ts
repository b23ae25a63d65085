import type { Job } from '../platform/jobs.ts';
import type { RecoveryService } from './recovery.service.ts';

export function recoveryJobs(recovery: RecoveryService): Job[] {
  return [{ name: 'purge-forgotten-accounts', cron: '30 21 * * *', run: () => recovery.purgeForgotten() }];
}
