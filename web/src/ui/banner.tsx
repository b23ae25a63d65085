import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import styles from './banner.module.css';

interface BannerProps {
  /** Gives way to another banner, a dialog, a crisis card and to somebody who types. */
  readonly isShy?: boolean;
  readonly children: ReactNode;
}

/** Over the page, above the bottom bar: what is being read does not move. */
export function Banner({ isShy = false, children }: BannerProps) {
  return (
    <div data-above-bar className={cx(styles.banner, isShy && styles.shy)}>
      {children}
    </div>
  );
}
