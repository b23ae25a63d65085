import { escalateCase, extendLease, releaseCase, type CaseView } from '@unsaid/contract/moderation/console';
import { useEffect, useState } from 'react';
import { call } from '../../api.ts';
import { useCaseCache } from '../../cases.api.ts';
import { announce } from '../../lib/announce.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { EscalateDialog } from './escalate-dialog.tsx';
import { useAction } from './use-action.ts';
import type { Lease } from './use-lease.ts';
import styles from './case.module.css';

interface LeaseBarProps {
  readonly view: CaseView;
  readonly lease: Lease;
  readonly onDone: (sentence: string) => void;
}

/** How long the case is held, and the ways out of it without a decision. */
export function LeaseBar({ view, lease, onDone }: LeaseBarProps) {
  const [isEscalating, setIsEscalating] = useState(false);
  const cache = useCaseCache(view.id);
  const ofCase = { params: { id: view.id } };
  const extend = useAction(
    view.id,
    () => call(extendLease, ofCase),
    (answer) => {
      cache.put(answer.case);
      announce('Ten more minutes.');
    },
  );
  const skip = useAction(
    view.id,
    () => call(releaseCase, { ...ofCase, body: { isSkip: true } }),
    () => onDone('Skipped. Somebody else will look at it.'),
  );
  const canEscalate = view.state === 'open';
  useShortcuts({ s: skip.start, ...(canEscalate && { e: () => setIsEscalating(true) }) });

  useEffect(() => {
    if (lease.isShort) announce('Two minutes left for this case. You can extend it.');
  }, [lease.isShort]);

  const failure = extend.failure ?? skip.failure;
  return (
    <>
      <div className={styles.lease}>
        <p className={lease.isShort ? styles.short : undefined}>
          You hold this case for <span className={styles.clock}>{lease.left}</span> more
        </p>
        <div className={styles.leaseActions}>
          <Button variant="quiet" isBusy={extend.isBusy} onClick={extend.start}>
            Extend
          </Button>
          <Button shortcut="S" isBusy={skip.isBusy} onClick={skip.start}>
            Skip
          </Button>
          {canEscalate && (
            <Button shortcut="E" onClick={() => setIsEscalating(true)}>
              Hand to a lead
            </Button>
          )}
        </div>
      </div>
      {failure && (
        <Banner tone="alarm" isAlert>
          {failure}
        </Banner>
      )}
      {isEscalating && (
        <EscalateDialog
          onClose={() => setIsEscalating(false)}
          caseId={view.id}
          send={(note) =>
            call(escalateCase, { ...ofCase, body: { version: view.version, ...(note && { note }) } })
          }
          onDone={() => onDone('Handed to a lead. Thank you for not guessing.')}
        />
      )}
    </>
  );
}
