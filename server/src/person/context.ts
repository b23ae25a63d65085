import type { Content } from '../content/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Base } from '../kernel/base.ts';
import type { PrivacyPart } from '../kernel/privacy-registry.ts';
import type { Matching } from '../matching/index.ts';
import type { Moderation } from '../moderation/index.ts';
import type { createCountedCodec } from '../platform/live/counted.ts';
import type { RecountPace } from '../platform/live/recount.ts';
import type { LiveTickets } from '../platform/live/tickets.ts';
import type { CursorCodec } from './inbox/inbox-cursor.ts';

export interface Rooms {
  readonly identity: Identity;
  readonly content: Content;
  readonly matching: Matching;
  readonly moderation: Moderation;
}

/** Whoever looks for what is unread after a cursor. */
export interface CursorOf {
  readonly userId: bigint;
  readonly cursor: string | undefined;
}

/** What every function of this room gets first. It has the other rooms, and no database. Built once, in index.ts. */
export interface PersonContext extends Base, Rooms {
  readonly parts: readonly PrivacyPart[];
  readonly pace: RecountPace;
  readonly tickets: LiveTickets;
  readonly counted: ReturnType<typeof createCountedCodec>;
  readonly cursors: CursorCodec;
  /** After an outage many connect at once: those of one turn of the event loop share a statement. */
  readonly batched: {
    countMatches(of: CursorOf): Promise<number>;
    newestVentAt(of: null): Promise<string | null>;
  };
}
