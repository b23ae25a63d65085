import type { Emotion, SelfUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { Button, ButtonRow, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmotionChips } from '../../ui/emotion.tsx';
import { FeelingsPicker } from '../../ui/feelings-picker.tsx';
import { FieldError } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { useNameFeelings } from './matches.api.ts';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import edit from '@material-symbols/svg-400/rounded/edit.svg?path';
import styles from './matches.module.css';

/** One line, so that the first suggestion is in view: it opens the question. Stale feelings are asked about again. */
export function FeelingsCard({ self }: { readonly self: SelfUser }) {
  const { t } = useLingui();
  const [isEditing, setIsEditing] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const hasNamed = self.feelings.length > 0;
  const state = isEditing ? 'asking' : !hasNamed ? 'none' : self.feelingsStale ? 'stale' : 'named';

  // The pressed button is gone after a change of state: focus the first button of the new state.
  const shownBefore = useRef(state);
  useEffect(() => {
    const isChanged = shownBefore.current !== state;
    shownBefore.current = state;
    if (isChanged && document.activeElement === document.body)
      frame.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [state]);

  return (
    <div ref={frame}>
      {state === 'asking' ? (
        <Asking self={self} onDone={() => setIsEditing(false)} />
      ) : state === 'none' ? (
        <Button variant="quiet" isWide onClick={() => setIsEditing(true)}>
          <Trans>Name how you feel to see what you share</Trans>
        </Button>
      ) : state === 'stale' ? (
        <Stale feelings={self.feelings} onChange={() => setIsEditing(true)} />
      ) : (
        <div className={styles.named}>
          <div>
            <EmotionChips emotions={self.feelings} label={t`You're feeling`} />
          </div>
          <IconButton label={t`Edit how you feel`} icon={edit} onClick={() => setIsEditing(true)} />
        </div>
      )}
    </div>
  );
}

interface AskingProps {
  readonly self: SelfUser;
  readonly onDone: () => void;
}

function Asking({ self, onDone }: AskingProps) {
  const { t } = useLingui();
  const [feelings, setFeelings] = useState<readonly Emotion[]>(self.feelings);
  const name = useNameFeelings();
  const button = useRefocus(name.error);
  const hasNamed = self.feelings.length > 0;

  const save = async () => {
    try {
      await name.mutateAsync(feelings);
      toast(t`Saved. Looking for people who fit.`);
      onDone();
    } catch {
      // Shown below the buttons.
    }
  };

  return (
    <Card className={styles.feelings}>
      <FeelingsPicker
        value={feelings}
        onChange={setFeelings}
        legendClassName={styles.feelingsTitle}
        hint={<Trans>Pick up to three. People see which feelings you share, and may guess the others.</Trans>}
      />
      {!hasNamed && (
        <IconButton className={styles.later} label={t`Not now`} icon={close} iconSize={20} onClick={onDone} />
      )}
      {(hasNamed || feelings.length > 0) && (
        <ButtonRow>
          {hasNamed && (
            <Button variant="quiet" onClick={onDone} disabled={name.isPending}>{t`Cancel`}</Button>
          )}
          <Button ref={button} onClick={() => void save()} isBusy={name.isPending}>{t`Save`}</Button>
        </ButtonRow>
      )}
      {name.error && <FieldError>{errorText(name.error, t`Profile update failed`)}</FieldError>}
    </Card>
  );
}

interface StaleProps {
  readonly feelings: readonly Emotion[];
  readonly onChange: () => void;
}

function Stale({ feelings, onChange }: StaleProps) {
  const { t } = useLingui();
  const name = useNameFeelings();
  const confirm = useRefocus(name.error);
  return (
    <Card className={styles.feelings}>
      <h2 className={styles.feelingsTitle}>{t`Still feeling this way?`}</h2>
      <EmotionChips emotions={feelings} label={t`You're feeling`} />
      <ButtonRow>
        <Button variant="outlined" onClick={onChange} disabled={name.isPending}>{t`Change`}</Button>
        <Button ref={confirm} onClick={() => name.mutate(feelings)} isBusy={name.isPending}>
          <Trans>Still true</Trans>
        </Button>
      </ButtonRow>
      {name.error && <FieldError>{errorText(name.error, t`Profile update failed`)}</FieldError>}
    </Card>
  );
}

/** A disabled button loses focus: restore it after an error. */
function useRefocus(error: Error | null) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (error && document.activeElement === document.body) button.current?.focus();
  }, [error]);
  return button;
}
