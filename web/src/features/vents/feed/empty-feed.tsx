import { Trans } from '@lingui/react/macro';
import { EmptyList } from './empty-list.tsx';
import styles from './feed-asides.module.css';

/** Empty state of a site without vents, with a note from its makers. There are no invented vents. */
export function EmptyFeed() {
  return (
    <>
      <EmptyList>
        <Trans>You are the first here. What you write stays for whoever comes next.</Trans>
      </EmptyList>
      <figure className={styles.letter}>
        <blockquote>
          <p>
            <Trans>
              We made this for the nights when there is nobody to tell. There are no made-up people here, so
              it is quiet until somebody speaks. You can begin, or come back another day. Both are fine.
            </Trans>
          </p>
        </blockquote>
        <figcaption>
          <Trans>The people who make Unsaid</Trans>
        </figcaption>
      </figure>
    </>
  );
}
