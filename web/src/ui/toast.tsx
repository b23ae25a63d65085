import { createStore } from '../lib/store.ts';
import styles from './toast.module.css';

/**
 * Duration of the specification's snackbar. An error is never shown in a toast alone; it also stays where it
 * happened.
 */
const shownMs = 3000;

/** A new object for each toast: its identity ends the earlier one's time. */
const current = createStore<{ readonly text: string; readonly id: number } | null>(null);

export function toast(text: string): void {
  const shown = { text, id: (current.get()?.id ?? 0) + 1 };
  current.set(shown);
  setTimeout(() => current.get() === shown && current.set(null), shownMs);
}

/** One toast at a time, in a permanent live region, so that a screen reader announces the change. */
export function Toaster() {
  const shown = current.useValue();
  return (
    <div role="status" data-above-bar className={styles.region}>
      {shown && (
        <p key={shown.id} className={styles.toast}>
          {shown.text}
        </p>
      )}
    </div>
  );
}
