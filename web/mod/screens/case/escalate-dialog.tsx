import { useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Modal } from '../../ui/modal.tsx';
import ui from '../../ui/ui.module.css';
import { useAction } from './use-action.ts';

interface EscalateDialogProps {
  readonly caseId: string;
  readonly send: (note: string) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function EscalateDialog({ caseId, send, onDone, onClose }: EscalateDialogProps) {
  const [note, setNote] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  // Not on the button that closes the dialog: the first space of a note would press it, and the rest would be keys.
  useEffect(() => field.current?.focus(), []);
  const escalate = useAction(caseId, () => send(note.trim()), onDone);
  useShortcuts({ confirm: escalate.start }, { isInDialog: true });
  return (
    <Modal title="Hand this case to a lead" onClose={onClose}>
      <TextArea
        ref={field}
        label="Note for the lead (optional)"
        maxLength={1000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      {escalate.failure && (
        <Banner tone="alarm" isAlert>
          {escalate.failure}
        </Banner>
      )}
      <div className={`${ui.row} ${ui.end}`}>
        <Button variant="primary" shortcut="Ctrl Enter" isBusy={escalate.isBusy} onClick={escalate.start}>
          Hand over
        </Button>
      </div>
    </Modal>
  );
}
