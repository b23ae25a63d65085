import type { Emotion, MatchReason } from '@unsaid/contract';
import { createBox } from '../platform/boxes.ts';
import type { Day } from '../platform/clock.ts';
import type { Keys } from '../platform/keys.ts';
import type { PublicName } from '../profiles/profiles.service.ts';
import type { Answer } from './matches.state.ts';

export type Side = 'a' | 'b';

/** What one of the two has done. */
export interface SideDetails {
  readonly answer: Answer;
  /** The day of the answer, and its position among the answers of that day that one of the two can see. */
  readonly on: Day | null;
  readonly order: number;
  /** The other's name and picture as they were at one's answer: an ended pair follows no later name. */
  readonly seen: PublicName | null;
}

/** The encrypted part of a pair. */
export interface PairDetails extends MadeDetails {
  /** Without two yeses it ends as this day begins. */
  readonly closesOn: Day;
  readonly a: SideDetails;
  readonly b: SideDetails;
}

/** What it was made with, fixed from then on. */
export interface MadeDetails {
  readonly score: number;
  readonly emotions: readonly Emotion[];
  readonly reasons: readonly Pick<MatchReason, 'kind' | 'about'>[];
}

/** Padded to steps of this size: the exact length would tell which interest is quoted. */
const stepBytes = 512;
/** Kept free for what is added later, so that a pair is as long after an answer as before. */
const laterBytes = 480;

export interface PairBox {
  seal(details: PairDetails, aKey: Buffer, bKey: Buffer): Buffer;
  open(sealed: Buffer, aKey: Buffer, bKey: Buffer): PairDetails;
}

export function createPairBox(keys: Keys): PairBox {
  const box = createBox(keys.lasting('match-pair/1'));
  return {
    seal(details, aKey, bKey) {
      const { score, emotions, reasons } = details;
      const madeBytes = Buffer.byteLength(JSON.stringify({ score, emotions, reasons }));
      const padded = Buffer.alloc(Math.ceil((madeBytes + laterBytes) / stepBytes) * stepBytes, ' ');
      const text = Buffer.from(JSON.stringify(details));
      if (text.length > padded.length) throw new Error('the details of a pair are longer than their row');
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
