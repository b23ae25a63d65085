import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { errorText } from '../../../lib/error-text.ts';
import { Button, ButtonRow } from '../../../ui/button.tsx';
import { Alert } from '../../../ui/dialog.tsx';
import { FieldError } from '../../../ui/field.tsx';
import { useCloseAllVents } from './comments.api.ts';
import styles from './comments.module.css';

/**
 * Closes comments on all of the user's vents at once, against harassment. An observer can see that they
 * closed together.
 */
export function CloseAllComments() {
  const { t } = useLingui();
  const [isAsking, setIsAsking] = useState(false);
  const close = useCloseAllVents();

  const confirm = async () => {
    try {
      await close.mutateAsync();
    } catch {
      // Shown in the alert, which stays open.
      return;
    }
    setIsAsking(false);
  };

  return (
    <>
      <Button
        variant="outlined"
        onClick={() => {
          close.reset();
          setIsAsking(true);
        }}
      >
        <Trans>Close comments on all my vents now</Trans>
      </Button>
      {/* Not a toast: a screen reader does not reach toasts while a dialog is open. */}
      <p role="status" className={styles.done}>
        {close.isSuccess && <Trans>Comments are closed on all your vents.</Trans>}
      </p>
      <Alert
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={t`Close comments on all your vents now?`}
        actions={
          <>
            {close.isError && (
              <FieldError>{errorText(close.error, t`That didn't go through. Please try again.`)}</FieldError>
            )}
            <ButtonRow>
              <Button variant="quiet" disabled={close.isPending} onClick={() => setIsAsking(false)}>
                <Trans>Cancel</Trans>
              </Button>
              <Button variant="danger" isBusy={close.isPending} onClick={() => void confirm()}>
                <Trans>Close all</Trans>
              </Button>
            </ButtonRow>
          </>
        }
      >
        <Trans>
          Anyone who's watching the feed could notice which vents closed together, and guess they're by one
          person. Closing one now and another later is safer.
        </Trans>
      </Alert>
    </>
  );
}
