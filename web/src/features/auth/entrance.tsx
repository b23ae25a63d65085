import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { heardQuery } from '../../lib/heard.ts';
import { paths } from '../../lib/paths.ts';
import { cx } from '../../ui/class-names.ts';
import { EmotionChip, emotionClass } from '../../ui/emotion.tsx';
import { Icon } from '../../ui/icon.tsx';
import exit from '@material-symbols/svg-400/rounded/exit_to_app.svg?path';
import noName from '@material-symbols/svg-400/rounded/no_accounts.svg?path';
import noNumber from '@material-symbols/svg-400/rounded/phone_disabled.svg?path';
import styles from './entrance.module.css';

/**
 * What Unsaid is, for a visitor who was never here. Beside the form on a wide screen; on a phone two lines above
 * it, so that its button stays on the first screen, and the rest below.
 */
export function Entrance({ children }: { readonly children: ReactNode }) {
  return (
    <div className={styles.entrance}>
      <div className={styles.lead}>
        <p className={styles.first}>
          <Trans>Say what you can't say to anyone you know.</Trans>
        </p>
        <p className={styles.second}>
          <Trans>Strangers who get it can write back.</Trans>
        </p>
      </div>
      <div className={styles.form}>{children}</div>
      <div className={styles.more}>
        <ul role="list" className={styles.points}>
          <li>
            <Icon path={noName} />
            <Trans>No name, no photo, no email.</Trans>
          </li>
          <li>
            <Icon path={noNumber} />
            <Trans>We don't store your phone number.</Trans>
          </li>
          <li>
            <Icon path={exit} />
            <Trans>Leave in one tap, from any page.</Trans>
          </li>
        </ul>
        <ExampleVent />
        <Heard />
        <p className={cx(styles.second, styles.links)}>
          <Link to={paths.heard}>
            <Trans>How soon you're heard</Trans>
          </Link>
          <Link to={paths.grievance}>
            <Trans>Grievance officer</Trans>
          </Link>
        </p>
      </div>
    </div>
  );
}

/** How many are answered, and by whom. Without a figure only the second. */
function Heard() {
  const { data: week } = useQuery(heardQuery);
  const byNextDay = week?.byNextDay;
  return (
    <p className={styles.second}>
      {byNextDay !== undefined && (
        <Trans>Last week {byNextDay}% of all vents were answered by the next day.</Trans>
      )}{' '}
      <Trans>When few people are around, our team answers too, under its own name.</Trans>
    </p>
  );
}

function ExampleVent() {
  const { t } = useLingui();
  return (
    <figure aria-label={t`Example of a vent`} className={cx(styles.vent, emotionClass('Anxious'))}>
      <div className={styles.top}>
        <EmotionChip emotion="Anxious" />
        <span className={styles.example}>
          <Trans>Example</Trans>
        </span>
      </div>
      <p className={styles.title}>
        <Trans>Everyone at home thinks I'm fine</Trans>
      </p>
      <p>
        <Trans>
          I smile at dinner, then cry in the bathroom with the tap on. I didn't get placed, and I still
          haven't told them.
        </Trans>
      </p>
      <div className={styles.reply}>
        <p className={styles.name}>
          <Trans>Anonymous</Trans>
        </p>
        <p>
          <Trans>
            That was me two years ago. Telling one person made it easier. You're not alone in this.
          </Trans>
        </p>
      </div>
    </figure>
  );
}
