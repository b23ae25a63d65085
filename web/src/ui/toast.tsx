import { useSyncExternalStore } from 'react';
import styles from './toast.module.css';

/**
 * Duration of the specification's snackbar. An error is never shown in a toast alone; it also stays where it
 * happened.
 */
const shownMs = 3000;

interface Toast {
  readonly id: number;
  readonly text: string;
}

let current: Toast | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let nextId = 1;
const listeners = new Set<() => void>();

function show(toast: Toast | null): void {
  current = toast;
  for (const listener of listeners) listener();
}

export function toast(text: string): void {
  clearTimeout(timer);
  show({ id: nextId++, text });
  timer = setTimeout(() => show(null), shownMs);
}

/** One toast at a time, in a permanent live region, so that a screen reader announces the change. */
export function Toaster() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
  return (
    <div role="status" className={styles.region}>
      {shown && (
        <p key={shown.id} className={styles.toast}>
          {shown.text}
        </p>
      )}
    </div>
  );
}
