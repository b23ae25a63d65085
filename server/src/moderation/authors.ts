import type { ShutOutKey } from '../comments/shut-outs.ts';
import type { Person, Persons } from '../pseudonyms/person-keys.ts';
import type { Speakers, Voice } from '../pseudonyms/speakers.ts';
import type { CaseBox } from './case-box.ts';

/** The encrypted author as it is on the row of an item. */
export interface EncryptedAuthor {
  readonly voice: Voice;
  readonly speaker: Buffer;
}

/** The author of a vent or comment, as on its row, or the owner of a profile. */
export type ItemAuthor = EncryptedAuthor | { readonly speakerId: Buffer };

/**
 * The only place that opens the author of an item that shows no name. What it learns goes into an encrypted field and
 * into slot keys, never into a column, a log line or a response.
 */
export interface Authors {
  /** The author of a reported item, for `sealed_author`. */
  seal(subjectKey: Buffer, author: EncryptedAuthor): Buffer;
  /** The author of a profile is its owner. */
  sealSpeaker(subjectKey: Buffer, speakerId: Buffer): Buffer;
  /** Null if the account is gone, or the field was emptied. */
  find(subjectKey: Buffer, sealedAuthor: Buffer | null): Promise<Person | null>;
}

interface AuthorsDeps {
  readonly speakers: Speakers;
  readonly persons: Persons;
  readonly caseBox: CaseBox;
  findBySpeaker(speakerId: Buffer): Promise<{ authorSeed: Buffer; speakerId: Buffer } | undefined>;
}

export function createAuthors({ speakers, persons, caseBox, findBySpeaker }: AuthorsDeps): Authors {
  const sealSpeaker = (subjectKey: Buffer, speakerId: Buffer) =>
    caseBox.seal('author', subjectKey, speakerId.toString('base64url'));
  return {
    seal: (subjectKey, { voice, speaker }) => sealSpeaker(subjectKey, speakers.open(voice, speaker)),
    sealSpeaker,
    async find(subjectKey, sealedAuthor) {
      const speakerId = sealedAuthor && caseBox.open('author', subjectKey, sealedAuthor);
      if (!speakerId) return null;
      const row = await findBySpeaker(Buffer.from(speakerId, 'base64url'));
      return row ? persons(row) : null;
    },
  };
}

/** The key by which a vent is closed to the voice of a comment, and no more. Its writer computes the same key. */
export type CloseKey = (ventId: bigint, author: EncryptedAuthor) => Buffer;

export function createCloseKey(speakers: Speakers, shutOutKey: ShutOutKey): CloseKey {
  return (ventId, { voice, speaker }) => shutOutKey(ventId, voice, speakers.open(voice, speaker));
}
