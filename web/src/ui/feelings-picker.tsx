import { emotions, limits, type Emotion } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useId, useState, type ReactNode } from 'react';
import { cx } from './class-names.ts';
import { emotionClass, emotionIcons, emotionLabel } from './emotion.tsx';
import { Icon } from './icon.tsx';
import check from '@material-symbols/svg-400/rounded/check.svg?path';
import choiceStyles from './choice.module.css';
import fieldStyles from './field.module.css';
import styles from './feelings-picker.module.css';

interface FeelingsPickerProps {
  readonly value: readonly Emotion[];
  /** In the order of the list, not of selection. The server stores the same order. */
  readonly onChange: (feelings: Emotion[]) => void;
  /** Explains the purpose, and who can see the choice. */
  readonly hint: ReactNode;
  readonly legendClassName?: string | undefined;
}

/** Up to three of six emotions. Toggle buttons, so that an empty selection is possible. */
export function FeelingsPicker({ value, onChange, hint, legendClassName }: FeelingsPickerProps) {
  const { t } = useLingui();
  const id = useId();
  const [isOneTooMany, setIsOneTooMany] = useState(false);
  const isFull = value.length >= limits.feelings;

  const toggle = (emotion: Emotion) => {
    const isNamed = value.includes(emotion);
    setIsOneTooMany(!isNamed && isFull);
    if (!isNamed && isFull) return;
    onChange(emotions.filter((one) => value.includes(one) !== (one === emotion)));
  };

  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className={legendClassName ?? fieldStyles.label}>{t`How have you been feeling lately?`}</legend>
      <p id={`${id}-hint`} className={cx(fieldStyles.hint, styles.hint)}>
        {hint}
      </p>
      <div className={cx(choiceStyles.options, choiceStyles.even)}>
        {emotions.map((emotion) => {
          const isNamed = value.includes(emotion);
          return (
            <button
              key={emotion}
              type="button"
              aria-pressed={isNamed}
              // Stays focusable. Pressing it explains why it is disabled.
              aria-disabled={(!isNamed && isFull) || undefined}
              className={cx(choiceStyles.option, emotionClass(emotion))}
              onClick={() => toggle(emotion)}
            >
              <Icon path={emotionIcons[emotion]} size={20} />
              {emotionLabel(emotion)}
              {isNamed && (
                <span className={styles.mark}>
                  <Icon path={check} size={14} />
                </span>
              )}
            </button>
          );
        })}
      </div>
      <p role="status" className={styles.full}>
        {isOneTooMany && t`That's three already. Tap one to take it back.`}
      </p>
    </fieldset>
  );
}
