import type { ReactNode } from 'react';
import styles from './info.module.css';

/** Text that the operator of a deployment must fill in. Highlighted, so that it does not look finished. */
export function Placeholder({ children }: { children: ReactNode }) {
  return <mark className={styles.placeholder}>{children}</mark>;
}
