import type { getGrievanceOfficer, ResponseOf } from '@unsaid/contract';
import type { ProfileTexts } from '../kernel/profile-texts.ts';
import type { ItemCopy, Subject, SubjectOf } from '../kernel/subjects.ts';
import type { Viewer } from '../kernel/viewer.ts';

/** What moderation needs of other schemas. features.ts hands it in: moderation imports none of them. */

export type ItemEffect = 'hide' | 'remove' | 'restore';

interface ReadsItems<S extends Subject> {
  /** In every state but deleted by its author. Throws the not-found error of its kind. */
  read(subject: S): Promise<ItemCopy>;
  /** Without those that their authors deleted. */
  listExisting(subjects: readonly S[]): Promise<readonly S[]>;
}

interface ModeratedItems<S extends Subject> extends ReadsItems<S> {
  /** Nothing happens where the state does not allow it: repeated, or deleted by its author. */
  apply(subject: S, effect: ItemEffect): Promise<void>;
  /** Deletes the row of an item that was removed, with everything that refers to it. */
  deleteRemoved(subject: S): Promise<void>;
}

export interface ModeratedVents extends ModeratedItems<SubjectOf<'vent'>> {
  /** The vent as a stranger reads it. Null where strangers cannot. */
  findText(ventId: bigint): Promise<{ readonly title: string; readonly body: string } | null>;
  /** Nightly: rewrites these rows in the order of their ids. */
  rewrite(ventIds: readonly bigint[]): Promise<void>;
}

/** A decision empties the texts of a profile, or puts them back. */
export interface ModeratedProfiles extends ReadsItems<SubjectOf<'profile'>> {
  /** Null for an account that no longer exists. */
  findTexts(userId: bigint): Promise<ProfileTexts | null>;
  /** Empties the texts if they are still these. False where they were changed meanwhile. */
  clear(userId: bigint, texts: ProfileTexts): Promise<boolean>;
  /** Puts texts back where there is nothing now: what the person wrote since stays. */
  restore(userId: bigint, texts: ProfileTexts): Promise<void>;
}

interface Items {
  readonly vent: ModeratedVents;
  readonly comment: ModeratedItems<SubjectOf<'comment'>>;
  readonly profile: ModeratedProfiles;
}

interface KnowsPeople {
  /** Whole days since the account was made. 0 if it is gone. */
  ageInDays(userId: bigint): Promise<number>;
  /** What a person's keys are derived from. Undefined if the account is gone. */
  findBySpeaker(speakerId: Buffer): Promise<{ authorSeed: Buffer; speakerId: Buffer } | undefined>;
}

export interface ModerationPorts {
  readonly items: Items;
  readonly people: KnowsPeople;
  /** As in the configuration. */
  readonly imprint: Pick<ResponseOf<typeof getGrievanceOfficer>, 'officer' | 'operator'>;
  /** The account behind the id that this viewer knows a peer by. */
  findPeer(viewer: Viewer, shownId: string): Promise<bigint | null>;
}
