import type { Job } from '../platform/job.ts';
import type { CommentsService } from './comments/comments.ts';
import { rewriteSeconds, type Trending } from './feed/trending.ts';
import type { HeldVents } from './held/held-vents.ts';
import type { HeardService } from './listening/heard.ts';
import type { LeavingService } from './leaving/leaving.ts';
import type { Slots } from './slots/slots.ts';
import type { VentDeletions } from './vents/deletions.ts';
import type { Idempotency } from './vents/idempotency.ts';

interface ContentJobsDeps {
  readonly slots: Slots;
  readonly comments: Pick<CommentsService, 'removeLeftThanks'>;
  readonly leaving: LeavingService;
  readonly held: HeldVents;
  readonly heard: HeardService;
  readonly deletions: VentDeletions;
  readonly idempotency: Idempotency;
  readonly trending: Pick<Trending, 'rewrite'>;
}

export function contentJobs({
  slots,
  comments,
  leaving,
  held,
  heard,
  deletions,
  idempotency,
  trending,
}: ContentJobsDeps): Job[] {
  return [
    {
      name: 'remove-deleted-vents',
      cron: '* * * * *',
      async run(rows) {
        await deletions.markOver(rows);
        await deletions.processDeletions(rows);
        await idempotency.deleteExpired();
      },
    },
    {
      name: 'rewrite-trending',
      jitteredIntervalSeconds: rewriteSeconds,
      run: () => trending.rewrite(),
    },
    held.job,
    // Right after midnight in India. Reactions have no day, so those written until the job runs count as yesterday's.
    {
      name: 'rewrite-fresh-content',
      cron: '31 18 * * *',
      run: async (rows) => {
        await comments.removeLeftThanks();
        await slots.rewriteEndedDays(rows);
      },
    },
    { name: 'rewrite-todays-content', cron: '5 * * * *', run: (rows) => slots.rewriteToday(rows) },
    { name: 'remove-due-content', cron: '* * * * *', run: (rows) => leaving.removeDue(rows) },
    // On Monday night, and on later ones if it did not run then.
    { name: 'write-heard-week', cron: '30 23 * * *', run: () => heard.writeWeek() },
    { name: 'rewrite-leavings', cron: '35 18 * * *', run: (rows) => leaving.rewriteTickets(rows) },
  ];
}
