import type { VentView } from '@unsaid/contract';
import { Suspense } from 'react';
import { LazyReportDialog } from '../hiding/lazy-hiding.ts';
import { CommentDialog } from './comment-dialog.tsx';
import { DeleteVentAlert } from './delete-vent-alert.tsx';
import { VentMenu } from './vent-menu.tsx';

export interface VentDialog {
  readonly kind: 'more' | 'report' | 'delete' | 'comments';
  readonly vent: VentView;
}

interface VentDialogsProps {
  readonly dialog: VentDialog;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onReport: (vent: VentView) => void;
  readonly onDelete: (vent: VentView) => void;
  readonly isOwnList?: boolean;
  readonly onDeleted?: (() => void) | undefined;
  readonly deleteFailure?: string;
}

/** One dialog at a time. It stays mounted during its closing animation. */
export function VentDialogs({
  dialog: { kind, vent },
  isOpen,
  onClose,
  onReport,
  onDelete,
  isOwnList,
  onDeleted,
  deleteFailure,
}: VentDialogsProps) {
  if (kind === 'more') {
    return (
      <VentMenu
        vent={vent}
        isOpen={isOpen}
        onClose={onClose}
        onReport={() => onReport(vent)}
        onDelete={() => onDelete(vent)}
      />
    );
  }
  if (kind === 'report') {
    return (
      <Suspense>
        <LazyReportDialog
          key={vent._id}
          about={{ kind: 'vent', id: vent._id }}
          isOpen={isOpen}
          onClose={onClose}
        />
      </Suspense>
    );
  }
  if (kind === 'delete') {
    return (
      <DeleteVentAlert
        key={vent._id}
        vent={vent}
        isOpen={isOpen}
        onClose={onClose}
        onDeleted={onDeleted}
        failure={deleteFailure}
      />
    );
  }
  return (
    <CommentDialog
      key={vent._id}
      vent={vent}
      isOpen={isOpen}
      onClose={onClose}
      canDelete={isOwnList ?? false}
    />
  );
}
