import type { MatchStatus } from '@unsaid/contract';
import type { Day } from '../platform/clock.ts';

/** What one of two has said to the other. */
export const answers = ['none', 'yes', 'no'] as const;
export type Answer = (typeof answers)[number];

/** A pair as one of the two stands in it. */
export interface Stance {
  readonly mine: Answer;
  readonly theirs: Answer;
  /** Its time ran out without two yeses. */
  readonly isClosed: boolean;
}

export type Wish = 'accept' | 'reject';
/** What becomes of a wish: it changes my answer, repeats what I said, or comes too late. */
export type Outcome = Answer | 'repeat' | 'too_late';

/**
 * The whole life of a pair, in one table: my answer and theirs, while it is open. What they said never
 * changes what I may do, but for two yeses: that somebody said no must not be found out by trying.
 */
const open: Readonly<Record<Answer, Readonly<Record<Answer, Readonly<Record<Wish, Outcome>>>>>> = {
  none: {
    none: { accept: 'yes', reject: 'no' },
    yes: { accept: 'yes', reject: 'no' },
    no: { accept: 'yes', reject: 'no' },
  },
  yes: {
    none: { accept: 'repeat', reject: 'no' },
    yes: { accept: 'repeat', reject: 'too_late' },
    no: { accept: 'repeat', reject: 'no' },
  },
  no: {
    none: { accept: 'too_late', reject: 'repeat' },
    yes: { accept: 'too_late', reject: 'repeat' },
    no: { accept: 'too_late', reject: 'repeat' },
  },
};

export function answer({ mine, theirs, isClosed }: Stance, wish: Wish): Outcome {
  const outcome = open[mine][theirs][wish];
  // After its time a no stays said; nothing else can be said any more.
  if (isClosed) return mine === 'no' && wish === 'reject' ? 'repeat' : 'too_late';
  return outcome;
}

/** How it looks to me: null while it is a suggestion. A no is seen by the one who said it alone. */
export function statusFor({ mine, theirs, isClosed }: Stance): MatchStatus | null {
  if (mine === 'yes' && theirs === 'yes') return 'accepted';
  if (mine === 'no') return 'rejected';
  if (isClosed) return 'closed';
  return mine === 'yes' ? 'pending' : null;
}

/** Two yeses never close. */
export function isClosedOn(today: Day, pair: { a: Answer; b: Answer; closesOn: Day }): boolean {
  return !(pair.a === 'yes' && pair.b === 'yes') && pair.closesOn <= today;
}
