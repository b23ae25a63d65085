import { Trans, useLingui } from '@lingui/react/macro';
import { useDeferredValue, useEffect, useId, type RefObject } from 'react';
import { afterFirstContent } from '../../../lib/app-ready.ts';
import { useAccountId } from '../../../lib/current-user.ts';
import { createLazyModule } from '../../../lib/lazy-module.ts';
import { Card } from '../../../ui/card.tsx';
import { cx } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import edit from '@material-symbols/svg-400/rounded/edit_note.svg?path';
import type { Posted } from './just-posted.ts';
import less from '@material-symbols/svg-400/rounded/keyboard_arrow_up.svg?path';
import more from '@material-symbols/svg-400/rounded/keyboard_arrow_down.svg?path';
import styles from './feed-composer.module.css';

/** The form, its draft, and what checks them. */
const writing = createLazyModule(() => import('./composer.tsx'));
/** Its schemas first: a slow phone takes a task for these and a task for the form. */
const preload = () =>
  afterFirstContent()
    .then(() => import('./vent-form.ts'))
    .then(writing.load, writing.load);
/** As in the style sheet: there the form is open. */
const isWide = () => matchMedia('(width >= 1000px)').matches;

interface FeedComposerProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onPosted: (posted: Posted) => void;
  readonly onWrite: () => void;
  readonly textRef: RefObject<HTMLTextAreaElement | null>;
}

/**
 * The composer on the feed. Folded to one row where it would push the vents off the first screen; on wide
 * screens it has a column of its own and is always open. Folded, the form stays mounted, and its draft stays. Where it is
 * folded, it is loaded after the vents.
 */
export function FeedComposer({ isOpen, onToggle, ...form }: FeedComposerProps) {
  const { t } = useLingui();
  const headingId = useId();
  const bodyId = useId();
  const accountId = useAccountId();
  // Rendered in slices: meanwhile a tap on a vent is answered.
  const loaded = useDeferredValue(writing.useValue(({ module }) => module));
  const isDraftWaiting = !isOpen && accountId !== null && loaded?.hasDraft(accountId) === true;
  useEffect(() => {
    void (isOpen || isWide() ? writing.load() : preload());
  }, [isOpen]);
  // The row answers a tap first, then the form is laid out.
  const isShown = useDeferredValue(isOpen);
  const { textRef } = form;
  useEffect(() => {
    // Not out of another field that was tapped meanwhile.
    if (loaded && isShown && !document.activeElement?.matches('input, textarea')) textRef.current?.focus();
  }, [loaded, isShown, textRef]);
  return (
    <Card aria-labelledby={headingId} className={cx(styles.card, isShown && styles.open)}>
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
          {(isOpen || isDraftWaiting) && (
            <span className={styles.hint}>
              {isOpen ? <Trans>Close</Trans> : <Trans>Your draft is saved.</Trans>}
            </span>
          )}
        </span>
        <Icon path={isOpen ? less : more} />
      </button>
      <div id={bodyId} className={styles.body}>
        {loaded && <loaded.Composer {...form} />}
      </div>
    </Card>
  );
}
