import type { ModerationBase } from '../kernel/base.ts';
import type { Person } from '../kernel/person-keys.ts';
import type { EncryptedAuthor, Speakers, Voice } from '../kernel/speakers.ts';
import type { CaseBox } from './case-box.ts';

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

interface AuthorsDeps extends Pick<ModerationBase, 'speakers' | 'persons'> {
  readonly caseBox: CaseBox;
  findBySpeaker(speakerId: Buffer): Promise<{ authorSeed: Buffer; speakerId: Buffer } | undefined>;
}

export function createAuthors({ speakers, persons, caseBox, findBySpeaker }: AuthorsDeps): Authors {
  const sealSpeaker = (subjectKey: Buffer, speakerId: Buffer) =>
    caseBox.seal('author', subjectKey, speakerId.toString('base64url'));
  return {
    // No bytes name nobody.
    seal: (subjectKey, author) => sealSpeaker(subjectKey, speakers.open(author) ?? Buffer.alloc(0)),
    sealSpeaker,
    async find(subjectKey, sealedAuthor) {
      const speakerId = sealedAuthor && caseBox.open('author', subjectKey, sealedAuthor);
      if (!speakerId) return null;
      const row = await findBySpeaker(Buffer.from(speakerId, 'base64url'));
      return row ? persons(row) : null;
    },
  };
}

/** Closes a vent to the voice of a comment, and no more. Its writer is recognised by the key. */
export function createCloseKey(
  speakers: Speakers,
  makeKey: (ventId: bigint, voice: Voice, speakerId: Buffer) => Buffer,
): (author: EncryptedAuthor) => Buffer | null {
  return (author) => {
    const speakerId = speakers.open(author);
    return speakerId && makeKey(author.ventId, author.voice, speakerId);
  };
}
