import { Trans } from '@lingui/react/macro';
import { Button, ButtonRow } from '../../../ui/button.tsx';
import { Alert } from '../../../ui/dialog.tsx';

interface NoticeProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
}

/** The specification's alert: a sentence and one button. */
export function Notice({ isOpen, title, onClose }: NoticeProps) {
  return (
    <Alert
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      actions={
        <ButtonRow>
          <Button onClick={onClose}>
            <Trans>OK</Trans>
          </Button>
        </ButtonRow>
      }
    />
  );
}
