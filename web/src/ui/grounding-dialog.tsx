import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { lineFor } from '@unsaid/guard/helplines';
import { useState } from 'react';
import { readerCountry } from '../lib/reader-country.ts';
import { Button, ButtonRow } from './button.tsx';
import { cx } from './class-names.ts';
import { Dialog } from './dialog.tsx';
import buttonStyles from './button.module.css';
import styles from './grounding-dialog.module.css';

interface Step {
  readonly text: MessageDescriptor;
  readonly hint: MessageDescriptor;
  readonly isBreathing?: boolean;
}

/** Slow breathing, then five senses. Nobody checks an answer, and no step ends by itself. */
const steps: readonly Step[] = [
  {
    text: msg`Let's slow down for two minutes.`,
    hint: msg`Go at your own pace. If a step doesn't feel right, skip it. You can stop any time.`,
  },
  {
    text: msg`Feel what's holding you up.`,
    hint: msg`The floor under your feet, the chair, the bed. Press into it a little.`,
  },
  {
    text: msg`Breathe in slowly. Breathe out even slower.`,
    hint: msg`Five times, at your own speed.`,
    isBreathing: true,
  },
  { text: msg`Find 5 things you can see.`, hint: msg`Look around slowly. Name them in your head.` },
  {
    text: msg`Find 4 things you can touch.`,
    hint: msg`Your clothes, your phone, the wall. How does each one feel?`,
  },
  { text: msg`Find 3 things you can hear.`, hint: msg`A fan, the traffic, your own breath.` },
  { text: msg`Find 2 things you can smell.`, hint: msg`Or think of two smells you like.` },
  { text: msg`Find 1 thing you can taste.`, hint: msg`A sip of water is enough.` },
  {
    text: msg`That was two minutes for you.`,
    hint: msg`If it's still too much, talk to someone. You can do this again any time.`,
  },
];

interface GroundingDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Two minutes of grounding, step by step. Works offline, makes no sound and stores nothing. */
export function GroundingDialog({ isOpen, onClose }: GroundingDialogProps) {
  const { t } = useLingui();
  const [index, setIndex] = useState(0);
  const step = steps[index];
  const isLast = index === steps.length - 1;
  const [line] = useState(() => lineFor(readerCountry(), new Date()));
  const [number] = line.call;
  if (!step) return null;

  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Two minutes`}
      footer={
        <ButtonRow>
          {index > 0 && (
            <Button key="previous" variant="quiet" onClick={() => setIndex(index - 1)}>{t`Step back`}</Button>
          )}
          <Button key="next" onClick={isLast ? onClose : () => setIndex(index + 1)}>
            {isLast ? <Trans>Done</Trans> : index === 0 ? <Trans>Start</Trans> : <Trans>Next</Trans>}
          </Button>
        </ButtonRow>
      }
    >
      <div className={styles.exercise}>
        <div className={styles.step} aria-live="polite" aria-atomic="true">
          <p className={styles.count}>{t`Step ${index + 1} of ${steps.length}`}</p>
          <p className={styles.text}>{t(step.text)}</p>
          <p className={styles.hint}>{t(step.hint)}</p>
        </div>
        {step.isBreathing && <span className={styles.breath} aria-hidden="true" />}
        {isLast && number && (
          <a className={cx(buttonStyles.button, buttonStyles.outlined)} href={number.href}>
            <Trans>
              Call {line.name}, {number.shown}
            </Trans>
          </a>
        )}
      </div>
    </Dialog>
  );
}
