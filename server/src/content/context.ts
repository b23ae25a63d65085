import type { HeardWeek, ReactionCounts, ReactionType } from '@unsaid/contract';
import type { ContentBase } from '../kernel/base.ts';
import type { Person } from '../kernel/person-keys.ts';
import type { createItemCodec } from '../kernel/public-ids.ts';
import type { createKeyAead } from '../platform/crypto/aead.ts';
import type { ContentDb } from '../platform/db.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import type { createSemaphore } from '../platform/semaphore.ts';
import type { ShutOuts } from './comments/shut-outs.ts';
import type { listNewest, NewestPage } from './feed/feed.hot.queries.ts';
import type { TrendingVent } from './feed/feed.queries.ts';
import type { Rhythm } from './held/rhythm.ts';
import type { DueItem } from './leaving/schedule.ts';
import type { createTicketCipher } from './leaving/ticket.ts';
import type { ListeningFigures } from './listening/listening.metrics.ts';
import type { WaitingList } from './listening/waiting-list.ts';
import type { CloseKey, ContentPorts } from './ports.ts';
import type { ReactionKeys } from './reactions/reactions.hot.queries.ts';
import type { ReactionChange } from './reactions/reactions.queries.ts';
import type { Heaviness } from './vents/heavy.ts';
import type { LoadedVents, VentList } from './vents/vents.view.ts';

export interface PageInfo {
  readonly pageCount: number;
  readonly hasOlder: boolean;
}

/** A page that is the same for every reader. */
export interface FeedPage extends LoadedVents, PageInfo {
  readonly bySound?: ReadonlySet<bigint>;
}

export interface NewestWeek {
  readonly week: HeardWeek | null;
}

/** What readers ranked for themselves, where no worker wrote the list. */
interface Ranked {
  readonly at: number;
  readonly list: Promise<TrendingVent[]>;
}

/** What the job remembers between rounds. */
interface Removals {
  plans: Map<string, RemovalPlan>;
  lastRoundAt: number | null;
  measured: { readonly at: number; readonly overdue: number } | null;
}

/** A decrypted ticket with its schedule. Cached between rounds, which run every minute. */
export interface RemovalPlan {
  readonly ticket: Buffer;
  readonly ticketKey: Buffer;
  readonly ends: number;
  /** Until then the plan has the items that become due. The worker keeps no others in memory. */
  readonly until: number;
  /** Sorted with the next due item last. */
  readonly upcoming: DueItem[];
  /** Items that are due and existed when they became due. */
  due: DueItem[];
  /** Due, but in a severe case that is not closed. */
  held: DueItem[];
}

export interface AskedChange {
  readonly person: Person;
  readonly kind: ReactionType;
  readonly change: ReactionChange;
}

export interface ChangedReactions {
  readonly ventId: bigint;
  isOwnOf(person: Person): boolean;
  /** Null where none changed. */
  readonly counts: ReactionCounts | null;
}

/** In the memory of this process. Built first: other rooms invalidate pages too. */
export interface ContentCaches {
  readonly feedCache: LocalCache<FeedPage>;
  readonly waitingCache: LocalCache<true>;
  readonly heardCache: LocalCache<NewestWeek>;
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
  readonly searching: ReturnType<typeof createSemaphore>;
  readonly figures: ListeningFigures;
  readonly waiting: WaitingList;
  readonly isHeavy: Heaviness;
  /** Concurrent calls share a statement, or a transaction. */
  readonly batched: {
    listNewest(from: ContentDb, page: NewestPage): Promise<Awaited<ReturnType<typeof listNewest>>[number]>;
    loadVents(from: ContentDb, list: VentList): Promise<LoadedVents>;
    findReactions(from: ContentDb, keys: ReactionKeys): Promise<ReadonlySet<number>>;
    changeReactions(sealedId: string, asked: AskedChange): Promise<ChangedReactions>;
    countTaken(takenKeys: readonly Buffer[]): Promise<number>;
  };
}
