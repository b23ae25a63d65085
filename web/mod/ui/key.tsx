import type { ReactNode } from 'react';
import { keySetting } from '../lib/key-setting.ts';
import styles from './ui.module.css';

/** The shortcut of a control. Hidden while single keys are switched off, and from screen readers: the help lists them. */
export function Key({ children }: { readonly children: ReactNode }) {
  const areOn = keySetting.useValue();
  const isCombination = typeof children === 'string' && children.includes('Ctrl');
  if (!areOn && !isCombination) return null;
  return (
    <kbd className={styles.key} aria-hidden="true">
      {children}
    </kbd>
  );
}
