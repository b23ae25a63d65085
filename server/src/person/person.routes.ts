import {
  deleteAccount,
  exportData,
  getChoices,
  getUser,
  hide,
  listInbox,
  markInboxSeen,
  openLiveTicket,
  pollLiveCounts,
  recoverAccount,
  setMutes,
  unhide,
  ventsSince,
} from '@unsaid/contract';
import { defaultSpan } from '../kernel/leaving-spans.ts';
import { bind } from '../kernel/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { PersonContext } from './context.ts';
import { eraseAccount, exportAccount, openRecovered } from './export-and-erasure.ts';
import { hideTarget, listChoices, replaceMutes, unhideTarget } from './hiding.ts';
import { countVentsSince, markLinesSeen, readInbox } from './inbox/inbox.ts';
import { issueTicket, pollCounts } from './live-counts.ts';

/** In the order of the parts: peers, hiding, inbox, returning, export and erasure, live. */
export function personRoutes(ctx: PersonContext): Binding[] {
  const { cookies, profiles } = ctx.identity;
  return [
    // The profile of oneself or of a peer, while their pair is open or mutual.
    bind(getUser, async ({ params, viewer }) => ({
      user: await profiles.byId(viewer, params.id, await ctx.matching.findPeer(viewer, params.id)),
    })),

    bind(getChoices, ({ viewer }) => listChoices(ctx, viewer)),
    bind(hide, ({ body, viewer }) => hideTarget(ctx, viewer, body.about)),
    bind(unhide, ({ body, viewer }) => unhideTarget(ctx, viewer, body.about)),
    bind(setMutes, ({ body, viewer }) => replaceMutes(ctx, viewer, body)),

    bind(listInbox, ({ query, viewer }) => readInbox(ctx, viewer, query.cursor)),
    bind(markInboxSeen, async ({ body, viewer }) => ({
      cursor: markLinesSeen(ctx, viewer, body),
    })),
    bind(ventsSince, ({ query, viewer }) => countVentsSince(ctx, viewer, query.cursor)),

    bind(recoverAccount, async ({ body, caller, viewer }) => {
      const { token, user, device } = await openRecovered(ctx, viewer, body.code, {
        device: cookies.device(caller),
        userAgent: caller.userAgent,
      });
      cookies.setDevice(caller, device);
      return { token, user };
    }),

    bind(exportData, async ({ viewer }) => ({ data: await exportAccount(ctx, viewer) })),
    bind(deleteAccount, async ({ viewer, caller, query }) => {
      await eraseAccount(ctx, viewer, query.removeWords ?? defaultSpan);
      cookies.forget(caller, viewer.userId);
      caller.dropBrowserCache();
    }),

    bind(openLiveTicket, ({ viewer, body }) => issueTicket(ctx, viewer, body)),
    bind(pollLiveCounts, ({ viewer, body }) => pollCounts(ctx, viewer, body)),
  ];
}
