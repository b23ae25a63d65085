import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import styles from './ui.module.css';

interface Frame {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
}

function useFrame({ label, hint, problem }: Frame) {
  const id = useId();
  const noteId = `${id}-note`;
  return {
    control: {
      id,
      className: styles.input,
      'aria-describedby': hint || problem ? noteId : undefined,
      'aria-invalid': problem ? true : undefined,
    },
    wrap: (control: ReactNode) => (
      <div className={styles.field}>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        {control}
        {(problem ?? hint) && (
          <p id={noteId} className={problem ? styles.problem : styles.hint}>
            {problem ?? hint}
          </p>
        )}
      </div>
    ),
  };
}

type InputProps = Frame & Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className'>;

export function TextField({ label, hint, problem, ...rest }: InputProps) {
  const { control, wrap } = useFrame({ label, hint, problem });
  return wrap(<input {...rest} {...control} />);
}

type AreaProps = Frame &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'className'> & {
    readonly ref?: Ref<HTMLTextAreaElement>;
  };

export function TextArea({ label, hint, problem, ...rest }: AreaProps) {
  const { control, wrap } = useFrame({ label, hint, problem });
  return wrap(<textarea rows={2} dir="auto" {...rest} {...control} />);
}

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'id' | 'className'> {
  readonly label: string;
  readonly hint?: string;
}

export function Check({ label, hint, ...rest }: CheckProps) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input {...rest} type="checkbox" id={id} aria-describedby={hint ? `${id}-note` : undefined} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-note`} className={styles.hint}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

type SelectProps = Frame & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'className'>;

export function SelectField({ label, hint, problem, children, ...rest }: SelectProps) {
  const { control, wrap } = useFrame({ label, hint, problem });
  return wrap(
    <select {...rest} {...control}>
      {children}
    </select>,
  );
}
