import type { ContentBase, Feature } from '../kernel/base.ts';
import type { Person } from '../kernel/person-keys.ts';
import { createBatcherOn } from '../platform/batch.ts';
import { createKeyAead } from '../platform/crypto/aead.ts';
import { createAuthoredComments } from './comments/authored-comments.ts';
import { createCommentModeration } from './comments/comment-moderation.ts';
import { commentsPrivacy } from './comments/comments.privacy.ts';
import { commentsRoutes } from './comments/comments.routes.ts';
import { createCommentsService } from './comments/comments.ts';
import { createShutOuts } from './comments/shut-outs.ts';
import { contentJobs } from './content.jobs.ts';
import type { ContentCaches, ContentContext } from './context.ts';
import { listNewest } from './feed/feed.hot.queries.ts';
import { createSearchLimit, findNewestMinute } from './feed/feed.ts';
import { heldVentsPrivacy } from './held/held-vents.privacy.ts';
import { heldVentsRoutes } from './held/held-vents.routes.ts';
import { closeHeld, countAlike } from './held/own-held.ts';
import { createRhythmReader } from './held/rhythm.ts';
import { leavingPrivacy } from './leaving/leaving.privacy.ts';
import { measureOverdue } from './leaving/leaving.ts';
import { createTicketCipher } from './leaving/ticket.ts';
import { createListeningFigures } from './listening/listening.metrics.ts';
import { listeningPrivacy } from './listening/listening.privacy.ts';
import { listeningRoutes } from './listening/listening.routes.ts';
import { createWaitingList } from './listening/waiting-list.ts';
import type { ContentPorts } from './ports.ts';
import { reactionsPrivacy } from './reactions/reactions.privacy.ts';
import { reactionsRoutes } from './reactions/reactions.routes.ts';
import { createReactionsService } from './reactions/reactions.ts';
import { slotsPrivacy } from './slots/slots.privacy.ts';
import { createSlots } from './slots/slots.ts';
import { createAuthoredVents } from './vents/authored-vents.ts';
import { createVentDeletions } from './vents/deletions.ts';
import { createIdempotency } from './vents/idempotency.ts';
import { createVentAccess } from './vents/vent-access.ts';
import { createVentLoader } from './vents/vent-loader.ts';
import { createVentModeration } from './vents/vent-moderation.ts';
import { ventsPrivacy } from './vents/vents.privacy.ts';
import { ventsRoutes } from './vents/vents.routes.ts';
import { createVentsService } from './vents/vents.ts';

export { createFeedCache } from './feed/feed.ts';
export { createHeardCache } from './listening/heard.ts';
export { createWaitingCache } from './listening/waiting-list.ts';

export type Content = ReturnType<typeof createContent>;

/** Vents, comments and reactions: everything in the schema content, which knows no persons. */
export function createContent(
  base: ContentBase,
  ports: ContentPorts,
  { ventAnswerMs, ...caches }: ContentCaches & { readonly ventAnswerMs: number },
) {
  const { people, choices, holds } = ports;
  const { feedCache, waitingCache } = caches;
  const slots = createSlots(base);
  const waiting = createWaitingList({ ...base, cache: waitingCache });
  const access = createVentAccess({ ...base, feedCache, waiting });
  const idempotency = createIdempotency(base);
  const figures = createListeningFigures(base);
  const reactions = createReactionsService({ ...base, access });
  const shutOuts = createShutOuts(base.keys);
  const comments = createCommentsService({
    ...base,
    slots,
    access,
    idempotency,
    people,
    choices,
    shutOuts,
    closeKey: ports.makeCloseKey(shutOuts.makeKey),
    figures,
  });
  const authoredComments = createAuthoredComments({ ...base, slots, access });
  const authored = createAuthoredVents({ ...base, slots });
  const loader = createVentLoader({ ...base, reactions, comments, choices });
  const deletions = createVentDeletions({ ...base, holds, feedCache });
  const vents = createVentsService({
    ...base,
    slots,
    ownHeld: {
      countAlike: (person, number, words) => countAlike(ctx, person, number, words),
      closeAll: (person) => closeHeld(ctx, person),
    },
    people,
    idempotency,
    authored,
    loader,
    feedCache,
  });
  const ctx: ContentContext = {
    ...base,
    ...caches,
    ports,
    ventAnswerMs,
    heldAead: createKeyAead(base.keys, 'held-vent/1'),
    heldTimers: new Map(),
    readRhythm: createRhythmReader(base),
    tickets: createTicketCipher(base.keys),
    removals: { plans: new Map(), lastRoundAt: null, measured: null },
    trending: { ranked: null },
    searching: createSearchLimit(),
    figures,
    waiting,
    batched: { listNewest: createBatcherOn(listNewest) },
    slots,
    items: { vent: deletions, comment: authoredComments },
    idempotency,
    vents,
    loader,
    authored,
    deletions,
    comments,
    authoredComments,
  };
  return {
    access,
    authored,
    authoredComments,
    commentModeration: createCommentModeration({ ...base, access }),
    comments,
    feed: { newestAt: () => findNewestMinute(ctx) },
    /** Held vents of this person go out closed for comments. */
    closeHeld: (person: Person) => closeHeld(ctx, person),
    leaving: { overdueMs: () => measureOverdue(ctx) },
    listeningFigures: figures,
    slots,
    ventModeration: createVentModeration({ ...base, feedCache }),
    bindings: [
      ...ventsRoutes(ctx),
      ...heldVentsRoutes(ctx),
      ...reactionsRoutes(reactions),
      ...commentsRoutes(comments, ports.reads),
      ...listeningRoutes(ctx),
    ],
    jobs: contentJobs(ctx),
    privacy: [
      slotsPrivacy(slots),
      leavingPrivacy(ctx),
      ventsPrivacy(authored),
      heldVentsPrivacy(ctx),
      commentsPrivacy(authoredComments),
      reactionsPrivacy(),
      listeningPrivacy(),
    ],
  } satisfies Feature & Record<string, unknown>;
}
