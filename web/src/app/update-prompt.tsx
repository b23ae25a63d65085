import { Trans } from '@lingui/react/macro';
import { useSyncExternalStore } from 'react';
import { Button } from '../ui/button.tsx';
import { dismissRelease, goToNewRelease, useNewRelease } from './service-worker.ts';
import styles from './shell.module.css';

/**
 * Somebody is in the middle of something: writing, in a dialog, or with words in a field that a reload would lose.
 * Drafts are kept (`data-kept`).
 */
function isInTheWay(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'textarea, input:not([type=radio], [type=checkbox], [type=search])',
  );
  return (
    document.querySelector('[role=dialog], [role=alertdialog], textarea:focus, input:focus') !== null ||
    [...fields].some((field) => field.value !== '' && !field.closest('[data-kept]'))
  );
}

const signs = ['input', 'focusin', 'focusout', 'click'];

function subscribe(listener: () => void): () => void {
  for (const sign of signs) document.addEventListener(sign, listener);
  return () => {
    for (const sign of signs) document.removeEventListener(sign, listener);
  };
}

export function UpdatePrompt() {
  const isReady = useNewRelease();
  return <div role="status">{isReady && <Offer />}</div>;
}

/** Waits for a calm moment, and steps back when somebody begins to write. */
function Offer() {
  const hasToWait = useSyncExternalStore(subscribe, isInTheWay);
  if (hasToWait) return null;
  return (
    <div className={styles.update}>
      <p>
        <Trans>A new version is ready.</Trans>
      </p>
      <Button variant="quiet" onClick={dismissRelease}>
        <Trans>Later</Trans>
      </Button>
      <Button onClick={goToNewRelease}>
        <Trans>Reload</Trans>
      </Button>
    </div>
  );
}
