import type { Job } from '../../platform/jobs.ts';
import type { AccountsService } from './accounts.service.ts';

export function accountsJobs(accounts: AccountsService): Job[] {
  return [
    { name: 'forget-old-devices', cron: '45 21 * * *', run: () => accounts.forgetOldDevices() },
    { name: 'release-idle-numbers', cron: '20 21 * * *', run: () => accounts.releaseIdleNumbers() },
  ];
}
