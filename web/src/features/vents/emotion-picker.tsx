import { emotions, type Emotion } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';
import { useId } from 'react';
import { cx } from '../../ui/class-names.ts';
import { emotionClass, emotionIcons, emotionLabel } from '../../ui/emotion.tsx';
import { FieldError } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './emotion-picker.module.css';

interface EmotionPickerProps {
  readonly value: Emotion | null;
  readonly onChange: (emotion: Emotion) => void;
  readonly error?: string | undefined;
}

/** All six in sight, each with its icon and its word. */
export function EmotionPicker({ value, onChange, error }: EmotionPickerProps) {
  const name = useId();
  return (
    <fieldset className={styles.picker} aria-describedby={error ? `${name}-error` : undefined}>
      <legend className={styles.legend}>
        <Trans>Emotion</Trans>
      </legend>
      <div className={styles.options}>
        {emotions.map((emotion) => (
          <label key={emotion} className={cx(styles.option, emotionClass(emotion))}>
            <input
              type="radio"
              name={name}
              value={emotion}
              checked={emotion === value}
              onChange={() => onChange(emotion)}
            />
            <Icon path={emotionIcons[emotion]} size={20} />
            {emotionLabel(emotion)}
          </label>
        ))}
      </div>
      {error && (
        <div className={styles.error}>
          <FieldError id={`${name}-error`}>{error}</FieldError>
        </div>
      )}
    </fieldset>
  );
}
