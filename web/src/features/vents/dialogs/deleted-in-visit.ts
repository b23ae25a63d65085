import { subscribeToSession } from '../../../lib/session.ts';

/** Number of vents deleted since the page was loaded. An observer can link vents that disappear together. */
let count = 0;

export function countDeleted(): void {
  count += 1;
}

export function deletedInVisit(): number {
  return count;
}

// Starts at zero for each session.
subscribeToSession(() => {
  count = 0;
});
