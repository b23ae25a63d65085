import { dayMs, type VentSaid, type VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { dayInIndia } from '../../lib/format.ts';
import { useCurrentMinute } from '../../ui/time-ago.tsx';
import styles from './vent-card.module.css';

interface VentAsksProps {
  /** A held vent has no time yet. */
  readonly vent: Pick<VentSaid, 'need' | 'keepDays'> & Partial<Pick<VentView, 'createdAt'>>;
}

/** What would help, and when it will be gone, as its author chose. Nothing for most vents. */
export function VentAsks({ vent: { need, keepDays, createdAt } }: VentAsksProps) {
  const { t } = useLingui();
  const now = useCurrentMinute();
  const lines = {
    listen: t`Asked just to be heard.`,
    advice: t`Advice is welcome.`,
    been_there: t`Has anyone been there?`,
    hug: t`A hug is enough.`,
  };
  const parts = need ? [lines[need]] : [];
  if (keepDays && createdAt) {
    const days = daysBetween(now, Date.parse(createdAt) + keepDays * dayMs);
    parts.push(days < 1 ? t`Gone today.` : days === 1 ? t`Gone tomorrow.` : t`Gone in ${days} days.`);
  }
  return parts.length > 0 && <p className={styles.asks}>{parts.join(' ')}</p>;
}

/** As people count: to tomorrow it is one, whatever the hour. */
const daysBetween = (from: number, to: number): number =>
  (Date.parse(dayInIndia(to)) - Date.parse(dayInIndia(from))) / dayMs;
