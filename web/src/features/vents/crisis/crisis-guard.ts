import type { CrisisLevel } from '@unsaid/contract/guard/crisis';
import { useSyncExternalStore } from 'react';
import { subscribeToSession } from '../../../lib/session.ts';
import { loadGrounding } from '../../../ui/grounding.tsx';
import { loadMessages } from '../../../locales/i18n.ts';

/**
 * The crisis guard and its card, loaded on demand: for every writer and every search alike, so that the request tells
 * nothing. A reading and a dismissal stay in memory. Stored or sent, they would tell the next person on a shared phone,
 * or us, how somebody is.
 */
type Guard = typeof import('./crisis-card.tsx');

interface State {
  readonly guard?: Guard;
  readonly isLoading: boolean;
  /** The level dismissed at each place. */
  readonly dismissed: ReadonlyMap<string, CrisisLevel>;
}

let state: State = { isLoading: false, dismissed: new Map() };
const listeners = new Set<() => void>();

function set(part: Partial<State>): void {
  state = { ...state, ...part };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Does nothing once loaded. After a failure, the next focus tries again. */
export function loadGuard(): void {
  if (state.guard || state.isLoading) return;
  set({ isLoading: true });
  // The exercise too: loaded when the card appears, it would tell that it has. The card works without it.
  loadGrounding().catch(() => undefined);
  Promise.all([import('./crisis-card.tsx'), loadMessages('crisis')]).then(
    ([guard]) => set({ guard, isLoading: false }),
    () => set({ isLoading: false }),
  );
}

export const useGuard = (): State => useSyncExternalStore(subscribe, () => state);

/** What the guard reads, as one text. */
export const wordsOf = ({ title, text }: { readonly title: string; readonly text: string }) =>
  `${title}\n${text}`;

/** 0 until the guard is loaded. */
export const crisisLevel = (text: string): CrisisLevel => state.guard?.readCrisis(text).level ?? 0;

/** The level whose card is shown at a place, 0 if it was dismissed there. Undefined while the guard is being loaded. */
export function useShownLevel(place: string, text: string): CrisisLevel | undefined {
  const { isLoading, dismissed } = useGuard();
  if (isLoading) return undefined;
  const level = crisisLevel(text);
  return level > (dismissed.get(place) ?? 0) ? level : 0;
}

/** False until the guard is loaded: the server refuses such a comment as well. */
export const tellsToDie = (text: string): boolean => state.guard?.tellsToDie(text) ?? false;

/** Places of a card: a dismissal holds for its place until something graver is written there. */
export const draftPlace = 'draft';
export const ventPlace = (ventId: string) => `vent ${ventId}`;

export function dismissLevel(place: string, level: CrisisLevel): void {
  const dismissed = new Map(state.dismissed);
  if (level === 0) dismissed.delete(place);
  else dismissed.set(place, level);
  set({ dismissed });
}

/** The draft has become a vent, whose card stays dismissed too. */
export function moveDismissal(from: string, to: string): void {
  const level = state.dismissed.get(from);
  if (level === undefined) return;
  dismissLevel(from, 0);
  dismissLevel(to, level);
}

// Whatever one person dismissed is shown to the next.
subscribeToSession(() => set({ dismissed: new Map() }));
