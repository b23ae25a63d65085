import type { VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { CommentComposer } from '../comments/comment-composer.tsx';
import { CommentList } from '../comments/comment-list.tsx';
import { useFreshVent } from '../vents.api.ts';

interface CommentDialogProps {
  readonly vent: VentView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly canDelete: boolean;
}

export function CommentDialog({ vent, isOpen, onClose, canDelete }: CommentDialogProps) {
  const { t } = useLingui();
  const [hasUnsentWords, setHasUnsentWords] = useState(false);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      hasUnsentWords={hasUnsentWords}
      title={t`Comments`}
      description={<UserText>{vent.title}</UserText>}
      footer={<CommentComposer vent={vent} onUnsentChange={setHasUnsentWords} />}
    >
      <FreshComments vent={vent} canDelete={canDelete} />
    </Dialog>
  );
}

/** Mounted only while the dialog is open, so that each opening fetches the comments. */
function FreshComments({ vent, canDelete }: { readonly vent: VentView; readonly canDelete: boolean }) {
  return <CommentList vent={useFreshVent(vent)} canDelete={canDelete} isInDialog />;
}
