import type { Emotion } from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { Icon } from './icon.tsx';
import { cx } from './class-names.ts';
import battery from '@material-symbols/svg-400/rounded/battery_alert-fill.svg?path';
import bolt from '@material-symbols/svg-400/rounded/bolt-fill.svg?path';
import cloud from '@material-symbols/svg-400/rounded/cloud-fill.svg?path';
import cyclone from '@material-symbols/svg-400/rounded/cyclone-fill.svg?path';
import drop from '@material-symbols/svg-400/rounded/water_drop-fill.svg?path';
import sun from '@material-symbols/svg-400/rounded/wb_sunny-fill.svg?path';
import styles from './emotion.module.css';

/** Six different silhouettes: colour is never the only sign. */
export const emotionIcons: Readonly<Record<Emotion, string>> = {
  Happy: sun,
  Sad: drop,
  Angry: bolt,
  Anxious: cyclone,
  Neutral: cloud,
  Burnout: battery,
};

/** Sets --emotion, --emotion-container and --emotion-accent for the subtree. */
export function emotionClass(emotion: Emotion): string {
  return cx(styles[emotion.toLowerCase()]);
}

export function emotionLabel(emotion: Emotion): string {
  const labels: Readonly<Record<Emotion, string>> = {
    Happy: t`Happy`,
    Sad: t`Sad`,
    Angry: t`Angry`,
    Anxious: t`Anxious`,
    Neutral: t`Neutral`,
    Burnout: t`Burnout`,
  };
  return labels[emotion];
}

export function EmotionChip({ emotion }: { readonly emotion: Emotion }) {
  return (
    <span className={cx(styles.chip, emotionClass(emotion))}>
      <Icon path={emotionIcons[emotion]} size={18} />
      {emotionLabel(emotion)}
    </span>
  );
}

/** Several chips, as a labelled list. */
export function EmotionChips({
  emotions,
  label,
}: {
  readonly emotions: readonly Emotion[];
  readonly label: string;
}) {
  return (
    <ul role="list" className={styles.chips} aria-label={label}>
      {emotions.map((emotion) => (
        <li key={emotion}>
          <EmotionChip emotion={emotion} />
        </li>
      ))}
    </ul>
  );
}
