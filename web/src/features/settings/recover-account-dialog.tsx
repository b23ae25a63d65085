import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError } from '../../lib/api-client.ts';
import { signIn } from '../../lib/current-user.ts';
import { errorText } from '../../lib/error-text.ts';
import { formatFull } from '../../lib/format.ts';
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
  // In memory alone: on a shared phone, nobody must see that an account is being recovered.
  const [opensAt, setOpensAt] = useState<string>();
  const close = () => {
    setOpensAt(undefined);
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={t`Get an old account back`}
      description={
        opensAt === undefined && (
          <Trans>
            Your old account comes back. This new one is deleted; its vents disappear over 30 days.
          </Trans>
        )
      }
    >
      {isOpen &&
        (opensAt === undefined ? (
          <CodeForm onWaits={setOpensAt} />
        ) : (
          <Wait opensAt={opensAt} onClose={close} />
        ))}
    </Dialog>
  );
}

function CodeForm({ onWaits }: { readonly onWaits: (opensAt: string) => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [code, setCode] = useState('');
  const recover = useMutation({
    mutationFn: recoverWithCode,
    gcTime: 0,
    onSuccess: async (answer) => {
      await navigate(paths.home);
      signIn(client, answer);
      toast(t`You're back in your old account.`);
    },
    onError: (error) => {
      if (error instanceof ApiError && error.opensAt !== undefined) onWaits(error.opensAt);
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

interface WaitProps {
  readonly opensAt: string;
  readonly onClose: () => void;
}

/** The code was right: what a person does meanwhile who has lost the SIM. */
function Wait({ opensAt, onClose }: WaitProps) {
  const opening = formatFull(opensAt);
  const { recoveryWaitHours, recoveryOpenDays: openDays } = limits;
  const waitDays = recoveryWaitHours / 24;
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => said.current?.focus(), []);
  return (
    <div className={styles.sessions}>
      <p ref={said} tabIndex={-1}>
        <Trans>Your code is right. We always wait {waitDays} days, in case it isn't you asking.</Trans>
      </p>
      <ol className={styles.steps}>
        <li>
          <Trans>Keep this number, and don't delete this account.</Trans>
        </li>
        <li>
          <Trans>
            Come back after <strong>{opening}</strong>. You have {openDays} days from then.
          </Trans>
        </li>
        <li>
          <Trans>Enter your code here again, and you're in.</Trans>
        </li>
      </ol>
      <p className={styles.soft}>
        <Trans>If you can still open the old account somewhere, you can stop it there.</Trans>
      </p>
      <Button isWide onClick={onClose}>
        <Trans>Got it</Trans>
      </Button>
    </div>
  );
}
