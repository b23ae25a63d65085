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
import { Status } from './status.tsx';
import errorIcon from '@material-symbols/svg-400/rounded/error.svg?path';
import styles from './field.module.css';

interface FieldFrameProps {
  /** Id of the input. The ids of hint and error are derived from it (`describedBy`). */
  readonly id: string;
  readonly label: string;
  /** Beside the label. */
  readonly note?: string | undefined;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly count?: { readonly used: number; readonly max: number } | undefined;
  readonly children: ReactNode;
}

/** Label above, error text below, and a counter when the limit is near. */
export function FieldFrame({ id, label, note, hint, error, count, children }: FieldFrameProps) {
  const { t } = useLingui();
  const over = count ? count.used - count.max : 0;
  const isCounting = count !== undefined && count.used >= count.max * counterShownFrom;
  return (
    <div className={styles.field}>
      <div className={styles.above}>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        {note !== undefined && (
          <span id={`${id}-note`} className={styles.hint}>
            {note}
          </span>
        )}
      </div>
      {children}
      {(hint || error || isCounting) && (
        <div className={styles.beneath}>
          <Described id={id} hint={hint} error={error} />
          {isCounting && (
            <Status className={cx(styles.counter, over > 0 && styles.over)}>
              {over <= 0
                ? t`${count.used} of ${count.max}`
                : over === 1
                  ? t`1 letter too many`
                  : t`${over} letters too many`}
            </Status>
          )}
        </div>
      )}
    </div>
  );
}

interface DescribedProps {
  readonly id: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

/** The error, or else the hint, of the field with this id. */
export function Described({ id, hint, error }: DescribedProps) {
  if (error) return <FieldError id={`${id}-error`}>{error}</FieldError>;
  return (
    hint && (
      <p id={`${id}-hint`} className={styles.hint}>
        {hint}
      </p>
    )
  );
}

/** Value for `aria-describedby`: the id of the error or of the hint, whichever is shown. */
export function describedBy({ id, hint, error }: DescribedProps): string | undefined {
  return error ? `${id}-error` : hint ? `${id}-hint` : undefined;
}

interface FieldErrorProps {
  readonly id?: string | undefined;
  /** Set when a toast announces the same text, so that a screen reader does not read it twice. */
  readonly isSaidElsewhere?: boolean;
  readonly children: ReactNode;
}

export function FieldError({ id, isSaidElsewhere, children }: FieldErrorProps) {
  return (
    <p id={id} className={styles.error} role={isSaidElsewhere ? undefined : 'alert'}>
      <Icon path={errorIcon} size={18} />
      <span>{children}</span>
    </p>
  );
}

/** Counted only where the counter is shown: counting the first Hindi text takes a quarter of a second on a cheap phone. */
function countOf(value: string, max: number | undefined) {
  if (max === undefined || value.length < counterShownFrom * max) return undefined;
  return { used: countGraphemes(value), max };
}

interface Common {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Limit in graphemes: the characters a person sees. */
  readonly max?: number;
  readonly value: string;
}

interface TextFieldProps
  extends Common, Omit<InputHTMLAttributes<HTMLInputElement>, 'max' | 'value' | 'className'> {
  readonly ref?: Ref<HTMLInputElement>;
  readonly note?: string | undefined;
  /** Placed inside the box, at its end. */
  readonly action?: ReactNode;
}

export function TextField({ label, note, hint, error, max, value, action, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} note={note} hint={hint} error={error} count={countOf(value, max)}>
      <div className={styles.box}>
        <input
          {...rest}
          id={id}
          value={value}
          className={cx(styles.input, action !== undefined && styles.withAction)}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy({ id, hint, error }) ?? (note && `${id}-note`)}
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
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error} count={countOf(value, max)}>
      <textarea
        rows={3}
        {...rest}
        id={id}
        value={value}
        dir="auto"
        className={cx(styles.input, styles.area)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy({ id, hint, error })}
      />
    </FieldFrame>
  );
}
