import type { Emotion, MatchReason } from '@unsaid/contract';
import { createBox } from '../platform/boxes.ts';
import type { Keys } from '../platform/keys.ts';
import type { PublicName } from '../profiles/profiles.service.ts';

/** What a pair was made with, fixed from then on. */
export interface PairDetails {
  readonly score: number;
  readonly emotions: readonly Emotion[];
  readonly reasons: readonly Pick<MatchReason, 'kind' | 'about'>[];
  /** The other's name and picture as each side last saw them when answering: an ended pair follows no later name. */
  readonly seenBy?: Partial<Record<'a' | 'b', PublicName>>;
}

/** Padded to steps of this size: the exact length would tell which interest is quoted. */
const stepBytes = 512;

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
      if (!plain) throw new Error('the details of a pair were encrypted under another key');
      return JSON.parse(plain.toString('utf8')) as PairDetails;
    },
  };
}
