import type { ReactNode } from 'react';
import { PageHeading } from './page-heading.tsx';
import styles from './prose.module.css';

interface ProseProps {
  readonly title: string;
  /** One or two sentences that carry the gist, set larger. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A page to be read: the frame, the h1, and calm defaults for h2, h3, p, lists, tables, dl and details. */
export function Prose({ title, lead, children }: ProseProps) {
  return (
    <article className={styles.prose}>
      <PageHeading>{title}</PageHeading>
      {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      {children}
    </article>
  );
}
