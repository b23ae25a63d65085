import type { Job } from '../platform/jobs.ts';
import type { SessionsService } from './sessions.service.ts';

export function authJobs(sessions: SessionsService): Job[] {
  return [{ name: 'purge-ended-sessions', cron: '40 21 * * *', run: () => sessions.purgeEnded() }];
}
