import type { Hiding } from '../kernel/hiding.ts';
import type { PublicName } from '../kernel/people.ts';
import type { EncryptedAuthor } from '../kernel/speakers.ts';
import type { Subject } from '../kernel/subjects.ts';
import type { ContentDb } from '../platform/db.ts';
import type { Reads } from '../platform/standby/reads.ts';
import type { ShutOuts } from './comments/shut-outs.ts';

/** What content needs of other schemas. features.ts hands it in: content imports none of them. */

export interface NamesOfPeople {
  /** Names by speaker id in hex, including departed people whose named comments are not removed yet. */
  namesOfSpeakers(speakerIds: readonly Buffer[]): Promise<ReadonlyMap<string, PublicName>>;
  /** Whether the user's new vents take comments. */
  allowsComments(userId: bigint): Promise<boolean>;
}

export interface FindsHiding {
  /** What a reader does not want to see. Null for most. Cached. */
  findHiding(userId: bigint): Promise<Hiding | null>;
}

export interface FindsSilent {
  /** Whether the owners of these notice slots may not speak now. */
  areSilent(noticeSlots: readonly (readonly Buffer[])[]): Promise<boolean[]>;
}

export interface Holds {
  /** Whether an item has to stay for now, also when its author has left. */
  isHeld(subject: Subject): Promise<boolean>;
}

/**
 * The key by which a vent is closed to the voice of a comment. Moderation alone opens its author. Null where the speaker was
 * copied from another row.
 */
export type CloseKey = (author: EncryptedAuthor) => Buffer | null;

export interface ContentPorts {
  readonly reads: Reads<ContentDb>;
  readonly people: NamesOfPeople;
  readonly choices: FindsHiding;
  readonly holds: Holds;
  readonly silent: FindsSilent;
  /** Whether an operator lets vents be posted. Held ones that are due stay due. */
  areVentsOpen(this: void): boolean;
  /** Of moderation, which alone opens the author of a comment. */
  makeCloseKey(makeKey: ShutOuts['makeKey']): CloseKey;
}
