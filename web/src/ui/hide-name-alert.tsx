import type { HideTarget } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshLists, sendHide } from '../lib/choices.ts';
import { failureText } from '../lib/error-text.ts';
import { Button, ButtonRow } from './button.tsx';
import { Alert } from './dialog.tsx';
import { FieldError } from './field.tsx';
import { toast } from './toast.tsx';

interface HideNameAlertProps {
  readonly name: string;
  readonly about: HideTarget;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onHidden?: () => void;
}

/** Asks before all comments under a name are hidden: a match with that person ends for good. */
export function HideNameAlert({ name, about, isOpen, onClose, onHidden }: HideNameAlertProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const send = useMutation({ mutationFn: () => sendHide(about) });
  const confirm = async () => {
    try {
      await send.mutateAsync();
    } catch {
      // Shown in the alert, which stays open.
      return;
    }
    refreshLists(client);
    onHidden?.();
    onClose();
    toast(t`Hidden. You can undo this in Settings.`);
  };
  return (
    <Alert
      isOpen={isOpen}
      onClose={onClose}
      title={t`Hide everything by ${name}?`}
      actions={
        <>
          {send.isError && (
            <FieldError>
              {failureText(send.error, t`Your list is full. Take something off it in Settings first.`)}
            </FieldError>
          )}
          <ButtonRow>
            <Button variant="quiet" disabled={send.isPending} onClick={onClose}>{t`Cancel`}</Button>
            <Button isBusy={send.isPending} onClick={() => void confirm()}>{t`Hide`}</Button>
          </ButtonRow>
        </>
      }
    >
      <Trans>
        You won't see what {name} says under that name, and you two won't be matched again. If you're matched
        now, that ends for good. They won't be told.
      </Trans>
    </Alert>
  );
}
