import type { HiddenReason } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { failureText } from '../lib/error-text.ts';
import { Button } from './button.tsx';
import { FieldError } from './field.tsx';
import styles from './hidden-line.module.css';

export interface HiddenLineProps {
  readonly id: string;
  readonly reason: HiddenReason | 'reported';
  readonly onShow: () => unknown;
  /** Where the user hid this very item. */
  readonly onUnhide?: (() => unknown) | undefined;
  /** Asked once it is on screen: its button then takes the focus of the one that is gone. */
  readonly takesFocus?: () => boolean;
}

/** The item whose line was looked for before it was on screen. It takes the focus when it comes. */
let awaited: string | undefined;

/** The button that shows a folded item again. */
export function findShowButton(id: string): HTMLElement | null {
  const button = document.querySelector<HTMLElement>(`[data-shows="${CSS.escape(id)}"]`);
  awaited = button ? undefined : id;
  return button;
}

/** In place of an item that the user hid, muted or reported: why it is not shown, and one tap that shows it. */
export function HiddenLine({ id, reason, onShow, onUnhide, takesFocus }: HiddenLineProps) {
  const reasonId = useId();
  const line = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState<'show' | 'unhide'>();
  const [failure, setFailure] = useState<unknown>();
  const focusIfNew = useEffectEvent(() => {
    if (awaited !== id && !takesFocus?.()) return;
    awaited = undefined;
    line.current?.querySelector('button')?.focus();
  });
  useEffect(() => focusIfNew(), []);

  const run = async (which: 'show' | 'unhide', button: HTMLElement, work: () => unknown) => {
    const frame = button.closest('article, li, [role=dialog]');
    // It is about to go. A dialog that loses the focused element would take the focus itself.
    button.blur();
    setBusy(which);
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(error);
    }
    setBusy(undefined);
    requestAnimationFrame(() => frame?.querySelector<HTMLElement>('a, button')?.focus());
  };

  return (
    <div ref={line} className={styles.line}>
      <p id={reasonId}>
        <Reason reason={reason} />
      </p>
      <div className={styles.buttons}>
        <Button
          variant="quiet"
          data-shows={id}
          aria-describedby={reasonId}
          isBusy={busy === 'show'}
          onClick={({ currentTarget }) => void run('show', currentTarget, onShow)}
        >
          <Trans>Show</Trans>
        </Button>
        {onUnhide && (
          <Button
            variant="quiet"
            aria-describedby={reasonId}
            isBusy={busy === 'unhide'}
            onClick={({ currentTarget }) => void run('unhide', currentTarget, onUnhide)}
          >
            <Trans>Unhide</Trans>
          </Button>
        )}
      </div>
      {failure !== undefined && <FieldError>{failureText(failure, '')}</FieldError>}
    </div>
  );
}

function Reason({ reason }: Pick<HiddenLineProps, 'reason'>) {
  switch (reason) {
    case 'reported':
      return <Trans>You reported this. We'll look at it.</Trans>;
    case 'you':
      return <Trans>Hidden for you.</Trans>;
    case 'name':
      return <Trans>By someone you've hidden.</Trans>;
    case 'word':
      return <Trans>Has a word you've muted.</Trans>;
    case 'hashtag':
      return <Trans>Has a hashtag you've muted.</Trans>;
    case 'emotion':
      return <Trans>A feeling you've muted.</Trans>;
  }
}
