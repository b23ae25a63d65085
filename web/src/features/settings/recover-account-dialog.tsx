import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { signIn } from '../../lib/current-user.ts';
import { errorText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { RecoveryCodeField } from './recovery-code-field.tsx';
import { recoverWithCode } from './recovery.api.ts';
import styles from './settings.module.css';

interface RecoverAccountDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function RecoverAccountDialog({ isOpen, onClose }: RecoverAccountDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Get an old account back`}
      description={
        <Trans>
          Enter the recovery code of your old account. It will replace this one and get this number. This
          account, made in the last {limits.recoverableDays} days, will be deleted. What you wrote with it
          goes bit by bit over 30 days.
        </Trans>
      }
    >
      {isOpen && <CodeForm />}
    </Dialog>
  );
}

function CodeForm() {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [code, setCode] = useState('');
  const recover = useMutation({
    mutationFn: recoverWithCode,
    gcTime: 0,
    onSuccess: async ({ token, user }) => {
      await navigate(paths.home);
      signIn(client, token, user);
      toast(t`You're back in your old account.`);
    },
  });
  return (
    <form
      className={styles.sessions}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() !== '') recover.mutate(code);
      }}
    >
      <RecoveryCodeField
        value={code}
        onChange={(typed) => {
          setCode(typed);
          recover.reset();
        }}
        error={recover.error ? errorText(recover.error, t`That didn't work. Try again.`) : undefined}
      />
      <Button type="submit" isWide disabled={code.trim() === ''} isBusy={recover.isPending}>
        <Trans>Get it back</Trans>
      </Button>
    </form>
  );
}
