import type { MatchStatus } from '@unsaid/contract';
import type { Day } from '../platform/clock.ts';

/** What one person of a pair has answered. */
export const answers = ['none', 'yes', 'no'] as const;
export type Answer = (typeof answers)[number];

/** The state of a pair, seen from one side. */
export interface PairState {
  readonly mine: Answer;
  readonly theirs: Answer;
  /** Its time ran out without two yeses. */
  readonly isClosed: boolean;
}

/** `withdraw` takes back one's own yes: a no that only follows a yes. `part` ends two yeses. */
export type Decision = 'accept' | 'reject' | 'withdraw' | 'part';
/** The result of a decision: my new answer, a repetition of my answer, or too late. */
export type Transition = Answer | 'repeat' | 'too_late';

/**
 * The transitions of an open pair, by my answer and theirs. Their answer never changes what I may do, except for two
 * yeses: a no must not be discoverable by trying.
 */
const transitions: Readonly<
  Record<Answer, Readonly<Record<Answer, Readonly<Record<Decision, Transition>>>>>
> = {
  none: {
    none: { accept: 'yes', reject: 'no', withdraw: 'too_late', part: 'too_late' },
    yes: { accept: 'yes', reject: 'no', withdraw: 'too_late', part: 'too_late' },
    no: { accept: 'yes', reject: 'no', withdraw: 'too_late', part: 'too_late' },
  },
  yes: {
    none: { accept: 'repeat', reject: 'no', withdraw: 'no', part: 'too_late' },
    yes: { accept: 'repeat', reject: 'too_late', withdraw: 'too_late', part: 'no' },
    no: { accept: 'repeat', reject: 'no', withdraw: 'no', part: 'too_late' },
  },
  no: {
    none: { accept: 'too_late', reject: 'repeat', withdraw: 'repeat', part: 'repeat' },
    yes: { accept: 'too_late', reject: 'repeat', withdraw: 'repeat', part: 'repeat' },
    no: { accept: 'too_late', reject: 'repeat', withdraw: 'repeat', part: 'repeat' },
  },
};

export function decide({ mine, theirs, isClosed }: PairState, decision: Decision): Transition {
  // A closed pair accepts only the repetition of a no.
  if (isClosed) return mine === 'no' && decision !== 'accept' ? 'repeat' : 'too_late';
  return transitions[mine][theirs][decision];
}

/** The status as I see it: null while it is a suggestion. A no is visible only to the person who said it. */
export function statusFor({ mine, theirs, isClosed }: PairState): MatchStatus | null {
  if (mine === 'yes' && theirs === 'yes') return 'accepted';
  if (mine === 'no') return 'rejected';
  if (isClosed) return 'closed';
  return mine === 'yes' ? 'pending' : null;
}

/** Two yeses never close. */
export function isClosedOn(today: Day, pair: { a: Answer; b: Answer; closesOn: Day }): boolean {
  return !(pair.a === 'yes' && pair.b === 'yes') && pair.closesOn <= today;
}
