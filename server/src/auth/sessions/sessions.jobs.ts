import type { Job } from '../../platform/jobs.ts';
import type { SessionsService } from './sessions.service.ts';

export function sessionsJobs(sessions: SessionsService): Job[] {
  return [
    { name: 'write-visits', cron: '10 0 * * *', run: () => sessions.flushVisits() },
    { name: 'purge-ended-sessions', cron: '40 21 * * *', run: () => sessions.purgeEnded() },
  ];
}
