import type { Job } from '../../platform/jobs.ts';
import type { AccountsService } from './accounts.service.ts';
import type { HeldNumbers } from './held-numbers.service.ts';

export function accountsJobs(accounts: AccountsService, heldNumbers: HeldNumbers): Job[] {
  return [
    { name: 'forget-old-devices', cron: '45 21 * * *', run: () => accounts.forgetOldDevices() },
    { name: 'release-idle-numbers', cron: '20 21 * * *', run: () => accounts.releaseIdleNumbers() },
    { name: 'release-held-numbers', cron: '55 21 * * *', run: () => heldNumbers.release() },
  ];
}
