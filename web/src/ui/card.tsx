import type { HTMLAttributes } from 'react';
import { cx } from './class-names.ts';
import styles from './card.module.css';

interface CardProps extends HTMLAttributes<HTMLElement> {
  /** A narrow, centred card with more padding, for sign-in. */
  readonly isFocal?: boolean;
  /** `article` for an item of a list, `section` for a part of the page. */
  readonly as?: 'section' | 'article';
}

export function Card({ isFocal, as: Frame = 'section', className, ...rest }: CardProps) {
  return <Frame {...rest} className={cx(styles.card, isFocal && styles.focal, className)} />;
}
