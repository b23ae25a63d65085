import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useEffect, useState } from 'react';
import { lazyPart } from '../lib/lazy-part.tsx';
import { Button } from './button.tsx';
import { FieldError } from './field.tsx';

/** The exercise with its texts. */
export const grounding = lazyPart(() => import('./grounding-dialog.tsx'), {
  catalogue: 'crisis',
  offline: true,
});

/**
 * Opens the grounding exercise above the page, so that nothing written there is lost. Loaded with the button,
 * before the tap: the connection may be gone by then.
 */
export function GroundingButton({ children }: { readonly children: ReactNode }) {
  const { t } = useLingui();
  const Exercise = grounding.use()?.GroundingDialog;
  const [isOpen, setIsOpen] = useState(false);
  /** Counts the openings: each starts at the first step. */
  const [opening, setOpening] = useState(0);
  const [hasFailed, setHasFailed] = useState(false);

  // A failed load is tried again by the tap.
  useEffect(() => grounding.prepare(), []);

  const open = () => {
    setHasFailed(false);
    grounding.load().then(
      () => {
        setOpening((count) => count + 1);
        setIsOpen(true);
      },
      () => setHasFailed(true),
    );
  };

  return (
    <>
      <Button variant="outlined" onClick={open}>
        {children}
      </Button>
      {hasFailed && <FieldError>{t`That didn't work. Try again.`}</FieldError>}
      {Exercise && opening > 0 && <Exercise key={opening} isOpen={isOpen} onClose={() => setIsOpen(false)} />}
    </>
  );
}
