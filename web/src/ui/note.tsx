import type { ReactNode } from 'react';
import { Status } from './status.tsx';
import styles from './note.module.css';

/** A status message, for information rather than errors. */
export function Note({ children }: { readonly children: ReactNode }) {
  return <Status className={styles.note}>{children}</Status>;
}
