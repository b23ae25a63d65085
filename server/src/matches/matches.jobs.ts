import type { Job } from '../platform/jobs.ts';
import type { MatchesService } from './matches.service.ts';
import type { RebuildService } from './rebuild.service.ts';

export function matchesJobs(
  matches: MatchesService,
  rebuilds: RebuildService,
  rebuildSeconds: number,
): Job[] {
  return [
    {
      name: 'rebuild-match-profiles',
      aboutEverySeconds: rebuildSeconds,
      async run() {
        await rebuilds.rebuild();
      },
    },
    { name: 'forget-old-matches', cron: '40 21 * * *', run: () => matches.forgetOld() },
    { name: 'top-up-suggestions', cron: '10 22 * * *', run: () => matches.topUpRecent() },
  ];
}
