import { Trans } from '@lingui/react/macro';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import styles from './quiet.module.css';

/** Before anybody has spoken: the truth about it, and a word from those who made the place. Nobody is invented. */
export function FirstHere() {
  return (
    <>
      <EmptyState
        title={<Trans>No vents available.</Trans>}
        action={
          <ButtonLink to={paths.createVent}>
            <Trans>Create Vent</Trans>
          </ButtonLink>
        }
      >
        <Trans>You are the first here. What you write stays for whoever comes next.</Trans>
      </EmptyState>
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
