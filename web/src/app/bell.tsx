import { Trans, useLingui } from '@lingui/react/macro';
import { useUnread } from '../lib/unread.ts';
import { Icon } from '../ui/icon.tsx';
import bell from '@material-symbols/svg-400/rounded/notifications-fill.svg?path';
import styles from './shell.module.css';

/** The bell with the number of unread things. For screen readers "Inbox, 3 unread". */
export function Bell() {
  const { t } = useLingui();
  const { total, text } = useUnread();
  return (
    <span className={styles.bell}>
      <Icon path={bell} />
      {total > 0 && (
        <span className={styles.count} aria-hidden="true">
          {text}
        </span>
      )}
      <span className="visually-hidden">{total > 0 ? t`Inbox, ${text} unread` : t`Inbox`}</span>
    </span>
  );
}

/** A dot, and the word for screen readers. */
export function NewMark() {
  return (
    <span className={styles.new}>
      <span className="visually-hidden">
        , <Trans>new</Trans>
      </span>
    </span>
  );
}
