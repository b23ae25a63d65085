import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import leaf from '@material-symbols/svg-400/rounded/spa-fill.svg?path';
import styles from './empty-state.module.css';

interface EmptyStateProps {
  /** The exact text of the specification. */
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** An icon, the title, a line of text and one action. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <Icon path={leaf} size={56} className={styles.leaf} />
      <div className={styles.title}>{title}</div>
      {children && <p className={styles.line}>{children}</p>}
      {action && <div className={styles.action}>{action}</div>}
    </div>
  );
}
