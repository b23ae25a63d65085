import type { VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useId, useState, type RefObject } from 'react';
import { useAccountId } from '../../../lib/current-user.ts';
import { Card } from '../../../ui/card.tsx';
import { cx } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Composer } from './composer.tsx';
import { hasWords, readDraft } from './drafts.ts';
import { questionOfTheDay } from './questions.ts';
import edit from '@material-symbols/svg-400/rounded/edit_note.svg?path';
import less from '@material-symbols/svg-400/rounded/keyboard_arrow_up.svg?path';
import more from '@material-symbols/svg-400/rounded/keyboard_arrow_down.svg?path';
import styles from './feed-composer.module.css';

interface FeedComposerProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onPosted: (vent: VentView) => void;
  readonly onWrite: () => void;
  readonly textRef: RefObject<HTMLTextAreaElement | null>;
}

/**
 * The composer on the feed. Folded to one row where it would push the vents off the first screen; on wide
 * screens it has a column of its own and is always open. Folded, the form stays mounted, and its draft stays.
 */
export function FeedComposer({ isOpen, onToggle, ...form }: FeedComposerProps) {
  const { t } = useLingui();
  const headingId = useId();
  const bodyId = useId();
  const accountId = useAccountId();
  const [question] = useState(() => questionOfTheDay(Date.now()));
  const isDraftWaiting = !isOpen && accountId !== null && hasWords(readDraft(accountId));
  return (
    <Card aria-labelledby={headingId} className={cx(styles.card, isOpen && styles.open)}>
      <h2 id={headingId} className={styles.heading}>{t`What's on your mind?`}</h2>
      <button
        type="button"
        className={styles.row}
        aria-expanded={isOpen}
        aria-controls={bodyId}
        onClick={onToggle}
      >
        <Icon path={edit} className={styles.icon} />
        <span className={styles.words}>
          <span className={styles.title}>
            {isDraftWaiting ? <Trans>Finish your draft</Trans> : <Trans>What's on your mind?</Trans>}
          </span>
          <span className={styles.hint}>
            {isOpen ? (
              <Trans>Close</Trans>
            ) : isDraftWaiting ? (
              <Trans>Your draft is saved.</Trans>
            ) : (
              t(question)
            )}
          </span>
        </span>
        <Icon path={isOpen ? less : more} />
      </button>
      <div id={bodyId} className={styles.body}>
        <Composer {...form} />
      </div>
    </Card>
  );
}
