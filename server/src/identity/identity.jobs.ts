import type { Job } from '../platform/jobs.ts';
import type { AccountsService } from './accounts/accounts.service.ts';
import type { HeldNumbers } from './accounts/held-numbers.service.ts';
import type { ProfilesService } from './profiles/profiles.service.ts';
import type { SessionsService } from './sessions/sessions.service.ts';

interface IdentityJobsDeps {
  readonly sessions: SessionsService;
  readonly accounts: AccountsService;
  readonly heldNumbers: HeldNumbers;
  readonly profiles: ProfilesService;
}

export function identityJobs({ sessions, accounts, heldNumbers, profiles }: IdentityJobsDeps): Job[] {
  return [
    { name: 'write-visits', cron: '10 0 * * *', run: () => sessions.flushVisits() },
    { name: 'purge-ended-sessions', cron: '40 21 * * *', run: () => sessions.purgeEnded() },
    { name: 'forget-old-devices', cron: '45 21 * * *', run: () => accounts.forgetOldDevices() },
    { name: 'release-idle-numbers', cron: '20 21 * * *', run: () => accounts.releaseIdleNumbers() },
    { name: 'release-held-numbers', cron: '55 21 * * *', run: () => heldNumbers.release() },
    { name: 'release-held-usernames', cron: '50 21 * * *', run: () => profiles.releaseNames() },
  ];
}
