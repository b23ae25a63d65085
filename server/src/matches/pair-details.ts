import type { Emotion, MatchReason } from '@unsaid/contract';
import { createBox } from '../platform/boxes.ts';
import type { Keys } from '../platform/keys.ts';

/** What a pair was made with, fixed from then on. */
export interface PairDetails {
  readonly score: number;
  readonly emotions: readonly Emotion[];
  readonly reasons: readonly Pick<MatchReason, 'kind' | 'about'>[];
  /** Which of the two had said no before it was made anew, and to what score. */
  readonly refused?: { readonly by: 'a' | 'b'; readonly score: number };
}

/** In steps this long: the exact length would tell which interest is quoted. */
const stepBytes = 256;

export interface PairBox {
  seal(details: PairDetails, aKey: Buffer, bKey: Buffer): Buffer;
  open(sealed: Buffer, aKey: Buffer, bKey: Buffer): PairDetails;
}

export function createPairBox(keys: Keys): PairBox {
  const box = createBox(keys.lasting('match-pair/1'));
  return {
    seal(details, aKey, bKey) {
      const text = Buffer.from(JSON.stringify(details));
      const padded = Buffer.alloc(Math.ceil(text.length / stepBytes) * stepBytes, ' ');
      text.copy(padded);
      return box.seal(padded, Buffer.concat([aKey, bKey]));
    },
    open(sealed, aKey, bKey) {
      const plain = box.open(sealed, Buffer.concat([aKey, bKey]));
      if (!plain) throw new Error('a pair was sealed under another key');
      return JSON.parse(plain.toString('utf8')) as PairDetails;
    },
  };
}
