import type { Job } from '../platform/jobs.ts';
import type { CommentsService } from './comments/comments.service.ts';
import { rewriteSeconds, type Trending } from './feed/trending.ts';
import type { HeldVents } from './held/held-vents.service.ts';
import type { HeardService } from './listening/heard.service.ts';
import type { LeavingService } from './leaving/leaving.service.ts';
import type { Slots } from './slots/slots.service.ts';
import type { VentDeletions } from './vents/deletions.service.ts';
import type { Idempotency } from './vents/idempotency.service.ts';

interface ContentJobsDeps {
  readonly slots: Slots;
  readonly comments: Pick<CommentsService, 'removeLeftThanks'>;
  readonly leaving: LeavingService;
  readonly held: HeldVents;
  /** Whether an operator lets vents be posted. Those that are due stay due. */
  areVentsOpen(this: void): boolean;
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
  areVentsOpen,
  heard,
  deletions,
  idempotency,
  trending,
}: ContentJobsDeps): Job[] {
  return [
    {
      name: 'remove-deleted-vents',
      cron: '* * * * *',
      async run() {
        await deletions.markOver();
        await deletions.processDeletions();
        await idempotency.deleteExpired();
      },
    },
    {
      name: 'rewrite-trending',
      jitteredIntervalSeconds: rewriteSeconds,
      run: () => trending.rewrite(),
    },
    {
      name: 'release-held-vents',
      cron: '* * * * *',
      run: async () => void (areVentsOpen() && (await held.releaseDue())),
    },
    // Right after midnight in India. Reactions have no day, so those written until the job runs count as yesterday's.
    {
      name: 'rewrite-fresh-content',
      cron: '31 18 * * *',
      run: async () => {
        await comments.removeLeftThanks();
        await slots.rewriteEndedDays();
      },
    },
    { name: 'rewrite-todays-content', cron: '5 * * * *', run: () => slots.rewriteToday() },
    { name: 'remove-due-content', cron: '* * * * *', run: () => leaving.removeDue() },
    // On Monday night, and on later ones if it did not run then. At 5 in India every process has written its counts of
    // the day before.
    { name: 'write-heard-week', cron: '30 23 * * *', run: () => heard.writeWeek() },
    { name: 'rewrite-leavings', cron: '35 18 * * *', run: () => leaving.rewriteTickets() },
  ];
}
