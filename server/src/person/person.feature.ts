import type { Content } from '../content/content.feature.ts';
import type { Identity } from '../identity/index.ts';
import type { Base, Feature } from '../kernel/base.ts';
import type { Matching } from '../matching/matching.feature.ts';
import type { Moderation } from '../moderation/moderation.feature.ts';
import type { RecountPace } from '../platform/live/recount.ts';
import { createLiveTickets } from '../platform/live/tickets.ts';
import { privacyRoutes } from './export-and-erasure/privacy.routes.ts';
import { createPrivacyService } from './export-and-erasure/privacy.service.ts';
import { hidingRoutes } from './hiding/hiding.routes.ts';
import { createHidingService } from './hiding/hiding.service.ts';
import { inboxRoutes } from './inbox/inbox.routes.ts';
import { createInboxService } from './inbox/inbox.service.ts';
import { liveRoutes } from './live/live.routes.ts';
import { createLiveService } from './live/live.service.ts';
import { peersRoutes } from './peers/peers.routes.ts';
import { returningRoutes } from './returning/returning.routes.ts';
import { createReturningService } from './returning/returning.service.ts';

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
    matches: { end: matching.decisions.end, findPeer: matching.history.findPeer },
    profiles,
  });
  const inbox = createInboxService({
    ...base,
    authored,
    comments: authoredComments,
    matchHistory: matching.history,
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
      ...peersRoutes(profiles, matching.history),
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
