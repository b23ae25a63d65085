import type { Job } from '../platform/jobs.ts';
import type { ProfilesService } from './profiles.service.ts';

export function profilesJobs(profiles: ProfilesService): Job[] {
  return [{ name: 'release-held-usernames', cron: '50 21 * * *', run: () => profiles.releaseNames() }];
}
