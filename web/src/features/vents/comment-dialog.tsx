import type { VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { Dialog } from '../../ui/dialog.tsx';
import { Words } from '../../ui/words.tsx';
import { CommentComposer } from './comment-composer.tsx';
import { CommentList } from './comment-list.tsx';
import { useFreshVent } from './vents.api.ts';

interface CommentDialogProps {
  readonly vent: VentView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly canDelete: boolean;
}

export function CommentDialog({ vent, isOpen, onClose, canDelete }: CommentDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Comments`}
      description={<Words>{vent.title}</Words>}
      footer={<CommentComposer vent={vent} />}
    >
      <FreshComments vent={vent} canDelete={canDelete} />
    </Dialog>
  );
}

/** Lives only while the dialog is open: each opening asks for the comments as they are. */
function FreshComments({ vent, canDelete }: { readonly vent: VentView; readonly canDelete: boolean }) {
  return <CommentList vent={useFreshVent(vent)} canDelete={canDelete} isInDialog />;
}
