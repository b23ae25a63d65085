import { Trans } from '@lingui/react/macro';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import errorIcon from '@material-symbols/svg-400/rounded/error.svg?path';
import refresh from '@material-symbols/svg-400/rounded/refresh.svg?path';
import styles from './error-card.module.css';

interface ErrorCardProps {
  readonly children: string;
  readonly onRetry?: (() => void) | undefined;
  readonly isRetrying?: boolean;
}

/** An error shown where it happened, with a retry button. */
export function ErrorCard({ children, onRetry, isRetrying }: ErrorCardProps) {
  return (
    <div role="alert" className={styles.card}>
      <Icon path={errorIcon} size={22} className={styles.icon} />
      <p>{children}</p>
      {onRetry && (
        <Button variant="outlined" icon={refresh} onClick={onRetry} isBusy={isRetrying ?? false}>
          <Trans>Retry</Trans>
        </Button>
      )}
    </div>
  );
}
