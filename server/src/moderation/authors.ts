import type { Person } from '../kernel/person-keys.ts';
import type { EncryptedAuthor, Speakers, Voice } from '../kernel/speakers.ts';
import type { ItemAuthor } from '../kernel/subjects.ts';
import type { ModerationContext, ModerationCore } from './context.ts';

/**
 * The only place that opens the author of an item that shows no name. What it learns goes into an encrypted field and
 * into slot keys, never into a column, a log line or a response.
 */

/** The author of a reported item, for `sealed_author`. Of a profile: its owner. */
export function sealAuthor({ speakers, caseBox }: ModerationCore, subjectKey: Buffer, author: ItemAuthor) {
  // No bytes name nobody.
  const speakerId = 'speaker' in author ? (speakers.open(author) ?? Buffer.alloc(0)) : author.speakerId;
  return caseBox.seal('author', subjectKey, speakerId.toString('base64url'));
}

/** Null if the account is gone, or the field was emptied. */
export async function findAuthor(
  { caseBox, persons, ports }: ModerationContext,
  { subjectKey, sealedAuthor }: { readonly subjectKey: Buffer; readonly sealedAuthor: Buffer | null },
): Promise<Person | null> {
  const speakerId = sealedAuthor && caseBox.open('author', subjectKey, sealedAuthor);
  if (!speakerId) return null;
  const row = await ports.people.findBySpeaker(Buffer.from(speakerId, 'base64url'));
  return row ? persons(row) : null;
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
