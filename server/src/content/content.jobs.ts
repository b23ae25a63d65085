import type { Job } from '../platform/job.ts';
import { removeLeftThanks } from './comments/comments.ts';
import type { ContentContext } from './context.ts';
import { rewriteSeconds, rewriteTrendingList } from './feed/trending.ts';
import { releaseHeldVents } from './held/held-vents.ts';
import { removeDueItems, rewriteLeavings } from './leaving/leaving.ts';
import { writeHeardWeek } from './listening/heard.ts';
import { rewriteEndedDays, rewriteToday } from './slots/slots.ts';
import { deleteMarkedVents, markVentsOver } from './vents/deletions.ts';
import { deleteExpiredKeys } from './vents/idempotency.ts';

export const contentJobs = (ctx: ContentContext): Job[] => [
  {
    name: 'remove-deleted-vents',
    cron: '* * * * *',
    async run(rows) {
      await markVentsOver(ctx, rows);
      await deleteMarkedVents(ctx, rows);
      await deleteExpiredKeys(ctx);
    },
  },
  {
    name: 'rewrite-trending',
    jitteredIntervalSeconds: rewriteSeconds,
    run: () => rewriteTrendingList(ctx),
  },
  releaseHeldVents(ctx),
  // Right after midnight in India. Reactions have no day, so those written until the job runs count as yesterday's.
  {
    name: 'rewrite-fresh-content',
    cron: '31 18 * * *',
    run: async (rows) => {
      await removeLeftThanks(ctx);
      await rewriteEndedDays(ctx, rows);
    },
  },
  { name: 'rewrite-todays-content', cron: '5 * * * *', run: (rows) => rewriteToday(ctx, rows) },
  { name: 'remove-due-content', cron: '* * * * *', run: (rows) => removeDueItems(ctx, rows) },
  // On Monday night, and on later ones if it did not run then.
  { name: 'write-heard-week', cron: '30 23 * * *', run: () => writeHeardWeek(ctx) },
  { name: 'rewrite-leavings', cron: '35 18 * * *', run: (rows) => rewriteLeavings(ctx, rows) },
];
