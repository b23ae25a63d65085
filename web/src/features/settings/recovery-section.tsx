import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDate } from '../../lib/format.ts';
import { Button, ButtonRow } from '../../ui/button.tsx';
import { ChangeNumberDialog } from './change-number-dialog.tsx';
import { RecoverAccountDialog } from './recover-account-dialog.tsx';
import { RecoveryCodeDialog } from './recovery-code-dialog.tsx';
import { recoveryQuery } from './recovery.api.ts';
import type { SettingsPageProps } from './settings.page.tsx';
import styles from './settings.module.css';

/** Recovery of the account without its number. */
export function RecoverySection({ ReauthForm, NewNumberForm }: SettingsPageProps) {
  const { data: madeOn } = useQuery(recoveryQuery);
  const madeOnDate = madeOn && formatDate(madeOn);
  const [open, setOpen] = useState<'code' | 'back' | 'number' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <p className={styles.soft}>
        <Trans>
          We do not keep your number, so we cannot look you up. A recovery code on paper brings your account
          back if you lose the number, or stay away for longer than 90 days.
        </Trans>
      </p>
      {madeOnDate && (
        <p className={styles.soft}>
          <Trans>
            A code was made on {madeOnDate}. It was shown once; a new one takes its place. If it was not you
            who made it, make a new one now.
          </Trans>
        </p>
      )}
      <ButtonRow>
        <Button variant="outlined" onClick={() => setOpen('code')}>
          {madeOnDate ? <Trans>Make a new recovery code</Trans> : <Trans>Make a recovery code</Trans>}
        </Button>
        <Button variant="quiet" onClick={() => setOpen('back')}>
          <Trans>Bring an old account back</Trans>
        </Button>
        <Button variant="quiet" onClick={() => setOpen('number')}>
          <Trans>Change your number</Trans>
        </Button>
      </ButtonRow>
      <RecoveryCodeDialog isOpen={open === 'code'} onClose={close} ReauthForm={ReauthForm} />
      <RecoverAccountDialog isOpen={open === 'back'} onClose={close} />
      <ChangeNumberDialog
        isOpen={open === 'number'}
        onClose={close}
        ReauthForm={ReauthForm}
        NewNumberForm={NewNumberForm}
      />
    </>
  );
}
