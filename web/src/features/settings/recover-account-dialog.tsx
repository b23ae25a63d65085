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
      title={t`Bring an old account back`}
      description={
        <Trans>
          With its recovery code, your old account takes the place of this one, and this number becomes its
          number. This account, made in the last {limits.recoverableDays} days, is deleted: what you wrote
          with it goes bit by bit within 30 days.
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
      toast(t`You are back.`);
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
        error={recover.error ? errorText(recover.error, t`That did not work.`) : undefined}
      />
      <Button type="submit" isWide disabled={code.trim() === ''} isBusy={recover.isPending}>
        <Trans>Bring it back</Trans>
      </Button>
    </form>
  );
}
