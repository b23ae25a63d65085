import type { ReactNode } from 'react';
import styles from './note.module.css';

/** A calm line above a form: something happened, nothing is wrong. */
export function Note({ children }: { readonly children: ReactNode }) {
  return (
    <p role="status" className={styles.note}>
      {children}
    </p>
  );
}
