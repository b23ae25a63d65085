import { useState, type ReactNode } from 'react';
import styles from './field.module.css';

interface FoldProps {
  readonly title: ReactNode;
  /** How it stands, in a line below the title. */
  readonly state?: ReactNode;
  /** Opens it, whenever it becomes true: what is wrong or linked to must not be folded away. */
  readonly mustOpen?: boolean;
  /** A short link to a reason, without a frame. */
  readonly isQuiet?: boolean;
  readonly children: ReactNode;
}

/** What is needed rarely, one tap away. It stays in the page: the browser's own search finds it. */
export function Fold({ title, state, mustOpen = false, isQuiet = false, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(mustOpen);
  const [wasForced, setWasForced] = useState(mustOpen);
  if (wasForced !== mustOpen) {
    setWasForced(mustOpen);
    if (mustOpen) setIsOpen(true);
  }
  return (
    <details
      open={isOpen}
      className={isQuiet ? styles.hint : undefined}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>
        <div>
          {title}
          {state && <p className={styles.hint}>{state}</p>}
        </div>
      </summary>
      {children}
    </details>
  );
}
