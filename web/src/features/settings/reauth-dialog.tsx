import { limits } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';
import { Suspense, type ReactNode } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import type { SettingsForms } from './settings-forms.ts';
import styles from './settings.module.css';

interface ReauthDialogProps extends Pick<SettingsForms, 'ReauthForm'> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What is about to happen. */
  readonly children: ReactNode;
  readonly onConfirmed: () => Promise<void>;
  /** In place of the form, once it has happened. */
  readonly done?: ReactNode;
}

/** Asks for a fresh code before the recovery code is cancelled. */
export function ReauthDialog({
  isOpen,
  onClose,
  title,
  children,
  onConfirmed,
  done,
  ReauthForm,
}: ReauthDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      {done ?? (
        <div className={styles.sessions}>
          <p className={styles.soft}>{children}</p>
          <p className={styles.soft}>
            <Trans>To be sure it's you, we'll send an OTP to your number first.</Trans>
          </p>
          <Suspense fallback={<FormSkeleton />}>
            <ReauthForm onConfirmed={onConfirmed} />
          </Suspense>
        </div>
      )}
    </Dialog>
  );
}

/** With the former number it works on, so that nobody with the phone in hand can lock its owner out. */
export function CancelledCodeWords() {
  const days = limits.replacedCodeDays;
  return (
    <Trans>
      A cancelled code stops working right away. But if your number changes, someone who has the old number
      can still use the code for {days} days.
    </Trans>
  );
}
