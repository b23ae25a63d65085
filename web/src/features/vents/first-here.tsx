import { Trans } from '@lingui/react/macro';
import { NoVents } from './no-vents.tsx';
import styles from './quiet.module.css';

/** Before anybody has spoken: the truth about it, and a word from those who made the place. Nobody is invented. */
export function FirstHere() {
  return (
    <>
      <NoVents>
        <Trans>You are the first here. What you write stays for whoever comes next.</Trans>
      </NoVents>
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
