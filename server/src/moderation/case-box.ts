import type { Sanction } from '@unsaid/contract';
import { createKeyAead, type Aead } from '../platform/crypto/aead.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import { padToPowerOfTwo } from '../platform/padding.ts';
import type { ItemSnapshot } from '../kernel/subjects.ts';

/** The encrypted fields of a case and its notice. Each has a key of its own, so that none opens as another. */
const fields = ['item', 'author', 'note', 'appeal', 'details', 'notice'] as const;
type BoxField = (typeof fields)[number];

/**
 * The encrypted part of a notice. In plain, a sanction above what the points of its own notice give would prove that the
 * same author had earlier ones. Times are in milliseconds since 1970, null without a sanction.
 */
export interface NoticeTerms {
  readonly points: number;
  readonly sanction: Sanction;
  /** Random within six hours of the decision, unless waiting is dangerous. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

interface BoxValues extends Record<BoxField, unknown> {
  readonly item: ItemSnapshot;
  /** The speaker id, in base64url. */
  readonly author: string;
  readonly note: string;
  readonly appeal: string;
  readonly details: string;
  readonly notice: NoticeTerms;
}

const smallest = 1024;

export type CaseBox = ReturnType<typeof createCaseBox>;

/**
 * Encrypts JSON for one row: bound to its subject key or slot key, so that it opens in no other. Padded to a power of two from
 * 1 kB: the length of a copy could otherwise be compared with the lengths of vents.
 */
export function createCaseBox(keys: Keys) {
  const boxes = Object.fromEntries(
    fields.map((field) => [field, createKeyAead(keys, `moderation-${field}/1`)]),
  ) as Record<BoxField, Aead>;
  return {
    seal<F extends BoxField>(field: F, rowKey: Buffer, value: BoxValues[F]): Buffer {
      return boxes[field].seal(Buffer.from(padToPowerOfTwo(JSON.stringify(value), smallest)), rowKey);
    },
    /** Null where the key, the row or a byte differs. */
    open<F extends BoxField>(field: F, rowKey: Buffer, sealed: Buffer): BoxValues[F] | null {
      const plain = boxes[field].open(sealed, rowKey);
      return plain && JSON.parse(plain.toString());
    },
  };
}

/** Appends the note of a moderator to those that are there. Without a note nothing changes. */
export function addNote(
  caseBox: CaseBox,
  { subjectKey, sealedNote }: { readonly subjectKey: Buffer; readonly sealedNote: Buffer | null },
  alias: string,
  note: string | undefined,
): Buffer | null {
  if (!note) return sealedNote;
  const before = sealedNote && caseBox.open('note', subjectKey, sealedNote);
  return caseBox.seal('note', subjectKey, [before, `${alias}: ${note}`].filter(Boolean).join('\n\n'));
}
