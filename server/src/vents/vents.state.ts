/** Who may see a vent, as one table: a change that is not in it does not happen. */
export type VentState = 'visible' | 'hidden' | 'removed' | 'author_deleted';
type VentEvent = 'hide' | 'restore' | 'remove' | 'delete';

const transitions: Record<VentState, Partial<Record<VentEvent, VentState>>> = {
  visible: { hide: 'hidden', remove: 'removed', delete: 'author_deleted' },
  hidden: { restore: 'visible', remove: 'removed', delete: 'author_deleted' },
  // A moderator's removal can be appealed; what its author deleted stays deleted.
  removed: { restore: 'visible', delete: 'author_deleted' },
  author_deleted: {},
};

export const ventStates = Object.keys(transitions) as VentState[];

export function nextState(state: VentState, event: VentEvent): VentState | null {
  return transitions[state][event] ?? null;
}

/** The states from which an event leads somewhere: what an UPDATE must find. */
export function statesThatTake(event: VentEvent): VentState[] {
  return ventStates.filter((state) => nextState(state, event) !== null);
}
