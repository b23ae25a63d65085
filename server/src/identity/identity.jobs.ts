import type { Job } from '../platform/job.ts';
import type { AccountsService } from './accounts/accounts.ts';
import type { HeldNumbers } from './accounts/held-numbers.ts';
import type { ProfilesService } from './profiles/profiles.ts';
import type { SessionsService } from './sessions/sessions.ts';

interface IdentityJobsDeps {
  readonly sessions: SessionsService;
  readonly accounts: AccountsService;
  readonly heldNumbers: HeldNumbers;
  readonly profiles: ProfilesService;
}

export function identityJobs({ sessions, accounts, heldNumbers, profiles }: IdentityJobsDeps): Job[] {
  return [
    { name: 'write-visits', cron: '10 0 * * *', run: (rows) => sessions.flushVisits(rows) },
    { name: 'purge-ended-sessions', cron: '40 21 * * *', run: (rows) => sessions.purgeEnded(rows) },
    { name: 'forget-old-devices', cron: '45 21 * * *', run: () => accounts.forgetOldDevices() },
    { name: 'release-idle-numbers', cron: '20 21 * * *', run: (rows) => accounts.releaseIdleNumbers(rows) },
    { name: 'release-held-numbers', cron: '55 21 * * *', run: (rows) => heldNumbers.release(rows) },
    { name: 'release-held-usernames', cron: '50 21 * * *', run: (rows) => profiles.releaseNames(rows) },
  ];
}
