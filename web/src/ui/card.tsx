import type { HTMLAttributes } from 'react';
import { cx } from './class-names.ts';
import styles from './card.module.css';

interface CardProps extends HTMLAttributes<HTMLElement> {
  /** Narrow and roomy, alone in the middle: for signing in. */
  readonly isFocal?: boolean;
  /** An article is one of many alike; a section is a part of its page. */
  readonly as?: 'section' | 'article';
}

export function Card({ isFocal, as: Frame = 'section', className, ...rest }: CardProps) {
  return <Frame {...rest} className={cx(styles.card, isFocal && styles.focal, className)} />;
}
