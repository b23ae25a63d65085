import type { Content } from '../content/content.feature.ts';
import type { Identity } from '../identity/identity.feature.ts';
import type { Base, Feature } from '../kernel/base.ts';
import type { Matching } from '../matching/index.ts';
import type { Moderation } from '../moderation/moderation.feature.ts';
import type { RecountPace } from '../platform/live/recount.ts';
import { createLiveTickets } from '../platform/live/tickets.ts';
import { privacyRoutes } from './export-and-erasure.routes.ts';
import { createPrivacyService } from './export-and-erasure.ts';
import { hidingRoutes } from './hiding.routes.ts';
import { createHidingService } from './hiding.ts';
import { inboxRoutes } from './inbox/inbox.routes.ts';
import { createInboxService } from './inbox/inbox.ts';
import { liveRoutes } from './live.routes.ts';
import { createLiveService } from './live-counts.ts';
import { peersRoutes } from './peers.routes.ts';
import { returningRoutes } from './returning.routes.ts';
import { createReturningService } from './returning.ts';

interface Rooms {
  readonly identity: Identity;
  readonly content: Content;
  readonly matching: Matching;
  readonly moderation: Moderation;
}

/** What one person does across schemas. It has services of all of them, and no database. */
export function createPerson(base: Base, rooms: Rooms, pace: RecountPace) {
  const { identity, content, matching, moderation } = rooms;
  const { accounts, cookies, profiles, recovery, sessions, sessionEnds } = identity;
  const { access, authored, authoredComments, comments, feed } = content;
  const hiding = createHidingService({
    ...base,
    store: identity.choices,
    access,
    comments,
    matches: matching,
    profiles,
  });
  const inbox = createInboxService({
    ...base,
    authored,
    comments: authoredComments,
    matching,
    notices: moderation.notices,
    choices: identity.choices,
    recovery,
  });
  const tickets = createLiveTickets(base);
  const live = createLiveService({
    ...base,
    sessions,
    sessionEnds,
    tickets,
    pace,
    unread: inbox,
    newestVentAt: feed.newestAt,
  });
  const parts = [content, matching, moderation, identity].flatMap((room) => room.privacy);
  const privacy = createPrivacyService({ parts, sessions, comments: authoredComments });
  const returning = createReturningService({ accounts, recovery, privacy });
  return {
    live: { tickets, sources: live.sources },
    bindings: [
      ...peersRoutes(profiles, matching),
      ...hidingRoutes(hiding),
      ...inboxRoutes(inbox),
      ...returningRoutes(returning, cookies),
      ...privacyRoutes({ privacy, cookies }),
      ...liveRoutes(live),
    ],
    jobs: [
      {
        name: 'purge-forgotten-accounts',
        cron: '30 21 * * *',
        run: (rows) => returning.purgeForgotten(rows),
      },
    ],
    privacy: parts,
  } satisfies Feature & Record<string, unknown>;
}
