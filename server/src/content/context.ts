import type { ContentBase } from '../kernel/base.ts';
import type { createItemCodec } from '../kernel/public-ids.ts';
import type { createKeyAead } from '../platform/crypto/aead.ts';
import type { ContentDb } from '../platform/db.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import type { ShutOuts } from './comments/shut-outs.ts';
import type { listNewest, NewestPage } from './feed/feed.hot.queries.ts';
import type { createSearchLimit, FeedPage } from './feed/feed.ts';
import type { Ranked } from './feed/trending.ts';
import type { Rhythm } from './held/rhythm.ts';
import type { Removals } from './leaving/leaving.ts';
import type { createTicketCipher } from './leaving/ticket.ts';
import type { createHeardCache } from './listening/heard.ts';
import type { ListeningFigures } from './listening/listening.metrics.ts';
import type { WaitingList } from './listening/waiting-list.ts';
import type { CloseKey, ContentPorts } from './ports.ts';
import type { ReactionKeys } from './reactions/reactions.hot.queries.ts';
import type { AskedChange, changeReactions } from './reactions/reactions.ts';
import type { Heaviness } from './vents/heavy.ts';
import type { LoadedVents, VentList } from './vents/vent-loader.ts';

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
  readonly shutOuts: ShutOuts;
  closeKey: CloseKey;
  /** Encrypts what a key of idempotency made. */
  readonly keyResults: ReturnType<typeof createItemCodec>;
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
  readonly isHeavy: Heaviness;
  /** Concurrent calls share a statement, or a transaction. */
  readonly batched: {
    listNewest(from: ContentDb, page: NewestPage): Promise<Awaited<ReturnType<typeof listNewest>>[number]>;
    loadVents(from: ContentDb, list: VentList): Promise<LoadedVents>;
    findReactions(from: ContentDb, keys: ReactionKeys): Promise<ReadonlySet<number>>;
    changeReactions(sealedId: string, asked: AskedChange): ReturnType<typeof changeReactions>;
    countTaken(takenKeys: readonly Buffer[]): Promise<number>;
  };
}
