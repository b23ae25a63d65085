import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDate } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { ChangeNumberDialog } from './change-number-dialog.tsx';
import { CancelledCodeWords, ReauthDialog } from './reauth-dialog.tsx';
import { RecoverAccountDialog } from './recover-account-dialog.tsx';
import { RecoveryCodeDialog } from './recovery-code-dialog.tsx';
import { cancelCode, recoveryQuery, reloadUser } from './recovery.api.ts';
import type { SettingsForms } from './settings-forms.ts';
import styles from './settings.module.css';

/** Recovery of the account without its number. */
export function RecoverySection({ ReauthForm, NewNumberForm }: SettingsForms) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: recovery } = useQuery(recoveryQuery);
  const madeOnDate = recovery?.madeOn && formatDate(recovery.madeOn);
  const [open, setOpen] = useState<'code' | 'back' | 'number' | 'cancel' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <p className={styles.soft}>
        <Trans>Lost your number, or away for more than 90 days? A recovery code gets you back in.</Trans>
      </p>
      {recovery && (
        <p className={styles.soft}>
          {madeOnDate ? (
            <Trans>You made a recovery code on {madeOnDate}. If that wasn't you, cancel it.</Trans>
          ) : (
            <Trans>You don't have a recovery code right now.</Trans>
          )}
        </p>
      )}
      <div className={styles.actions}>
        <Button variant="outlined" onClick={() => setOpen('code')}>
          {madeOnDate ? <Trans>Make a new recovery code</Trans> : <Trans>Make a recovery code</Trans>}
        </Button>
        <Button variant="outlined" onClick={() => setOpen('back')}>
          <Trans>Get an old account back</Trans>
        </Button>
        <Button variant="outlined" onClick={() => setOpen('number')}>
          <Trans>Change your number</Trans>
        </Button>
        {madeOnDate && (
          <Button variant="quiet" onClick={() => setOpen('cancel')}>{t`Cancel the code`}</Button>
        )}
      </div>
      <RecoveryCodeDialog isOpen={open === 'code'} onClose={close} ReauthForm={ReauthForm} />
      <ReauthDialog
        isOpen={open === 'cancel'}
        onClose={close}
        title={t`Cancel the code`}
        ReauthForm={ReauthForm}
        onConfirmed={async () => {
          await cancelCode(client);
          reloadUser(client);
          toast(t`Your recovery code is cancelled.`);
          close();
        }}
      >
        <CancelledCodeWords />
      </ReauthDialog>
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
