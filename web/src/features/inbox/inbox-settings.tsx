import { Trans, useLingui } from '@lingui/react/macro';
import { quietHours } from '../../lib/quiet-hours.ts';
import { setCounted, uncounted, type CountKind } from './bell-settings.ts';
import { TextField } from '../../ui/field.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import styles from './inbox.module.css';

const usualHours = '22:00-07:00';

/** What the number on the bell counts, and when it is silent. */
export function InboxSettings() {
  const { t } = useLingui();
  const left = uncounted.useValue();
  const hours = quietHours.useValue();
  const [from = '', until = ''] = hours.split('-');
  const kinds: readonly (readonly [CountKind, string])[] = [
    ['answers', t`Comments and replies`],
    ['gifts', t`Hearts, hugs and listens`],
    ['matches', t`Matches who say yes`],
  ];
  return (
    <div className={styles.settings}>
      <p className={styles.soft}>
        <Trans>What the number on the bell counts, in this browser.</Trans>
      </p>
      {kinds.map(([kind, label]) => (
        <SwitchRow
          key={kind}
          label={label}
          isOn={!left.includes(kind)}
          onChange={(isOn) => setCounted(kind, isOn)}
        />
      ))}
      <SwitchRow
        label={t`Quiet hours`}
        hint={t`No number on the bell or in the tab during these hours.`}
        isOn={hours !== ''}
        onChange={(isOn) => quietHours.set(isOn ? usualHours : '')}
      />
      {hours !== '' && (
        <div className={styles.hours}>
          <TextField
            type="time"
            label={t`From`}
            required
            value={from}
            onChange={({ target }) => target.value && quietHours.set(`${target.value}-${until}`)}
          />
          <TextField
            type="time"
            label={t`Until`}
            required
            value={until}
            onChange={({ target }) => target.value && quietHours.set(`${from}-${target.value}`)}
          />
        </div>
      )}
    </div>
  );
}
