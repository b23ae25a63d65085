import { createAead, type Aead } from '../platform/crypto/aead.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import { padToPowerOfTwo } from '../platform/padding.ts';
import type { ItemSnapshot } from './item-snapshot.ts';

/** The encrypted fields of a case. Each has a key of its own, so that none opens as another. */
const fields = ['item', 'author', 'note', 'appeal', 'details'] as const;
type BoxField = (typeof fields)[number];

interface BoxValues extends Record<BoxField, unknown> {
  readonly item: ItemSnapshot;
  /** The speaker id, in base64url. */
  readonly author: string;
  readonly note: string;
  readonly appeal: string;
  readonly details: string;
}

/**
 * Encrypts JSON for one case: bound to its subject key, so that it opens in no other row. Padded to a power of two from
 * 1 kB: the length of a copy could otherwise be compared with the lengths of vents.
 */
export interface CaseBox {
  seal<F extends BoxField>(field: F, subjectKey: Buffer, value: BoxValues[F]): Buffer;
  /** Null where the key, the row or a byte differs. */
  open<F extends BoxField>(field: F, subjectKey: Buffer, sealed: Buffer): BoxValues[F] | null;
}

const smallest = 1024;

export function createCaseBox(keys: Keys): CaseBox {
  const boxes = Object.fromEntries(
    fields.map((field) => [field, createAead(keys.permanent(`moderation-${field}/1`))]),
  ) as Record<BoxField, Aead>;
  return {
    seal: (field, subjectKey, value) =>
      boxes[field].seal(Buffer.from(padToPowerOfTwo(JSON.stringify(value), smallest)), subjectKey),
    open(field, subjectKey, sealed) {
      const plain = boxes[field].open(sealed, subjectKey);
      return plain && JSON.parse(plain.toString());
    },
  };
}
