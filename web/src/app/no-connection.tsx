import { Trans, useLingui } from '@lingui/react/macro';
import { paths } from '../lib/paths.ts';
import { Button, ButtonLink, ButtonRow } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeading } from '../ui/page-heading.tsx';
import { logOut } from './log-out.ts';
import editNote from '@material-symbols/svg-400/rounded/edit_note-fill.svg?path';
import refresh from '@material-symbols/svg-400/rounded/refresh.svg?path';
import styles from './shell.module.css';

interface NoConnectionProps {
  readonly onRetry: () => void;
  readonly isRetrying: boolean;
}

/** Offline page. Writing and the support page still work. */
export function NoConnection({ onRetry, isRetrying }: NoConnectionProps) {
  const { t } = useLingui();
  return (
    <div className={styles.waiting}>
      <EmptyState
        title={<PageHeading>{t`No internet right now`}</PageHeading>}
        action={
          <ButtonRow>
            {/* Log-out must work offline, for a phone that is handed back. */}
            <Button variant="quiet" onClick={() => void logOut()}>{t`Log out`}</Button>
            <ButtonLink to={paths.createVent} variant="outlined" icon={editNote}>{t`Write`}</ButtonLink>
            <Button icon={refresh} onClick={onRetry} isBusy={isRetrying}>{t`Retry`}</Button>
          </ButtonRow>
        }
      >
        <Trans>
          You're still logged in, and we'll keep trying. Your draft is saved on this phone. So are the
          helplines in Support.
        </Trans>
      </EmptyState>
    </div>
  );
}
