import { Trans, useLingui } from '@lingui/react/macro';
import { useDeferredValue, useEffect, useId, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { useAccountId } from '../../../lib/current-user.ts';
import { lazyPart } from '../../../lib/lazy-part.tsx';
import { Card } from '../../../ui/card.tsx';
import { cx } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import edit from '@material-symbols/svg-400/rounded/edit_note.svg?path';
import { FirstField, type Caret, type FirstWords } from './first-field.tsx';
import type { Posted } from './just-posted.ts';
import { peekDraft } from './stored-draft.ts';
import less from '@material-symbols/svg-400/rounded/keyboard_arrow_up.svg?path';
import more from '@material-symbols/svg-400/rounded/keyboard_arrow_down.svg?path';
import styles from './feed-composer.module.css';

/** The form, its draft, and what checks them. */
const writing = lazyPart(() => import('./composer.tsx'), { offline: true });
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
 * screens it has a column of its own and is always open. Folded, it is loaded by the first touch or focus of its row, and
 * its first field stands in until then. Once open, the form stays mounted.
 */
export function FeedComposer({ isOpen, onToggle, ...form }: FeedComposerProps) {
  const { t } = useLingui();
  const headingId = useId();
  const bodyId = useId();
  const accountId = useAccountId();
  const loaded = useDeferredValue(writing.use());
  // The row answers a tap first, then the form is laid out.
  const isShown = useDeferredValue(isOpen);
  const [words, setWords] = useState<FirstWords>();
  const [forgetWords] = useState(() => () => setWords(undefined));
  const [isComposing, setIsComposing] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  if (isShown && !wasOpened) setWasOpened(true);
  useEffect(() => {
    if (isOpen || isWide()) writing.prepare();
  }, [isOpen]);

  const { textRef } = form;
  const caret = useRef<Caret>(null);
  const [keepCaret] = useState(() => (last: Caret | null) => void (caret.current = last));
  const isFormShown = loaded !== undefined && !isComposing && (wasOpened || isWide());
  const isDraftWaiting =
    !isOpen && accountId !== null && (Boolean(words?.text || words?.title) || peekDraft(accountId).hasWords);
  // Before the keyboard of a phone notices that the field was another one.
  useLayoutEffect(() => {
    if (!isFormShown || caret.current === null) return;
    textRef.current?.focus({ preventScroll: true });
    textRef.current?.setSelectionRange(caret.current.start, caret.current.end);
    caret.current = null;
  }, [isFormShown, textRef]);
  useEffect(() => {
    // Not out of another field that was tapped meanwhile.
    if (isShown && !document.activeElement?.matches('input, textarea')) textRef.current?.focus();
  }, [isShown, textRef]);
  return (
    <Card aria-labelledby={headingId} className={cx(styles.card, isShown && styles.open)}>
      <h2 id={headingId} className={styles.heading}>{t`What's on your mind?`}</h2>
      <button
        type="button"
        className={styles.row}
        aria-expanded={isOpen}
        aria-controls={bodyId}
        onPointerDown={writing.prepare}
        onFocus={writing.prepare}
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
        {isFormShown ? (
          <loaded.Composer {...form} firstWords={words} onFirstStored={forgetWords} />
        ) : (
          accountId !== null &&
          wasOpened && (
            <FirstField
              accountId={accountId}
              textRef={textRef}
              words={words ?? {}}
              onWords={(next) => {
                setWords(next);
                // Where the connection was lost, it may be back.
                writing.prepare();
                form.onWrite();
              }}
              onComposing={setIsComposing}
              onLeave={keepCaret}
            />
          )
        )}
      </div>
    </Card>
  );
}
