import { today } from '../platform/clock.ts';
import type { Job } from '../platform/job.ts';
import { releaseHeldNumbers } from './accounts/held-numbers.ts';
import { releaseIdleNumbers } from './accounts/numbers.ts';
import { forgetOldDevices } from './accounts/sign-in.ts';
import type { IdentityContext } from './context.ts';
import { releaseNames } from './profiles/profiles.ts';
import { flushVisits } from './sessions/last-seen.ts';
import { purgeEndedSessions } from './sessions/sessions.ts';

export const identityJobs = (ctx: IdentityContext): Job[] => [
  { name: 'write-visits', cron: '10 0 * * *', run: (rows) => flushVisits(ctx, rows, today(ctx.clock)) },
  { name: 'purge-ended-sessions', cron: '40 21 * * *', run: (rows) => purgeEndedSessions(ctx, rows) },
  { name: 'forget-old-devices', cron: '45 21 * * *', run: () => forgetOldDevices(ctx) },
  { name: 'release-idle-numbers', cron: '20 21 * * *', run: (rows) => releaseIdleNumbers(ctx, rows) },
  { name: 'release-held-numbers', cron: '55 21 * * *', run: (rows) => releaseHeldNumbers(ctx, rows) },
  { name: 'release-held-usernames', cron: '50 21 * * *', run: (rows) => releaseNames(ctx, rows) },
];
