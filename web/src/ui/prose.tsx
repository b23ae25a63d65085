import type { ReactNode } from 'react';
import { PageHeading } from './page-heading.tsx';
import styles from './prose.module.css';

interface ProseProps {
  readonly title: string;
  /** A summary of one or two sentences, in larger type. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A text page: the frame, the h1, and default styles for h2, h3, p, lists, tables, dl and details. */
export function Prose({ title, lead, children }: ProseProps) {
  return (
    <article className={styles.prose}>
      <PageHeading>{title}</PageHeading>
      {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      {children}
    </article>
  );
}
