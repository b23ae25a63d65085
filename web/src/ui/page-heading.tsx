import { useEffect, useRef, type ReactNode } from 'react';
import { usePageTitle } from '../lib/discreet.ts';
import styles from './page-heading.module.css';

interface PageHeadingProps {
  readonly children: ReactNode;
  /** What the tab says, when it should not be the heading (a name, on a shared phone). */
  readonly title?: string;
  readonly className?: string | undefined;
}

// The page a person lands on keeps the browser's own focus; every later one announces itself.
let hasLanded = false;

/** The h1 of a page: sets the title of the tab and takes focus after a navigation. */
export function PageHeading({ children, title, className }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const hasRun = useRef(false);
  const text = title ?? (typeof children === 'string' ? children : '');

  usePageTitle(text);

  useEffect(() => {
    if (hasRun.current) return;
    hasRun.current = true;
    if (hasLanded) heading.current?.focus({ preventScroll: true });
    hasLanded = true;
  }, []);

  return (
    <h1 ref={heading} tabIndex={-1} className={[styles.heading, className].filter(Boolean).join(' ')}>
      {children}
    </h1>
  );
}
