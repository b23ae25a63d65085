import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useState, type ComponentType } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import { RecoveryCodeField } from './recovery-code-field.tsx';
import { moveToNumber } from './recovery.api.ts';
import { sessionsQuery } from './settings.api.ts';
import type { SettingsForms } from './settings-forms.ts';
import styles from './settings.module.css';

interface ChangeNumberDialogProps extends SettingsForms {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ChangeNumberDialog({ isOpen, onClose, ...forms }: ChangeNumberDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t`Change your number`}>
      {isOpen && (
        <Suspense fallback={<FormSkeleton />}>
          <Steps {...forms} onDone={onClose} />
        </Suspense>
      )}
    </Dialog>
  );
}

interface StepsProps {
  readonly ReauthForm: ComponentType<{ readonly onConfirmed: () => Promise<void> }>;
  readonly NewNumberForm: SettingsForms['NewNumberForm'];
  readonly onDone: () => void;
}

/** Proof of identity by the old number or the recovery code, then the new number. */
function Steps({ ReauthForm, NewNumberForm, onDone }: StepsProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [proof, setProof] = useState<'number' | 'code'>('number');
  const [recoveryCode, setRecoveryCode] = useState('');
  const [isProven, setIsProven] = useState(false);
  const days = limits.replacedCodeDays;

  if (isProven) {
    return (
      <div className={styles.sessions}>
        <p className={styles.soft}>
          <Trans>Now enter your new number. Once it's confirmed, your other devices are logged out.</Trans>
        </p>
        <p className={styles.soft}>
          <Trans>
            For {days} days, someone who has your old number and a recovery code, even a cancelled one, can
            get this account back. You'll see it, but you can't stop it.
          </Trans>
        </p>
        <NewNumberForm
          onCode={async (phone, otp) => {
            await moveToNumber({
              phone,
              otp,
              recoveryCode: proof === 'code' ? recoveryCode : undefined,
            });
            void client.invalidateQueries(sessionsQuery);
            toast(t`Done. From now on, log in with your new number.`);
            onDone();
          }}
        />
      </div>
    );
  }
  if (proof === 'number') {
    return (
      <div className={styles.sessions}>
        <p className={styles.soft}>
          <Trans>To be sure it's you, we'll first send an OTP to the number you have now.</Trans>
        </p>
        <ReauthForm onConfirmed={async () => setIsProven(true)} />
        <div>
          <Button variant="quiet" onClick={() => setProof('code')}>
            <Trans>I don't have that number any more</Trans>
          </Button>
        </div>
      </div>
    );
  }
  return (
    <form
      className={styles.sessions}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (recoveryCode.trim() !== '') setIsProven(true);
      }}
    >
      <RecoveryCodeField
        hint={t`We'll check it along with your new number.`}
        value={recoveryCode}
        onChange={setRecoveryCode}
      />
      <Button type="submit" isWide disabled={recoveryCode.trim() === ''}>{t`Continue`}</Button>
      <div>
        <Button variant="quiet" onClick={() => setProof('number')}>{t`Use my old number instead`}</Button>
      </div>
    </form>
  );
}
