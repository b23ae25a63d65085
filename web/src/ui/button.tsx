import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link, type LinkProps } from 'react-router';
import { cx } from './class-names.ts';
import { Icon } from './icon.tsx';
import styles from './button.module.css';

type Variant = 'primary' | 'outlined' | 'quiet' | 'danger' | 'dangerQuiet';

interface Look {
  readonly variant?: Variant;
  readonly isWide?: boolean;
  readonly icon?: string;
}

function lookOf({ variant = 'primary', isWide }: Look, className?: string): string {
  return cx(styles.button, styles[variant], isWide && styles.wide, className);
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Look {
  readonly ref?: Ref<HTMLButtonElement>;
  /** Shows a spinner, and a press does nothing; the label stays. Keeps the focus: a disabled button would lose it. */
  readonly isBusy?: boolean;
}

export function Button({
  variant,
  isWide,
  icon,
  isBusy,
  className,
  children,
  type,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type
      type={type ?? 'button'}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => (isBusy ? event.preventDefault() : onClick?.(event))}
      className={lookOf({ ...(variant && { variant }), isWide: isWide ?? false }, className)}
    >
      {isBusy ? <span className={styles.spinner} /> : icon && <Icon path={icon} size={20} />}
      {children}
    </button>
  );
}

interface ButtonLinkProps extends LinkProps, Look {}

export function ButtonLink({ variant, isWide, icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link {...rest} className={lookOf({ ...(variant && { variant }), isWide: isWide ?? false }, className)}>
      {icon && <Icon path={icon} size={20} />}
      {children}
    </Link>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  readonly label: string;
  readonly icon: string;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly iconSize?: number;
}

export function IconButton({ label, icon, iconSize = 24, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={cx(styles.iconButton, className)}
    >
      <Icon path={icon} size={iconSize} />
    </button>
  );
}

/** Buttons in a row, the primary one last. On a phone they share the width. */
export function ButtonRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}
