import { useLingui } from '@lingui/react/macro';
import { useEffect, type ReactNode } from 'react';
import { holdContent } from '../lib/app-ready.ts';
import { cx } from './class-names.ts';
import { useIsInPage } from './status.tsx';
import styles from './skeleton.module.css';

/** Announces "Loading" once. The bars are hidden from screen readers. */
export function Loading({
  children,
  className,
}: {
  readonly children: ReactNode;
  readonly className?: string | undefined;
}) {
  const { t } = useLingui();
  const isInPage = useIsInPage();
  useEffect(holdContent, []);
  return (
    <div role="status" className={className}>
      <span className="visually-hidden">{isInPage && t`Loading`}</span>
      {children}
    </div>
  );
}

interface BarProps {
  readonly width?: string;
  readonly height?: number;
  readonly isRound?: boolean;
}

export function Bar({ width = '100%', height = 16, isRound }: BarProps) {
  return (
    <span
      aria-hidden="true"
      className={cx(styles.bar, isRound && styles.round)}
      style={{ width: isRound ? height : width, height }}
    />
  );
}

/** Placeholder in the proportions of a page. */
export function PageSkeleton() {
  return (
    <Loading className={styles.page}>
      <Bar width="40%" height={32} />
      <div className={styles.card}>
        <Bar width="60%" />
        <Bar />
        <Bar width="80%" />
      </div>
    </Loading>
  );
}
