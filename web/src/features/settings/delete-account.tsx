import type { LeavingSpan } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import { LeavingChoice } from './leaving-choice.tsx';
import { eraseAccount } from './settings.api.ts';
import type { SettingsForms } from './settings-forms.ts';
import styles from './settings.module.css';

export function DeleteAccount({ ReauthForm }: Pick<SettingsForms, 'ReauthForm'>) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <p className={styles.soft}>
        <Trans>It goes right away, and you choose what happens to your words.</Trans>
      </p>
      <div>
        <Button variant="dangerQuiet" onClick={() => setIsOpen(true)}>{t`Delete account`}</Button>
      </div>
      <DeleteAccountDialog isOpen={isOpen} onClose={() => setIsOpen(false)} ReauthForm={ReauthForm} />
    </>
  );
}

interface DeleteAccountDialogProps extends Pick<SettingsForms, 'ReauthForm'> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function DeleteAccountDialog({ isOpen, onClose, ReauthForm }: DeleteAccountDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Delete account`}
      description={<Trans>Your account, matches and reactions go right away. You can't undo this.</Trans>}
    >
      <LeavingForm ReauthForm={ReauthForm} onKeep={onClose} />
    </Dialog>
  );
}

interface LeavingFormProps extends Pick<SettingsForms, 'ReauthForm'> {
  readonly onKeep: () => void;
}

/** Mounted only while the dialog is open, so that it starts with the choice that reveals least. */
function LeavingForm({ ReauthForm, onKeep }: LeavingFormProps) {
  const { t } = useLingui();
  const [span, setSpan] = useState<LeavingSpan>('30days');
  return (
    <div className={styles.leaving}>
      <LeavingChoice value={span} onChange={setSpan} />
      <p className={styles.soft}>
        <Trans>We'll send an OTP first. Nothing is deleted before you confirm it.</Trans>
      </p>
      <Suspense fallback={<FormSkeleton />}>
        <ReauthForm
          onConfirmed={() => eraseAccount(span)}
          finalChoice={{
            confirmLabel: t`Delete my account forever`,
            cancelLabel: t`Keep my account`,
            onCancel: onKeep,
          }}
        />
      </Suspense>
    </div>
  );
}
