import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import type { CodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

interface SubmitButtonProps {
  readonly flow: CodeFlow;
  readonly waitsFor: 'send' | 'verify';
  readonly disabled: boolean;
  readonly children: ReactNode;
}

/** Submits the form, and shows a status line when that is slow. */
export function SubmitButton({ flow, waitsFor, disabled, children }: SubmitButtonProps) {
  return (
    <div>
      <Button type="submit" isWide disabled={disabled} isBusy={flow.busyWith === waitsFor}>
        {children}
      </Button>
      <p role="status" className={styles.moment}>
        {flow.isSlow && <Trans>One moment…</Trans>}
      </p>
    </div>
  );
}
