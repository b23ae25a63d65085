import type { ContentBase, Feature } from '../kernel/base.ts';
import type { ContentDb } from '../platform/db.ts';
import type { Reads } from '../platform/standby/reads.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import { createAuthoredComments } from './comments/authored-comments.ts';
import { createCommentModeration } from './comments/comment-moderation.ts';
import { commentsPrivacy } from './comments/comments.privacy.ts';
import { commentsRoutes } from './comments/comments.routes.ts';
import { createCommentsService } from './comments/comments.ts';
import { createShutOuts, type ShutOuts } from './comments/shut-outs.ts';
import { contentJobs } from './content.jobs.ts';
import { createFeedService, type FeedPage } from './feed/feed.ts';
import { createTrending } from './feed/trending.ts';
import { heldVentsPrivacy } from './held/held-vents.privacy.ts';
import { heldVentsRoutes } from './held/held-vents.routes.ts';
import { createHeldVents } from './held/held-vents.ts';
import { createOwnHeld } from './held/own-held.ts';
import { leavingPrivacy } from './leaving/leaving.privacy.ts';
import { createLeavingService } from './leaving/leaving.ts';
import { createHeardService, type createHeardCache } from './listening/heard.ts';
import { createListeningFigures } from './listening/listening.metrics.ts';
import { listeningPrivacy } from './listening/listening.privacy.ts';
import { listeningRoutes } from './listening/listening.routes.ts';
import { createListeningService } from './listening/listening.ts';
import { createWaitingList } from './listening/waiting-list.ts';
import type { CloseKey, FindsHiding, FindsSilent, Holds, NamesOfPeople } from './ports.ts';
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

interface ContentPorts {
  readonly reads: Reads<ContentDb>;
  readonly people: NamesOfPeople;
  readonly choices: FindsHiding;
  readonly holds: Holds;
  readonly silent: FindsSilent;
  /** Whether an operator lets vents be posted. */
  areVentsOpen(this: void): boolean;
  readonly ventAnswerMs: number;
  /** Of moderation, which alone opens the author of a comment. */
  makeCloseKey(makeKey: ShutOuts['makeKey']): CloseKey;
  readonly feedCache: LocalCache<FeedPage>;
  readonly waitingCache: LocalCache<true>;
  readonly heardCache: Awaited<ReturnType<typeof createHeardCache>>;
}

export type Content = ReturnType<typeof createContent>;

/** Vents, comments and reactions: everything in the schema content, which knows no persons. */
export function createContent(
  base: ContentBase,
  {
    reads,
    people,
    choices,
    holds,
    silent,
    areVentsOpen,
    ventAnswerMs,
    makeCloseKey,
    feedCache,
    waitingCache,
    heardCache,
  }: ContentPorts,
) {
  const slots = createSlots(base);
  const waiting = createWaitingList({ ...base, cache: waitingCache });
  const access = createVentAccess({ ...base, feedCache, waiting });
  const idempotency = createIdempotency(base);
  const figures = createListeningFigures(base);
  const heard = createHeardService({ ...base, cache: heardCache });
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
    closeKey: makeCloseKey(shutOuts.makeKey),
    figures,
  });
  const authoredComments = createAuthoredComments({ ...base, slots, access });
  const authored = createAuthoredVents({ ...base, slots });
  const loader = createVentLoader({ ...base, reactions, comments, choices });
  const listening = createListeningService({ ...base, waiting, loader, figures });
  const trending = createTrending({ ...base, feedCache });
  const feed = createFeedService({ ...base, authored, loader, trending, feedCache });
  const ownHeld = createOwnHeld({ ...base, slots });
  const vents = createVentsService({
    ...base,
    slots,
    ownHeld,
    people,
    idempotency,
    authored,
    loader,
    feedCache,
  });
  const held = createHeldVents({
    ...base,
    slots,
    idempotency,
    vents,
    ownHeld,
    silent,
    areVentsOpen,
    feedCache,
  });
  const deletions = createVentDeletions({ ...base, holds, feedCache });
  const leaving = createLeavingService({
    ...base,
    slots,
    items: { vent: deletions, comment: authoredComments },
    holds,
    feedCache,
  });
  return {
    access,
    authored,
    authoredComments,
    commentModeration: createCommentModeration({ ...base, access }),
    comments,
    feed,
    /** Held vents of this person go out closed for comments. */
    closeHeld: ownHeld.closeAll,
    leaving,
    listeningFigures: figures,
    reactions,
    slots,
    ventModeration: createVentModeration({ ...base, feedCache }),
    bindings: [
      ...ventsRoutes({ vents, held, feed, authored, reads, answerMs: ventAnswerMs }),
      ...heldVentsRoutes(held),
      ...reactionsRoutes(reactions),
      ...commentsRoutes(comments, reads),
      ...listeningRoutes(listening, heard),
    ],
    jobs: contentJobs({
      slots,
      comments,
      leaving,
      held,
      heard,
      deletions,
      idempotency,
      trending,
    }),
    privacy: [
      slotsPrivacy(slots),
      leavingPrivacy(leaving),
      ventsPrivacy(authored),
      heldVentsPrivacy(held),
      commentsPrivacy(authoredComments),
      reactionsPrivacy(),
      listeningPrivacy(),
    ],
  } satisfies Feature & Record<string, unknown>;
}
