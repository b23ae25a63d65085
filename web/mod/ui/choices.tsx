import { useId, type ReactNode, type Ref } from 'react';
import { Key } from './key.tsx';
import styles from './ui.module.css';

export interface Choice<T extends string> {
  readonly value: T;
  readonly name: string;
  readonly meaning?: ReactNode;
  readonly shortcut?: string;
  readonly mark?: ReactNode;
  readonly isDisabled?: boolean;
}

interface ChoicesProps<T extends string> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly choices: readonly Choice<T>[];
  readonly value: T | null;
  readonly onChange: (value: T) => void;
  readonly isInColumns?: boolean;
  readonly ref?: Ref<HTMLFieldSetElement>;
}

/** Radio buttons with their meaning. */
export function Choices<T extends string>({
  label,
  isLabelHidden = false,
  choices,
  value,
  onChange,
  isInColumns = false,
  ref,
}: ChoicesProps<T>) {
  const group = useId();
  return (
    <fieldset ref={ref} className={styles.field}>
      <legend className={isLabelHidden ? 'visually-hidden' : styles.label}>{label}</legend>
      <div className={`${styles.choices} ${isInColumns ? styles.inColumns : ''}`}>
        {choices.map((choice) => (
          <label key={choice.value} className={styles.choice}>
            <input
              type="radio"
              name={group}
              value={choice.value}
              checked={value === choice.value}
              disabled={choice.isDisabled}
              onChange={() => onChange(choice.value)}
            />
            <span>
              <span className={styles.choiceName}>
                {choice.name} {choice.mark}
              </span>
              {choice.meaning && <span className={styles.hint}>{choice.meaning}</span>}
            </span>
            {choice.shortcut && <Key>{choice.shortcut}</Key>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
