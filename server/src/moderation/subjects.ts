import type { SubjectKind } from '@unsaid/contract';
import { blockBytes, createBlock } from '../platform/crypto/block.ts';
import type { Keys } from '../platform/crypto/keys.ts';

/** The item that a case is about. */
export type Subject =
  | { readonly kind: 'vent'; readonly ventId: bigint }
  | { readonly kind: 'comment'; readonly ventId: bigint; readonly no: number }
  | { readonly kind: 'profile'; readonly userId: bigint };

/** A subject as one AES block: the same item always has the same key, and without the master key it names none. */
export interface Subjects {
  keyOf(subject: Subject): Buffer;
  /** Throws for a key that this codec did not make. */
  open(subjectKey: Buffer): Subject;
}

const codes: Record<SubjectKind, number> = { vent: 1, comment: 2, profile: 3 };

export function createSubjects(keys: Keys): Subjects {
  const block = createBlock(keys.permanent('moderation-subject/1'));
  return {
    keyOf(subject) {
      const plain = Buffer.alloc(blockBytes);
      plain.writeBigInt64BE(subject.kind === 'profile' ? subject.userId : subject.ventId);
      plain.writeUInt32BE(subject.kind === 'comment' ? subject.no : 0, 8);
      plain.writeUInt32BE(codes[subject.kind], 12);
      return block.encrypt(plain);
    },
    open(subjectKey) {
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
