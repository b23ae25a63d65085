import { useSyncExternalStore } from 'react';
import { subscribeToSession } from '../../../lib/session.ts';

/**
 * The vent posted last in this tab. The feed pins it on the history entry that posting led to. Held in memory
 * only: browser storage and the history entry must not tell the next person on a shared phone whose vent it
 * is. The entry holds a random token, which means nothing after a reload.
 */
interface JustPosted {
  readonly ventId: string;
  readonly token: string;
  /** The note under the vent, until the next one is begun. */
  readonly hasNote: boolean;
}

let current: JustPosted | null = null;
const listeners = new Set<() => void>();

function set(next: JustPosted | null): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Pins a vent. Returns the history state of the entry that shows it. */
export function pinVent(ventId: string): object {
  const token = crypto.randomUUID();
  set({ ventId, token, hasNote: true });
  return { posted: token };
}

export function unpinVent(ventId: string): void {
  if (current?.ventId === ventId) set(null);
}

export function dismissPostedNote(): void {
  if (current?.hasNote) set({ ...current, hasNote: false });
}

/** The vent pinned on the history entry with this state. */
export function useJustPosted(state: unknown): JustPosted | null {
  const posted = useSyncExternalStore(subscribe, () => current);
  const token = typeof state === 'object' && state !== null && 'posted' in state ? state.posted : undefined;
  return posted !== null && posted.token === token ? posted : null;
}

// A vent of one session is never shown in another.
subscribeToSession(() => set(null));
