import type { ReactNode } from 'react';
import styles from './ui.module.css';

export type Tone = 'plain' | 'calm' | 'warn' | 'alarm' | 'good';

export const toneClass = (tone: Tone): string => (tone === 'plain' ? '' : (styles[tone] ?? ''));

export function Tag({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`${styles.tag} ${toneClass(tone)}`}>{children}</span>;
}
