import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useEffect, useState } from 'react';
import { withMessages } from '../locales/i18n.ts';
import { Button } from './button.tsx';
import { FieldError } from './field.tsx';
import type { GroundingDialog } from './grounding-dialog.tsx';

/** The exercise with its texts. */
export async function loadGrounding(): Promise<typeof GroundingDialog> {
  return (await withMessages(import('./grounding-dialog.tsx'), 'crisis')).GroundingDialog;
}

/**
 * Opens the grounding exercise above the page, so that nothing written there is lost. Loaded with the button,
 * before the tap: the connection may be gone by then.
 */
export function GroundingButton({ children }: { readonly children: ReactNode }) {
  const { t } = useLingui();
  const [Exercise, setExercise] = useState<typeof GroundingDialog>();
  const [isOpen, setIsOpen] = useState(false);
  /** Counts the openings: each starts at the first step. */
  const [opening, setOpening] = useState(0);
  const [hasFailed, setHasFailed] = useState(false);

  useEffect(() => {
    // A failed load is tried again by the tap.
    loadGrounding().catch(() => undefined);
  }, []);

  const open = () => {
    setHasFailed(false);
    loadGrounding().then(
      (loaded) => {
        setExercise(() => loaded);
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
      {Exercise && <Exercise key={opening} isOpen={isOpen} onClose={() => setIsOpen(false)} />}
    </>
  );
}
