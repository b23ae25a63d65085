import type { AccountsService } from '../auth/accounts.service.ts';
import type { Job } from '../platform/jobs.ts';
import type { RecoveryService } from './recovery.service.ts';

export function recoveryJobs(recovery: RecoveryService, accounts: AccountsService): Job[] {
  return [
    { name: 'let-go-of-numbers', cron: '20 21 * * *', run: () => accounts.letGoOfNumbers() },
    { name: 'purge-forgotten-accounts', cron: '30 21 * * *', run: () => recovery.purgeForgotten() },
  ];
}
