import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormWaiting } from './form-waiting.tsx';
import { eraseAccount } from './settings.api.ts';
import type { SettingsPageProps } from './settings.page.tsx';
import styles from './settings.module.css';

export function DeleteAccount({ ReauthForm }: Pick<SettingsPageProps, 'ReauthForm'>) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <p className={styles.soft}>
        <Trans>Your profile goes at once. Your vents fade out within 72 hours. This cannot be undone.</Trans>
      </p>
      <div>
        <Button variant="dangerQuiet" onClick={() => setIsOpen(true)}>
          <Trans>Delete account</Trans>
        </Button>
      </div>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={t`Delete account`}
        description={
          <Trans>
            Your profile goes at once, and your vents fade out within 72 hours. It cannot be undone. To be
            sure it is you, we send a code to your number; the account is deleted when the code is right.
          </Trans>
        }
      >
        <Suspense fallback={<FormWaiting />}>
          <ReauthForm onConfirmed={eraseAccount} />
        </Suspense>
      </Dialog>
    </>
  );
}
