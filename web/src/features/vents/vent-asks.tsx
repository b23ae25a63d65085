import type { VentSaid } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import styles from './vent-card.module.css';

/** What would help, as its author chose. Nothing for most vents. */
export function VentAsks({ vent: { need } }: { readonly vent: Pick<VentSaid, 'need'> }) {
  const { t } = useLingui();
  if (need === null) return null;
  const lines = {
    listen: t`Asked just to be heard.`,
    advice: t`Advice is welcome.`,
    been_there: t`Has anyone been there?`,
    hug: t`A hug is enough.`,
  };
  return <p className={styles.asks}>{lines[need]}</p>;
}
