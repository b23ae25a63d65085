import { useEffect } from 'react';
import { loadGuard, useGuard } from './crisis-guard.ts';
import type { CrisisCardProps, WritingCardProps } from './crisis-card.tsx';

/** The card of a text that is there already: a vent of the reader's own, or a search. */
export function CrisisNote(props: CrisisCardProps) {
  const guard = useGuard();
  useEffect(loadGuard, []);
  return guard && <guard.CrisisCard {...props} />;
}

/** The card of a text being written. Its form calls `loadGuard` when it gets focus. */
export function WritingNote(props: WritingCardProps) {
  const guard = useGuard();
  return guard && <guard.WritingCard {...props} />;
}
