import type { ReactNode } from 'react';
import styles from './note.module.css';

/** A status message, for information rather than errors. */
export function Note({ children }: { readonly children: ReactNode }) {
  return (
    <p role="status" className={styles.note}>
      {children}
    </p>
  );
}
