import { dayMs } from '../../platform/clock.ts';

/** The state machine of a vent's visibility. A transition that is not in the table does not happen. */
export type VentState = 'visible' | 'hidden' | 'removed' | 'author_deleted';
type VentEvent = 'hide' | 'restore' | 'remove' | 'delete';
/** What moderation does to vents, and to comments, whose states are the same without `author_deleted`. */
export type ModerationEvent = Exclude<VentEvent, 'delete'>;

const transitions: Record<VentState, Partial<Record<VentEvent, VentState>>> = {
  visible: { hide: 'hidden', remove: 'removed', delete: 'author_deleted' },
  hidden: { restore: 'visible', remove: 'removed', delete: 'author_deleted' },
  // A moderator's removal can be appealed. A deletion by the author is final.
  removed: { restore: 'visible', delete: 'author_deleted' },
  author_deleted: {},
};

/**
 * Whether the time is over that its author chose. Nobody sees it from then on, also before the job has marked it as
 * deleted (deletions.ts).
 */
export const isOver = (
  { createdAt, keepDays }: { readonly createdAt: Date; readonly keepDays: number | null },
  now: number,
): boolean => keepDays !== null && now >= createdAt.getTime() + keepDays * dayMs;

export const ventStates = Object.keys(transitions) as VentState[];

/** What authors still see of their own vents. */
export const statesShownToAuthor: readonly VentState[] = ['visible', 'hidden'];

export function nextState(state: VentState, event: VentEvent): VentState | null {
  return transitions[state][event] ?? null;
}

/** The states in which an event is allowed: the condition of its UPDATE. */
export function statesAllowing(event: VentEvent): VentState[] {
  return ventStates.filter((state) => nextState(state, event) !== null);
}
