import { subscribeToSession } from '../../lib/session.ts';

/** How many vents were deleted since the page was loaded: somebody who watches may tie those that go together. */
let count = 0;

export function countDeleted(): void {
  count += 1;
}

export function deletedInVisit(): number {
  return count;
}

// Another person's visit begins at none.
subscribeToSession(() => {
  count = 0;
});
