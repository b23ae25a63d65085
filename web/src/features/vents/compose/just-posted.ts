import type { VentSaid } from '@unsaid/contract';
import { readHistoryState, toHistoryState, type HistoryState } from '../../../lib/history-state.ts';
import { createSessionStore } from '../../../lib/store.ts';

/**
 * The vent posted last in this tab. The feed pins it on the history entry that posting led to. Held in memory
 * only: browser storage and the history entry must not tell the next person on a shared phone whose vent it
 * is. The entry holds a random token, which means nothing after a reload or in another session.
 */
export interface JustPosted {
  readonly ventId: string;
  /** One that was held back: `ventId` is then the key with which it was sent, and no vent has it. */
  readonly held: VentSaid | null;
  readonly token: string;
  /** The note under the vent, until the next one is begun. */
  readonly hasNote: boolean;
}

/** What the composer posted. */
export interface Posted {
  readonly _id: string;
  readonly held: VentSaid | null;
}

const current = createSessionStore<JustPosted | null>(null);

/** Pins a vent. Returns the history state of the entry that shows it. */
export function pinVent({ _id, held }: Posted): HistoryState {
  const token = crypto.randomUUID();
  current.set({ ventId: _id, held, token, hasNote: true });
  return toHistoryState({ posted: token });
}

export function unpinVent(ventId: string): void {
  if (current.get()?.ventId === ventId) current.set(null);
}

export function dismissPostedNote(): void {
  const posted = current.get();
  if (posted?.hasNote) current.set({ ...posted, hasNote: false });
}

/** The vent pinned on the history entry with this state. */
export function useJustPosted(state: unknown): JustPosted | null {
  const posted = current.useValue();
  return posted !== null && posted.token === readHistoryState(state).posted ? posted : null;
}
