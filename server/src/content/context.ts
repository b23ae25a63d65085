import type { ContentBase } from '../kernel/base.ts';
import type { ItemKind } from '../kernel/person-keys.ts';
import type { createBatcherOn } from '../platform/batch.ts';
import type { createKeyAead } from '../platform/crypto/aead.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import type { AuthoredComments } from './comments/authored-comments.ts';
import type { CommentsService } from './comments/comments.ts';
import type { listNewest } from './feed/feed.hot.queries.ts';
import type { createSearchLimit, FeedPage } from './feed/feed.ts';
import type { Ranked } from './feed/trending.ts';
import type { Rhythm } from './held/rhythm.ts';
import type { Removals, SlotItems } from './leaving/leaving.ts';
import type { createTicketCipher } from './leaving/ticket.ts';
import type { createHeardCache } from './listening/heard.ts';
import type { ListeningFigures } from './listening/listening.metrics.ts';
import type { WaitingList } from './listening/waiting-list.ts';
import type { ContentPorts } from './ports.ts';
import type { Slots } from './slots/slots.ts';
import type { AuthoredVents } from './vents/authored-vents.ts';
import type { VentDeletions } from './vents/deletions.ts';
import type { Idempotency } from './vents/idempotency.ts';
import type { VentLoader } from './vents/vent-loader.ts';
import type { VentsService } from './vents/vents.ts';

/** In the memory of this process. Built first: other rooms invalidate pages too. */
export interface ContentCaches {
  readonly feedCache: LocalCache<FeedPage>;
  readonly waitingCache: LocalCache<true>;
  readonly heardCache: Awaited<ReturnType<typeof createHeardCache>>;
}

/** What every function of this room gets first. Built once, in index.ts. */
export interface ContentContext extends ContentBase, ContentCaches {
  readonly ports: ContentPorts;
  /** When a vent is answered. */
  readonly ventAnswerMs: number;
  readonly heldAead: ReturnType<typeof createKeyAead>;
  /** By key: held vents whose moment comes within the next minute. */
  readonly heldTimers: Map<string, () => void>;
  readRhythm(this: void): Promise<Rhythm>;
  readonly tickets: ReturnType<typeof createTicketCipher>;
  readonly removals: Removals;
  readonly trending: { ranked: Ranked | null };
  readonly searching: ReturnType<typeof createSearchLimit>;
  readonly figures: ListeningFigures;
  readonly waiting: WaitingList;
  readonly batched: {
    readonly listNewest: ReturnType<
      typeof createBatcherOn<
        Parameters<typeof listNewest>[0],
        Parameters<typeof listNewest>[1][number],
        Awaited<ReturnType<typeof listNewest>>[number]
      >
    >;
  };
  readonly slots: Slots;
  readonly items: Record<ItemKind, SlotItems>;
  readonly idempotency: Idempotency;
  readonly vents: VentsService;
  readonly loader: VentLoader;
  readonly authored: AuthoredVents;
  readonly deletions: VentDeletions;
  readonly comments: CommentsService;
  readonly authoredComments: AuthoredComments;
}
