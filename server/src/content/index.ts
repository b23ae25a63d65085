import type { ContentBase, Feature } from '../kernel/base.ts';
import { createItemCodec } from '../kernel/public-ids.ts';
import { createBatcherOn } from '../platform/batch.ts';
import { createKeyAead } from '../platform/crypto/aead.ts';
import { createWriteQueue } from '../platform/write-queue.ts';
import { hasNamedComment, listNewestPlaces, readThreads } from './comments/authored-comments.ts';
import * as commentModeration from './comments/comment-moderation.ts';
import { findNamedComment } from './comments/comments.ts';
import { createShutOuts } from './comments/shut-outs.ts';
import { contentJobs } from './content.jobs.ts';
import { contentPrivacy } from './content.privacy.ts';
import { contentRoutes } from './content.routes.ts';
import type { ContentCaches, ContentContext } from './context.ts';
import { listNewest } from './feed/feed.hot.queries.ts';
import { createSearchLimit, findNewestMinute } from './feed/feed.ts';
import { closeHeld } from './held/own-held.ts';
import { createRhythmReader } from './held/rhythm.ts';
import { measureOverdue } from './leaving/leaving.ts';
import { createTicketCipher } from './leaving/ticket.ts';
import { createListeningFigures } from './listening/listening.metrics.ts';
import { createWaitingList } from './listening/waiting-list.ts';
import type { ContentPorts } from './ports.ts';
import { changeReactions, findReactions } from './reactions/reactions.ts';
import { createTakenCounter, findLeavers } from './slots/slots.ts';
import { listWatchedVents } from './vents/authored-vents.ts';
import { createHeaviness } from './vents/heavy.ts';
import { assertVisible } from './vents/vent-access.ts';
import { loadVentLists } from './vents/vent-loader.ts';
import * as ventModeration from './vents/vent-moderation.ts';

export type { OwnCommentPlace, ThreadRow, WatchedThread } from './comments/authored-comments.ts';
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
  const shutOuts = createShutOuts(base.keys);
  const ctx: ContentContext = {
    ...base,
    ...caches,
    ports,
    ventAnswerMs,
    shutOuts,
    closeKey: ports.makeCloseKey(shutOuts.makeKey),
    keyResults: createItemCodec(base.keys, 'result/1'),
    heldAead: createKeyAead(base.keys, 'held-vent/1'),
    heldTimers: new Map(),
    readRhythm: createRhythmReader(base),
    tickets: createTicketCipher(base.keys),
    removals: { plans: new Map(), lastRoundAt: null, measured: null },
    trending: { ranked: null },
    searching: createSearchLimit(),
    figures: createListeningFigures(base),
    waiting: createWaitingList({ ...base, cache: caches.waitingCache }),
    isHeavy: createHeaviness(),
    batched: {
      listNewest: createBatcherOn(listNewest),
      loadVents: createBatcherOn((from, lists) => loadVentLists(ctx, from, lists)),
      findReactions: createBatcherOn(findReactions),
      changeReactions: createWriteQueue((sealedId, asked) => changeReactions(ctx, sealedId, asked)),
      countTaken: createTakenCounter(base.db),
    },
  };
  /** A function as others call it: without the context. */
  const bound =
    <Input extends unknown[], Result>(run: (ctx: ContentContext, ...input: Input) => Result) =>
    (...input: Input) =>
      run(ctx, ...input);
  return {
    ctx,
    access: { assertVisible: bound(assertVisible) },
    authored: { listWatched: bound(listWatchedVents) },
    authoredComments: {
      hasNamedComment: bound(hasNamedComment),
      listNewestPlaces: bound(listNewestPlaces),
      listThreads: bound(readThreads),
    },
    commentModeration: {
      read: bound(commentModeration.readReportedComment),
      apply: bound(commentModeration.applyToComment),
      listExisting: bound(commentModeration.listExistingComments),
      deleteRemoved: bound(commentModeration.deleteRemovedComment),
    },
    comments: { findNamed: bound(findNamedComment) },
    feed: { newestAt: bound(findNewestMinute) },
    /** Held vents of this person go out closed for comments. */
    closeHeld: bound(closeHeld),
    leaving: { overdueMs: bound(measureOverdue) },
    listeningFigures: ctx.figures,
    slots: { findLeavers: bound(findLeavers) },
    ventModeration: {
      read: bound(ventModeration.readReportedVent),
      apply: bound(ventModeration.applyToVent),
      listExisting: bound(ventModeration.listExistingVents),
      findText: bound(ventModeration.findVentText),
      deleteRemoved: bound(ventModeration.deleteRemovedVent),
      rewrite: bound(ventModeration.rewriteVents),
    },
    bindings: contentRoutes(ctx),
    jobs: contentJobs(ctx),
    privacy: contentPrivacy(ctx),
  } satisfies Feature & Record<string, unknown>;
}
