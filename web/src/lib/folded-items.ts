import { useSyncExternalStore } from 'react';
import { subscribeToSession } from './session.ts';

/** Ids of items that the user reported in this visit. In memory only, as the drafts of reports are. */
let folded: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function change(next: ReadonlySet<string>): void {
  folded = next;
  for (const listener of listeners) listener();
}

export function foldItem(id: string): void {
  change(new Set([...folded, id]));
}

export function unfoldItem(id: string): void {
  change(new Set([...folded].filter((one) => one !== id)));
}

export function useIsFolded(id: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => folded.has(id),
  );
}

subscribeToSession(() => change(new Set()));
