import type { Job } from '../platform/jobs.ts';
import type { AccountsService } from './accounts.service.ts';
import type { SessionsService } from './sessions.service.ts';

export function authJobs(sessions: SessionsService, accounts: AccountsService): Job[] {
  return [
    { name: 'write-visits', cron: '10 0 * * *', run: () => sessions.writeVisits() },
    { name: 'purge-ended-sessions', cron: '40 21 * * *', run: () => sessions.purgeEnded() },
    { name: 'forget-old-devices', cron: '45 21 * * *', run: () => accounts.forgetOldDevices() },
  ];
}
