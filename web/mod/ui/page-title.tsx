import { useEffect, useRef, type ReactNode } from 'react';
import styles from './ui.module.css';

interface PageTitleProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** The heading of a page. It takes the focus, so that a screen reader says where it is and keys begin at the top. */
export function PageTitle({ title, children }: PageTitleProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Unsaid moderation`;
  }, [title]);
  // Once: a title that changes later must not take the focus from where the work is.
  useEffect(() => ref.current?.focus(), []);
  return (
    <div className={styles.pageHead}>
      <h1 ref={ref} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </div>
  );
}
