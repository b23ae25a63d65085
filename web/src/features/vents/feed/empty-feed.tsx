import { Trans } from '@lingui/react/macro';
import { EmptyList } from './empty-list.tsx';
import styles from './feed-asides.module.css';

/** Empty state of a site without vents, with a note from its makers. There are no invented vents. */
export function EmptyFeed() {
  return (
    <>
      <EmptyList>
        <Trans>You're the first one here. Your vent will be the first one people read.</Trans>
      </EmptyList>
      <figure className={styles.letter}>
        <blockquote>
          <p>
            <Trans>
              We made this for nights when there's nobody to tell. There are no fake people here, so it's
              quiet until someone writes. Start now or come back later. Both are fine.
            </Trans>
          </p>
        </blockquote>
        <figcaption>
          <Trans>The Unsaid team</Trans>
        </figcaption>
      </figure>
    </>
  );
}
