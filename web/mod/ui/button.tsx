import type { ButtonHTMLAttributes, Ref } from 'react';
import { Key } from './key.tsx';
import styles from './ui.module.css';

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'disabled'> {
  readonly variant?: 'primary' | 'outlined' | 'quiet' | 'danger';
  readonly shortcut?: string;
  /** Keeps the focus: a disabled button would lose it. */
  readonly isBusy?: boolean;
  readonly isSubmit?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  variant = 'outlined',
  shortcut,
  isBusy = false,
  isSubmit = false,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={isSubmit ? 'submit' : 'button'}
      aria-disabled={isBusy || undefined}
      onClick={(event) => (isBusy ? event.preventDefault() : onClick?.(event))}
      className={`${styles.button} ${styles[variant]}`}
    >
      {children}
      {shortcut && <Key>{shortcut}</Key>}
    </button>
  );
}
