import { useEffect, useRef, type ReactNode } from 'react';
import { announceReady } from '../lib/app-ready.ts';
import { usePageTitle } from '../lib/neutral-tab.ts';
import styles from './page-heading.module.css';

interface PageHeadingProps {
  readonly children: ReactNode;
  /** Title of the tab when it must differ from the heading, such as a name on a shared phone. */
  readonly title?: string;
  readonly className?: string | undefined;
}

// The first page keeps the browser's focus. Later pages focus their heading, so that a screen reader
// announces it.
let hasLanded = false;

/** The h1 of a page. Sets the title of the tab, and gets focus after a navigation. */
export function PageHeading({ children, title, className }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const hasRun = useRef(false);
  const text = title ?? (typeof children === 'string' ? children : '');

  usePageTitle(text);

  useEffect(() => {
    if (hasRun.current) return;
    hasRun.current = true;
    if (hasLanded) heading.current?.focus({ preventScroll: true });
    else announceReady();
    hasLanded = true;
  }, []);

  return (
    <h1 ref={heading} tabIndex={-1} className={[styles.heading, className].filter(Boolean).join(' ')}>
      {children}
    </h1>
  );
}
