import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { errorText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { signIn } from '../../lib/self.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { bringAccountBack } from './recovery.api.ts';
import { RecoveryCodeField } from './recovery-code-field.tsx';
import styles from './settings.module.css';

interface BringBackDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function BringBackDialog({ isOpen, onClose }: BringBackDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Bring an old account back`}
      description={
        <Trans>
          With its recovery code, your old account takes the place of this one, and this number becomes its
          number. This account, made in the last {limits.broughtBackDays} days, is deleted: what you wrote
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
  const bringing = useMutation({
    mutationFn: bringAccountBack,
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
        if (code.trim() !== '') bringing.mutate(code);
      }}
    >
      <RecoveryCodeField
        value={code}
        onChange={(typed) => {
          setCode(typed);
          bringing.reset();
        }}
        error={bringing.error ? errorText(bringing.error, t`That did not work.`) : undefined}
      />
      <Button type="submit" isWide disabled={code.trim() === ''} isBusy={bringing.isPending}>
        <Trans>Bring it back</Trans>
      </Button>
    </form>
  );
}
