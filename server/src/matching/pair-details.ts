import type { Emotion, MatchReason } from '@unsaid/contract';
import { createKeyAead } from '../platform/crypto/aead.ts';
import type { Day } from '../platform/clock.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import type { PublicName } from '../kernel/people.ts';
import type { Answer } from './matches.state.ts';

export type Side = 'a' | 'b';

/** One person's part in a pair. */
export interface SideDetails {
  readonly answer: Answer;
  /** The day of the answer. */
  readonly on: Day | null;
  /** Sequence number among that day's answers in the pairs that either of the two can see. */
  readonly order: number;
  /** The other's name and picture at the time of the answer: an ended pair does not follow later names. */
  readonly seen: PublicName | null;
  /** The day and order of a yes that was taken back: the other goes on seeing that yes until the pair closes. */
  readonly takenBack?: { readonly on: Day | null; readonly order: number };
}

/** The encrypted part of a pair. */
export interface PairDetails extends PairBasis {
  readonly madeOn: Day;
  /** Without two yeses it closes at the start of this day. */
  readonly closesOn: Day;
  readonly a: SideDetails;
  readonly b: SideDetails;
}

/** Why the two were paired. Never changes. */
export interface PairBasis {
  readonly score: number;
  readonly emotions: readonly Emotion[];
  readonly reasons: readonly Pick<MatchReason, 'kind' | 'about'>[];
}

/** Padded to a multiple of this: the exact length would reveal which interest is quoted. */
const paddingBytes = 512;
/** Reserved for later answers, so that an answer does not change the length. */
const reservedBytes = 504;

/** The plain columns of a pair. */
export interface PairColumns {
  readonly aKey: Buffer;
  readonly bKey: Buffer;
  readonly isAskedByA: boolean;
  readonly week: Day;
}

export type PairCipher = ReturnType<typeof createPairCipher>;

/**
 * Encrypts pair details, with the plain columns as additional data. A row whose columns somebody else has changed does not
 * open, and counts as no pair: with another week, a pair would leave the limits of whoever searched.
 */
export function createPairCipher(keys: Keys) {
  const aead = createKeyAead(keys, 'match-pair/1');
  const boundTo = ({ aKey, bKey, isAskedByA, week }: PairColumns) =>
    Buffer.concat([aKey, bKey, Buffer.from(`${isAskedByA} ${week}`)]);
  return {
    seal(details: PairDetails, columns: PairColumns): Buffer {
      const { score, emotions, reasons } = details;
      const basisBytes = Buffer.byteLength(JSON.stringify({ score, emotions, reasons }));
      const padded = Buffer.alloc(Math.ceil((basisBytes + reservedBytes) / paddingBytes) * paddingBytes, ' ');
      const text = Buffer.from(JSON.stringify(details));
      if (text.length > padded.length)
        throw new Error(`pair details need ${text.length} bytes, padded size is ${padded.length}`);
      text.copy(padded);
      return aead.seal(padded, boundTo(columns));
    },
    open(row: PairColumns & { readonly details: Buffer }): PairDetails | null {
      const plain = aead.open(row.details, boundTo(row));
      return plain && (JSON.parse(plain.toString('utf8')) as PairDetails);
    },
  };
}
