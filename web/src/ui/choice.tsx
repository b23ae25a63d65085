import { useId, type ReactNode } from 'react';
import { cx } from './class-names.ts';
import { Described, describedBy } from './field.tsx';
import { Icon } from './icon.tsx';
import fieldStyles from './field.module.css';
import styles from './choice.module.css';

interface Option<V extends string> {
  readonly value: V;
  readonly label: string;
  readonly icon?: string;
  /** In a list: plain words below the label. */
  readonly meaning?: string | undefined;
  /** A class that sets the option's own colours. */
  readonly className?: string | undefined;
}

interface ChoiceProps<V extends string> {
  readonly legend: string;
  readonly isLegendHidden?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** Equal widths, in rows. */
  readonly isEven?: boolean;
  /** One below the other. */
  readonly isList?: boolean;
  readonly options: readonly Option<V>[];
  readonly value: V | null;
  readonly onChange: (value: V) => void;
}

/** Single choice with all options visible: radio buttons styled as chips, or as rows. */
export function Choice<V extends string>({
  legend,
  isLegendHidden,
  hint,
  error,
  isRequired,
  isEven,
  isList,
  options,
  value,
  onChange,
}: ChoiceProps<V>) {
  const id = useId();
  return (
    <fieldset data-invalid={error ? '' : undefined} aria-describedby={describedBy({ id, hint, error })}>
      <legend className={cx(fieldStyles.label, isLegendHidden && 'visually-hidden')}>{legend}</legend>
      <div className={cx(styles.options, isEven && styles.even, isList && styles.list)}>
        {options.map((option) => (
          <label key={option.value} className={cx(styles.option, option.className)}>
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              required={isRequired}
              {...(isList && {
                'aria-labelledby': `${id}-${option.value}`,
                'aria-describedby': option.meaning && `${id}-${option.value}-meaning`,
              })}
              onChange={() => onChange(option.value)}
            />
            {option.icon && <Icon path={option.icon} size={20} />}
            {isList ? (
              <>
                <span id={`${id}-${option.value}`}>{option.label}</span>
                {option.meaning && (
                  <span id={`${id}-${option.value}-meaning`} className={styles.meaning}>
                    {option.meaning}
                  </span>
                )}
              </>
            ) : (
              option.label
            )}
          </label>
        ))}
      </div>
      <Described id={id} hint={hint} error={error} />
    </fieldset>
  );
}
