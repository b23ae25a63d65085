import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { Suspense, useEffect, useEffectEvent, useState } from 'react';
import { ApiError } from '../../lib/api-client.ts';
import { errorText } from '../../lib/error-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { toast } from '../../ui/toast.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import { NewRecoveryCode } from './new-recovery-code.tsx';
import { fetchNewCode } from './recovery.api.ts';
import type { SettingsForms } from './settings-forms.ts';
import styles from './settings.module.css';

interface RecoveryCodeDialogProps extends Pick<SettingsForms, 'ReauthForm'> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * Makes a recovery code, which is valid once a part of it was typed back. Closed before that, everything stays
 * as it was. Requires reauthentication, except right after sign-up.
 */
export function RecoveryCodeDialog({ isOpen, onClose, ReauthForm }: RecoveryCodeDialogProps) {
  const { t } = useLingui();
  // `sent`: whether it is valid is not known until the server responds.
  const [phase, setPhase] = useState<'none' | 'shown' | 'sent'>('none');
  return (
    <Dialog
      isOpen={isOpen}
      onClose={() => {
        // It may be on paper already, so its reader must know that it opens nothing.
        if (phase === 'shown') toast(t`No new code was saved. The one you just saw won't work.`);
        setPhase('none');
        onClose();
      }}
      title={t`Your recovery code`}
      hasUnsentWords={phase !== 'none'}
    >
      {isOpen && (
        <MakeCode
          ReauthForm={ReauthForm}
          onShown={() => setPhase('shown')}
          onSending={() => setPhase('sent')}
          onSaved={() => {
            setPhase('none');
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

interface MakeCodeProps extends Pick<SettingsForms, 'ReauthForm'> {
  /** Shown, and surely not valid. */
  readonly onShown: () => void;
  readonly onSending: () => void;
  readonly onSaved: () => void;
}

function MakeCode({ ReauthForm, onShown, onSending, onSaved }: MakeCodeProps) {
  const { t } = useLingui();
  const make = useMutation({
    mutationFn: fetchNewCode,
    // The code must exist on this screen only, so it is not cached.
    gcTime: 0,
    onSuccess: onShown,
  });
  const begin = useEffectEvent(() => make.mutate());
  useEffect(() => begin(), []);

  const { data, error } = make;
  if (data) {
    const { code, proof } = data;
    return (
      <NewRecoveryCode
        code={code}
        proof={proof}
        onSending={onSending}
        onRefused={onShown}
        onSaved={onSaved}
      />
    );
  }
  if (error instanceof ApiError && error.code === 'REAUTH_REQUIRED') {
    return (
      <div className={styles.sessions}>
        <p className={styles.soft}>
          <Trans>To be sure it's you, we'll send an OTP to your number first.</Trans>
        </p>
        <Suspense fallback={<FormSkeleton />}>
          <ReauthForm
            onConfirmed={async () => {
              await make.mutateAsync();
            }}
          />
        </Suspense>
      </div>
    );
  }
  if (error) {
    return (
      <ErrorCard onRetry={() => make.mutate()} isRetrying={make.isPending}>
        {errorText(error, t`Couldn't make a code.`)}
      </ErrorCard>
    );
  }
  return <FormSkeleton />;
}
