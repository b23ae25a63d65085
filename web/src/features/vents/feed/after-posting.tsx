import { Trans } from '@lingui/react/macro';
import { Button } from '../../../ui/button.tsx';
import styles from './feed-asides.module.css';

interface AfterPostingProps {
  readonly onSeeOthers: () => void;
  readonly onStay: () => void;
}

/** Note after posting, with two ways to continue. */
export function AfterPosting({ onSeeOthers, onStay }: AfterPostingProps) {
  return (
    <div role="status" className={styles.after}>
      <p>
        <Trans>It's out of your head now.</Trans>
      </p>
      <Button variant="quiet" onClick={onSeeOthers}>
        <Trans>See what others carry</Trans>
      </Button>
      <Button variant="quiet" onClick={onStay}>
        <Trans>Just stay here</Trans>
      </Button>
    </div>
  );
}
