import type { HTMLAttributes } from 'react';
import { cx } from './class-names.ts';
import styles from './card.module.css';

interface CardProps extends HTMLAttributes<HTMLElement> {
  /** Narrow and roomy, alone in the middle: for signing in. */
  readonly isFocal?: boolean;
}

export function Card({ isFocal, className, ...rest }: CardProps) {
  return <section {...rest} className={cx(styles.card, isFocal && styles.focal, className)} />;
}
