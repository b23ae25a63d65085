import { Trans } from '@lingui/react/macro';
import { useSyncExternalStore } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { dismissRelease, useNewRelease } from '../lib/release.ts';
import { activateRelease } from './service-worker.ts';

/**
 * Whether the user is busy: writing, in a dialog, or with text in a field that a reload would lose. Fields
 * whose draft is stored are marked `data-kept`.
 */
function isUserBusy(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'textarea, input:not([type=radio], [type=checkbox], [type=search])',
  );
  return (
    document.querySelector('[role=dialog], [role=alertdialog], textarea:focus, input:focus') !== null ||
    [...fields].some((field) => field.value !== '' && !field.closest('[data-kept]'))
  );
}

const activityEvents = ['input', 'focusin', 'focusout', 'click'];

function subscribe(listener: () => void): () => void {
  for (const event of activityEvents) document.addEventListener(event, listener);
  return () => {
    for (const event of activityEvents) document.removeEventListener(event, listener);
  };
}

export function UpdatePrompt() {
  const isReady = useNewRelease();
  return <div role="status">{isReady && <UpdateBanner />}</div>;
}

/** Hidden while the user is busy. */
function UpdateBanner() {
  const isBusy = useSyncExternalStore(subscribe, isUserBusy);
  if (isBusy) return null;
  return (
    <Banner>
      <p>
        <Trans>A new version is ready.</Trans>
      </p>
      <Button variant="quiet" onClick={dismissRelease}>
        <Trans>Later</Trans>
      </Button>
      <Button onClick={activateRelease}>
        <Trans>Reload</Trans>
      </Button>
    </Banner>
  );
}
