import { reverseCase, type CaseView, type ModeratorRole } from '@unsaid/contract/moderation/console';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { withProof } from '../../passkeys.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import ui from '../../ui/ui.module.css';
import { useAction } from './use-action.ts';
import styles from './case.module.css';

interface ReverseDecisionProps {
  readonly view: CaseView;
  readonly isReversible: boolean;
  /** The caller was working on it. */
  readonly wasHeld: boolean;
  readonly onDone: (sentence: string) => void;
  readonly onNext: () => void;
}

/** A lead may undo somebody else's decision while it can be appealed. */
export const canReverse = ({ state, isDecidedByMe }: CaseView, role: ModeratorRole): boolean =>
  state === 'decided' && role === 'lead' && !isDecidedByMe;

/** A case that is decided or closed. */
export function ReverseDecision({ view, isReversible, wasHeld, onDone, onNext }: ReverseDecisionProps) {
  const [isOpen, setIsOpen] = useState(false);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The form that had the focus is gone.
    if (wasHeld) next.current?.focus();
  }, [wasHeld]);
  return (
    <section className={`${ui.card} ${styles.form}`} aria-labelledby="over">
      <h2 id="over">{view.state === 'decided' ? 'Decided' : 'Closed'}</h2>
      {wasHeld && <p>This case ended while it was open here. What you chose was not stored.</p>}
      <p>
        {view.state === 'decided'
          ? 'The author may ask for a second look until the time is over.'
          : 'Nothing is left to do here.'}
      </p>
      {isReversible && (
        <p>If it was wrong, you can reverse it. Read the text first: revealing it is recorded as always.</p>
      )}
      <div className={ui.row}>
        <Button ref={next} variant="primary" shortcut="N" onClick={onNext}>
          Next case
        </Button>
        {isReversible && <Button onClick={() => setIsOpen(true)}>Reverse the decision</Button>}
      </div>
      {isOpen && <ReverseDialog view={view} onDone={onDone} onClose={() => setIsOpen(false)} />}
    </section>
  );
}

interface ReverseDialogProps {
  readonly view: CaseView;
  readonly onDone: (sentence: string) => void;
  readonly onClose: () => void;
}

function ReverseDialog({ view, onDone, onClose }: ReverseDialogProps) {
  const reverse = useAction(
    view.id,
    () => withProof(() => call(reverseCase, { params: { id: view.id }, body: { version: view.version } })),
    () => onDone('Reversed. The item is back, and the author is told.'),
  );
  useShortcuts({ confirm: reverse.start }, { isInDialog: true });
  return (
    <Modal title="Reverse this decision?" onClose={onClose}>
      <p>
        The item comes back, a sanction ends, and the author reads that we were wrong. You are asked for your
        passkey.
      </p>
      {reverse.failure && (
        <Banner tone="alarm" isAlert>
          {reverse.failure}
        </Banner>
      )}
      <div className={`${ui.row} ${ui.end}`}>
        <Button variant="danger" shortcut="Ctrl Enter" isBusy={reverse.isBusy} onClick={reverse.start}>
          Reverse
        </Button>
      </div>
    </Modal>
  );
}
