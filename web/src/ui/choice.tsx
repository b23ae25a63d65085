import { useId, type ReactNode } from 'react';
import { cx } from './class-names.ts';
import { Icon } from './icon.tsx';
import styles from './choice.module.css';

interface Option<V extends string> {
  readonly value: V;
  readonly label: string;
  readonly icon?: string;
}

interface ChoiceProps<V extends string> {
  readonly legend: string;
  readonly isLegendHidden?: boolean;
  readonly hint?: ReactNode;
  readonly options: readonly Option<V>[];
  readonly value: V | null;
  readonly onChange: (value: V) => void;
}

/** One of a few, all in sight: real radio buttons in the shape of chips. */
export function Choice<V extends string>({
  legend,
  isLegendHidden,
  hint,
  options,
  value,
  onChange,
}: ChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset className={styles.choice} aria-describedby={hint ? `${name}-hint` : undefined}>
      <legend className={cx(styles.legend, isLegendHidden && 'visually-hidden')}>{legend}</legend>
      <div className={styles.options}>
        {options.map((option) => (
          <label key={option.value} className={styles.option}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.icon && <Icon path={option.icon} size={20} />}
            {option.label}
          </label>
        ))}
      </div>
      {hint && (
        <p id={`${name}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </fieldset>
  );
}
