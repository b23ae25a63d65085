import type { Job } from '../platform/job.ts';
import type { CaseRounds } from './cases/case-rounds.ts';
import type { ModeratorSessions } from './moderators/moderator-sessions.ts';

interface ModerationJobsDeps {
  readonly rounds: CaseRounds;
  readonly sessions: ModeratorSessions;
  checkAudit(): Promise<void>;
  checkRoster(): Promise<void>;
}

export function moderationJobs({ rounds, sessions, checkAudit, checkRoster }: ModerationJobsDeps): Job[] {
  return [
    { name: 'moderation-round', cron: '* * * * *', run: (rows) => rounds.run(rows) },
    { name: 'moderation-purge', cron: '35 21 * * *', run: (rows) => rounds.purge(rows) },
    { name: 'audit-check', cron: '50 21 * * *', run: checkAudit },
    { name: 'roster-check', cron: '*/5 * * * *', run: checkRoster },
    { name: 'purge-moderator-sessions', cron: '20 * * * *', run: () => sessions.purgeEnded() },
  ];
}
