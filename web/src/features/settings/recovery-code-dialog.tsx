import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useEffectEvent, type ComponentType } from 'react';
import { ApiError } from '../../lib/api-client.ts';
import { errorText } from '../../lib/error-text.ts';
import { Button, ButtonRow } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { toast } from '../../ui/toast.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import { fetchNewCode, recoveryQuery } from './recovery.api.ts';
import copy from '@material-symbols/svg-400/rounded/content_copy.svg?path';
import styles from './settings.module.css';

interface RecoveryCodeDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Reauthentication form, from the auth feature. */
  readonly ReauthForm: ComponentType<{ readonly onConfirmed: () => Promise<void> }>;
}

/** Creates a recovery code and shows it once. Requires reauthentication, except right after sign-up. */
export function RecoveryCodeDialog({ isOpen, onClose, ReauthForm }: RecoveryCodeDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t`Your recovery code`}>
      {isOpen && <CreateCode onClose={onClose} ReauthForm={ReauthForm} />}
    </Dialog>
  );
}

function CreateCode({ onClose, ReauthForm }: Omit<RecoveryCodeDialogProps, 'isOpen'>) {
  const { t } = useLingui();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: fetchNewCode,
    // The code must exist on this screen only, so it is not cached.
    gcTime: 0,
    onSuccess: ({ madeOn }) => client.setQueryData(recoveryQuery.queryKey, madeOn),
  });
  const begin = useEffectEvent(() => create.mutate());
  useEffect(() => begin(), []);

  const { data, error } = create;
  if (data) return <Shown code={data.code} onClose={onClose} />;
  if (error instanceof ApiError && error.code === 'REAUTH_REQUIRED') {
    return (
      <div className={styles.sessions}>
        <p className={styles.soft}>
          <Trans>To be sure it is you, we send a code to your number first.</Trans>
        </p>
        <Suspense fallback={<FormSkeleton />}>
          <ReauthForm
            onConfirmed={async () => {
              await create.mutateAsync();
            }}
          />
        </Suspense>
      </div>
    );
  }
  if (error) {
    return (
      <ErrorCard onRetry={() => create.mutate()} isRetrying={create.isPending}>
        {errorText(error, t`The code could not be made.`)}
      </ErrorCard>
    );
  }
  return <FormSkeleton />;
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
          // Groups can repeat, so the index is the key.
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
