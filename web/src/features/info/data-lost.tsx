import { Trans, useLingui } from '@lingui/react/macro';
import { dayMs } from '@unsaid/contract';
import { useState } from 'react';
import { formatFull } from '../../lib/format.ts';
import styles from './info.module.css';

const shownForMs = 30 * dayMs;
const minuteMs = 60_000;

/** After a restore from a backup that lacks the last hours: `from/until`, two ISO times. Shown for 30 days. */
export function DataLost({ span }: { readonly span: string }) {
  const { t } = useLingui();
  const [openedAt] = useState(Date.now);
  const [from = '', until = ''] = span.split('/');
  const end = Date.parse(until);
  if (!(openedAt < end + shownForMs)) return null;
  const first = formatFull(from);
  // Rounded up: only minutes are shown.
  const last = formatFull(new Date(Math.ceil(end / minuteMs) * minuteMs).toISOString());
  return (
    <aside aria-label={t`Hours we lost`} className={styles.lost}>
      <p>
        <Trans>
          We lost the hours from {first} to {last}. What you deleted then is back; please delete it again.
          We're sorry.
        </Trans>
      </p>
    </aside>
  );
}
