import type { SubjectKind } from '@unsaid/contract';
import { blockBytes, createBlock } from '../platform/crypto/block.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import type { ProfileTexts } from './profile-texts.ts';
import type { EncryptedAuthor } from './speakers.ts';

/** The item that a case is about. */
export type Subject =
  | { readonly kind: 'vent'; readonly ventId: bigint }
  | { readonly kind: 'comment'; readonly ventId: bigint; readonly no: number }
  | { readonly kind: 'profile'; readonly userId: bigint };

export type SubjectOf<K extends SubjectKind> = Extract<Subject, { kind: K }>;

/** The author of a vent or comment, as on its row, or the owner of a profile. */
export type ItemAuthor = EncryptedAuthor | { readonly speakerId: Buffer };

/** What is stored, encrypted, of a reported item: the text as it was, and what a notice calls it by. */
export interface ItemSnapshot {
  /** Labelled text, as a reader saw it. No name but that of a reported profile. */
  readonly paragraphs: readonly { readonly label: string; readonly text: string }[];
  /** The title of a vent, or the beginning of a comment. Null for a profile. */
  readonly excerpt: string | null;
  /** Set by effects.ts: what was on the profile when it was emptied, to be put back. Kept when the rest is replaced. */
  readonly cleared?: ProfileTexts;
}

/** Labelled texts without the empty ones. */
export const filled = (paragraphs: ItemSnapshot['paragraphs']) =>
  paragraphs.filter(({ text }) => text !== '');

/** What moderation reads of an item: never its row. */
export interface ItemCopy {
  readonly snapshot: ItemSnapshot;
  readonly author: ItemAuthor;
  /** All that the author wrote, for guards and the language. */
  readonly words: string;
  /** The error that readers get for it. Null where they see it. */
  readonly unseenAs: 'VENT_NOT_FOUND' | 'COMMENT_NOT_FOUND' | null;
}

/** A subject as one AES block: the same item always has the same key, and without its key it names none. */
export type Subjects = ReturnType<typeof createSubjects>;

const codes: Record<SubjectKind, number> = { vent: 1, comment: 2, profile: 3 };

export function createSubjects(keys: Keys) {
  const block = createBlock(keys.of('moderation-subject/1'));
  return {
    keyOf(subject: Subject): Buffer {
      const plain = Buffer.alloc(blockBytes);
      plain.writeBigInt64BE(subject.kind === 'profile' ? subject.userId : subject.ventId);
      plain.writeUInt32BE(subject.kind === 'comment' ? subject.no : 0, 8);
      plain.writeUInt32BE(codes[subject.kind], 12);
      return block.encrypt(plain);
    },
    /** Throws for a key that this codec did not make. */
    open(subjectKey: Buffer): Subject {
      const plain = block.decrypt(subjectKey);
      const id = plain.readBigInt64BE();
      switch (plain.readUInt32BE(12)) {
        case codes.vent:
          return { kind: 'vent', ventId: id };
        case codes.comment:
          return { kind: 'comment', ventId: id, no: plain.readUInt32BE(8) };
        case codes.profile:
          return { kind: 'profile', userId: id };
        default:
          throw new Error('not a subject key');
      }
    },
  };
}
