import type { Job } from '../../platform/jobs.ts';
import type { OldReports } from './old-reports.service.ts';

export function intakeJobs(oldReports: OldReports): Job[] {
  // Often: during a rollout a server of the last release may still store reports the old way.
  return [{ name: 'adopt-old-reports', cron: '*/10 * * * *', run: () => oldReports.adoptAll() }];
}
