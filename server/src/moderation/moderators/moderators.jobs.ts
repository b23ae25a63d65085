import type { Job } from '../../platform/jobs.ts';
import type { ModeratorSessions } from './moderator-sessions.service.ts';

export function moderatorsJobs(sessions: ModeratorSessions): Job[] {
  return [{ name: 'purge-moderator-sessions', cron: '20 * * * *', run: () => sessions.purgeEnded() }];
}
