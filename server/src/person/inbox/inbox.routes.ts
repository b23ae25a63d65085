import { listInbox, markInboxSeen, ventsSince } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { InboxService } from './inbox.ts';

export function inboxRoutes(inbox: InboxService): Binding[] {
  return [
    bind(listInbox, ({ query, viewer }) => inbox.list(viewer, query.cursor)),

    bind(markInboxSeen, async ({ body, viewer }) => ({
      cursor: inbox.markSeen(viewer, body.cursor, body.shown),
    })),

    bind(ventsSince, ({ query, viewer }) => inbox.countSince(viewer, query.cursor)),
  ];
}
