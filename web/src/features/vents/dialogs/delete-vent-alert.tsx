import type { VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { failureText } from '../../../lib/error-text.ts';
import { Button, ButtonRow } from '../../../ui/button.tsx';
import { Alert } from '../../../ui/dialog.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { deletedInVisit, useDeleteVent } from './delete-vent.api.ts';
import { Notice } from './notice.tsx';
import styles from './dialogs.module.css';

interface DeleteVentAlertProps {
  readonly vent: VentView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDeleted?: (() => void) | undefined;
  readonly failure?: string | undefined;
}

export function DeleteVentAlert({ vent, isOpen, onClose, onDeleted, failure }: DeleteVentAlertProps) {
  const { t } = useLingui();
  const remove = useDeleteVent();
  const [failed, setFailed] = useState('');
  const [hasFailed, setHasFailed] = useState(false);
  // Fixed when the alert opens: the warning must not appear while this vent is being deleted.
  const [isOneOfSeveral] = useState(() => deletedInVisit() > 0);

  const confirm = async () => {
    try {
      await remove.mutateAsync(vent._id);
      onClose();
      onDeleted?.();
    } catch (error) {
      onClose();
      setFailed(failureText(error, failure ?? t`Failed to delete vent`));
      setHasFailed(true);
    }
  };

  return (
    <>
      <Alert
        isOpen={isOpen}
        onClose={onClose}
        title={t`Are you sure you want to delete this vent?`}
        actions={
          <ButtonRow>
            <Button variant="quiet" disabled={remove.isPending} onClick={onClose}>{t`Cancel`}</Button>
            <Button variant="danger" isBusy={remove.isPending} onClick={() => void confirm()}>
              <Trans>Delete</Trans>
            </Button>
          </ButtonRow>
        }
      >
        <UserText>{vent.title}</UserText>
        {isOneOfSeveral && (
          <span className={styles.second}>
            <Trans>Deleting several together can show that they're by one person.</Trans>
          </span>
        )}
      </Alert>
      <Notice isOpen={hasFailed} title={failed} onClose={() => setHasFailed(false)} />
    </>
  );
}
