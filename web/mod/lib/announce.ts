import { useSyncExternalStore } from 'react';

let sentence = '';
const listeners = new Set<() => void>();

/** Says the result of an action: shown above the page, and read out by screen readers. Empty clears it. */
export function announce(text: string): void {
  sentence = text;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useAnnouncement = (): string => useSyncExternalStore(subscribe, () => sentence);
