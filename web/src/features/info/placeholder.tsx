import type { ReactNode } from 'react';
import styles from './info.module.css';

/** A gap that only the operator of a deployment can fill; it must not pass for finished text. */
export function Placeholder({ children }: { children: ReactNode }) {
  return <mark className={styles.placeholder}>{children}</mark>;
}
