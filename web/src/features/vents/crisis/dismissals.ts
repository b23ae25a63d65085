import type { CrisisLevel } from '@unsaid/guard/crisis';
import { createSessionMap } from '../../../lib/store.ts';

/** The level dismissed at each place. In memory alone: stored, it would tell the next person on a shared phone. */
const dismissed = createSessionMap<CrisisLevel>();

export const useDismissedLevel = (place: string) => dismissed.useValue(place) ?? 0;

export function dismissLevel(place: string, level: CrisisLevel): void {
  dismissed.set(place, level || undefined);
}

/** The draft has become a vent, whose card stays dismissed too. */
export function moveDismissal(from: string, to: string): void {
  const level = dismissed.get(from);
  if (level === undefined) return;
  dismissLevel(from, 0);
  dismissLevel(to, level);
}
