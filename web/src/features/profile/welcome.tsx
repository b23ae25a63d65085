import { Trans, useLingui } from '@lingui/react/macro';
import { useId } from 'react';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import editNote from '@material-symbols/svg-400/rounded/edit_note.svg?path';
import forum from '@material-symbols/svg-400/rounded/forum.svg?path';
import group from '@material-symbols/svg-400/rounded/group.svg?path';
import styles from './welcome.module.css';

/** Three ways to begin, for a new account. Ends when one is taken, or by "Not now". */
export function Welcome({ onEnd }: { readonly onEnd: () => void }) {
  const { t } = useLingui();
  const id = useId();
  const ways = [
    [paths.createVent, editNote, t`Write something`, t`Only you can see that it's yours.`],
    [paths.vents, forum, t`Read other vents`, t`And send a hug if you feel like it.`],
    [paths.matches, group, t`Find someone like you`, t`We go by your profile, never by your vents.`],
  ] as const;
  return (
    <Card aria-labelledby={id} className={styles.card}>
      <div>
        <h2 id={id}>{t`Welcome to Unsaid`}</h2>
        <p className={styles.lead}>
          <Trans>Where do you want to start?</Trans>
        </p>
      </div>
      <ul role="list" className={styles.ways}>
        {ways.map(([to, icon, label, line]) => (
          <li key={to}>
            <Link to={to} className={styles.way} onClick={onEnd}>
              <Icon path={icon} />
              <span>
                <strong>{label}</strong>
                <span className={styles.line}>{line}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <Button variant="quiet" onClick={onEnd}>{t`Not now`}</Button>
    </Card>
  );
}
