import { counterShownFrom, countGraphemes } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
} from 'react';
import { cx } from './class-names.ts';
import { Icon } from './icon.tsx';
import errorIcon from '@material-symbols/svg-400/rounded/error.svg?path';
import styles from './field.module.css';

interface FieldFrameProps {
  readonly label: string;
  readonly htmlFor?: string;
  readonly labelId?: string;
  readonly hint?: ReactNode;
  readonly hintId?: string;
  readonly error?: string | undefined;
  readonly errorId?: string;
  readonly count?: { readonly used: number; readonly max: number } | undefined;
  readonly children: ReactNode;
}

/** Label above, error beneath in words, and a counter once the end of the room is near. */
export function FieldFrame({
  label,
  htmlFor,
  labelId,
  hint,
  hintId,
  error,
  errorId,
  count,
  children,
}: FieldFrameProps) {
  const { t } = useLingui();
  const isCounting = count !== undefined && count.used >= count.max * counterShownFrom;
  return (
    <div className={styles.field}>
      {htmlFor === undefined ? (
        <span id={labelId} className={styles.label}>
          {label}
        </span>
      ) : (
        <label id={labelId} htmlFor={htmlFor} className={styles.label}>
          {label}
        </label>
      )}
      {children}
      {error && <FieldError id={errorId}>{error}</FieldError>}
      {hint && !error && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
      {isCounting && (
        <p className={cx(styles.counter, count.used > count.max && styles.over)} role="status">
          {t`${count.used} of ${count.max}`}
        </p>
      )}
    </div>
  );
}

export function FieldError({
  id,
  children,
}: {
  readonly id?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <p id={id} className={styles.error} role="alert">
      <Icon path={errorIcon} size={18} />
      <span>{children}</span>
    </p>
  );
}

interface Common {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Counted in graphemes, as a person would. */
  readonly max?: number;
  readonly value: string;
}

interface TextFieldProps
  extends Common, Omit<InputHTMLAttributes<HTMLInputElement>, 'max' | 'value' | 'className'> {
  readonly ref?: Ref<HTMLInputElement>;
  /** Sits inside the box at its end. */
  readonly action?: ReactNode;
}

export function TextField({ label, hint, error, max, value, action, ...rest }: TextFieldProps) {
  const id = useId();
  const described = cx(error ? `${id}-error` : hint ? `${id}-hint` : undefined) || undefined;
  return (
    <FieldFrame
      label={label}
      htmlFor={id}
      hint={hint}
      hintId={`${id}-hint`}
      error={error}
      errorId={`${id}-error`}
      count={max === undefined ? undefined : { used: countGraphemes(value), max }}
    >
      <div className={styles.box}>
        <input
          {...rest}
          id={id}
          value={value}
          className={cx(styles.input, action !== undefined && styles.withAction)}
          aria-invalid={error ? true : undefined}
          aria-describedby={described}
        />
        {action}
      </div>
    </FieldFrame>
  );
}

interface TextAreaProps
  extends Common, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'className'> {
  readonly ref?: Ref<HTMLTextAreaElement>;
}

/** Grows with the text up to 150 px, then scrolls. */
export function TextArea({ label, hint, error, max, value, ...rest }: TextAreaProps) {
  const id = useId();
  const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <FieldFrame
      label={label}
      htmlFor={id}
      hint={hint}
      hintId={`${id}-hint`}
      error={error}
      errorId={`${id}-error`}
      count={max === undefined ? undefined : { used: countGraphemes(value), max }}
    >
      <textarea
        rows={3}
        {...rest}
        id={id}
        value={value}
        dir="auto"
        className={cx(styles.input, styles.area)}
        aria-invalid={error ? true : undefined}
        aria-describedby={described}
      />
    </FieldFrame>
  );
}
