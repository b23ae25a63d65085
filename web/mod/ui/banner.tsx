import type { ReactNode } from 'react';
import { toneClass, type Tone } from './tag.tsx';
import styles from './ui.module.css';

interface BannerProps {
  readonly tone: Tone;
  /** Read out as soon as it appears. */
  readonly isAlert?: boolean;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function Banner({ tone, isAlert = false, action, children }: BannerProps) {
  return (
    <div className={`${styles.banner} ${toneClass(tone)}`} role={isAlert ? 'alert' : undefined}>
      <p>{children}</p>
      {action}
    </div>
  );
}
