import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useEffectEvent, type ComponentType } from 'react';
import { ApiError } from '../../lib/api-client.ts';
import { errorText } from '../../lib/error-text.ts';
import { Button, ButtonRow } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { toast } from '../../ui/toast.tsx';
import { FormWaiting } from './form-waiting.tsx';
import { fetchNewCode, recoveryQuery } from './recovery.api.ts';
import copy from '@material-symbols/svg-400/rounded/content_copy.svg?path';
import styles from './settings.module.css';

interface RecoveryCodeDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Asks for a fresh code; belongs to signing in. */
  readonly ReauthForm: ComponentType<{ readonly onConfirmed: () => Promise<void> }>;
}

/** Makes a code and shows it, once. Whoever is not just signing up confirms with a code by SMS first. */
export function RecoveryCodeDialog({ isOpen, onClose, ReauthForm }: RecoveryCodeDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t`Your recovery code`}>
      {isOpen && <Making onClose={onClose} ReauthForm={ReauthForm} />}
    </Dialog>
  );
}

function Making({ onClose, ReauthForm }: Omit<RecoveryCodeDialogProps, 'isOpen'>) {
  const { t } = useLingui();
  const client = useQueryClient();
  const making = useMutation({
    mutationFn: fetchNewCode,
    // It is nowhere but on this screen, and gone with it.
    gcTime: 0,
    onSuccess: ({ madeOn }) => client.setQueryData(recoveryQuery.queryKey, madeOn),
  });
  const begin = useEffectEvent(() => making.mutate());
  useEffect(() => begin(), []);

  const { data, error } = making;
  if (data) return <Shown code={data.code} onClose={onClose} />;
  if (error instanceof ApiError && error.code === 'REAUTH_REQUIRED') {
    return (
      <div className={styles.sessions}>
        <p className={styles.soft}>
          <Trans>To be sure it is you, we send a code to your number first.</Trans>
        </p>
        <Suspense fallback={<FormWaiting />}>
          <ReauthForm
            onConfirmed={async () => {
              await making.mutateAsync();
            }}
          />
        </Suspense>
      </div>
    );
  }
  if (error) {
    return (
      <ErrorCard onRetry={() => making.mutate()} isRetrying={making.isPending}>
        {errorText(error, t`The code could not be made.`)}
      </ErrorCard>
    );
  }
  return <FormWaiting />;
}

function Shown({ code, onClose }: { readonly code: string; readonly onClose: () => void }) {
  const { t } = useLingui();
  async function copyCode(): Promise<void> {
    try {
      await navigator.clipboard.writeText(code);
      toast(t`Copied. Put it somewhere only you can reach.`);
    } catch {
      toast(t`It could not be copied. Please write it down.`);
    }
  }
  return (
    <div className={styles.sessions}>
      <p className={styles.soft}>
        <Trans>
          Write it on paper and keep it where only you look. It is shown this once, and whoever has it can
          open your account.
        </Trans>
      </p>
      <p className={styles.code} dir="ltr" aria-label={t`Recovery code`}>
        {code.split('-').map((group, n) => (
          // A group can occur twice; its place cannot.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={n}>{group}</span>
        ))}
      </p>
      <ButtonRow>
        <Button variant="outlined" icon={copy} onClick={() => void copyCode()}>
          <Trans>Copy</Trans>
        </Button>
        <Button onClick={onClose}>
          <Trans>I have written it down</Trans>
        </Button>
      </ButtonRow>
    </div>
  );
}
