import type { VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useId, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { toHistoryState } from '../../lib/history-state.ts';
import { paths, ventPath } from '../../lib/paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { EmotionChip, emotionClass } from '../../ui/emotion.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { UserText } from '../../ui/user-text.tsx';
import { useIsAway } from './hiding/is-folded.ts';
import { LazyHiddenVent } from './hiding/lazy-hiding.ts';
import { openHeavy, useIsOpened } from './opened-vents.ts';
import { IconWithCount } from './reactions/reaction-bar.tsx';
import { VentBody } from './vent-body.tsx';
import chat from '@material-symbols/svg-400/rounded/chat_bubble.svg?path';
import deleteIcon from '@material-symbols/svg-400/rounded/delete.svg?path';
import more from '@material-symbols/svg-400/rounded/more_horiz.svg?path';
import barStyles from './reactions/reaction-bar.module.css';
import styles from './vent-card.module.css';

/** Actions of a vent card. */
export interface CardActions {
  readonly onMore: (vent: VentView) => void;
  readonly onReport: (vent: VentView) => void;
  readonly onDelete: (vent: VentView) => void;
  readonly onComments: (vent: VentView) => void;
}

interface VentCardProps extends Omit<CardActions, 'onReport'> {
  readonly vent: VentView;
  /** Heading level of the title on the page. */
  readonly heading?: 2 | 3;
  readonly hasFullDate?: boolean;
  readonly isMarkedOwn?: boolean;
  /** Of a search: what its words sound like. */
  readonly soundsLike?: string | undefined;
  /** On the user's own list: Delete has its icon, and closed comments have their button. */
  readonly isInOwnList?: boolean;
}

/** A vent: emotion, time and text. Nothing about its author. */
export function VentCard({
  vent,
  heading = 2,
  hasFullDate,
  isMarkedOwn,
  soundsLike,
  isInOwnList,
  onMore,
  onDelete,
  onComments,
}: VentCardProps) {
  const { t } = useLingui();
  const id = useId();
  const { pathname } = useLocation();
  const Heading = `h${heading}` as const;
  const isAway = useIsAway(vent);
  const isOpened = useIsOpened(vent._id);
  if (isAway) {
    return (
      <article className={styles.folded}>
        <Suspense fallback={null}>
          <LazyHiddenVent vent={vent} />
        </Suspense>
      </article>
    );
  }
  if (vent.heavy && !vent.isOwner && !isOpened) {
    const open = () => {
      openHeavy(vent._id);
      // The pressed button is gone.
      requestAnimationFrame(() => document.getElementById(id)?.querySelector('a')?.focus());
    };
    return (
      <article className={cx(styles.folded, styles.heavy)}>
        <p>
          <Trans>Heavy.</Trans>
        </p>
        <Button variant="quiet" onClick={open}>
          <Trans>Read</Trans>
        </Button>
      </article>
    );
  }
  return (
    <article aria-labelledby={id} className={cx(styles.card, emotionClass(vent.emotion))}>
      <header className={cx(styles.top, hasFullDate && styles.dated)}>
        <EmotionChip emotion={vent.emotion} />
        <span className={styles.time}>
          {isMarkedOwn && (
            <>
              <strong>
                <Trans>Yours</Trans>
              </strong>
              {' · '}
            </>
          )}
          {soundsLike !== undefined && (
            <>
              <Trans>
                Sounds like “<UserText>{soundsLike}</UserText>”
              </Trans>
              {' · '}
            </>
          )}
          <TimeAgo at={vent.createdAt} isOwn={vent.isOwner} isFull={hasFullDate ?? false} />
        </span>
      </header>
      <Heading id={id} className={styles.title}>
        <Link
          to={ventPath(vent._id)}
          state={pathname === paths.vents ? toHistoryState({ isFromFeed: true }) : undefined}
        >
          <UserText className={styles.words}>{vent.title}</UserText>
        </Link>
      </Heading>
      <VentBody vent={vent}>
        {(vent.userId.allowComments || (isInOwnList && vent.need !== 'hug')) && (
          <button
            type="button"
            className={barStyles.comments}
            aria-label={t`Comments, ${vent.commentCount}`}
            onClick={() => onComments(vent)}
          >
            <IconWithCount path={chat} count={vent.commentCount} word={t`Comments`} />
          </button>
        )}
      </VentBody>
      {/* In the corner, and after the reactions: what is kind comes first. */}
      {/* Elsewhere an own vent looks like any other: somebody may be looking over a shoulder. */}
      {isInOwnList ? (
        <IconButton
          className={styles.act}
          label={t`Delete vent`}
          icon={deleteIcon}
          iconSize={22}
          onClick={() => onDelete(vent)}
        />
      ) : (
        <IconButton
          className={styles.act}
          label={t`More about this vent`}
          icon={more}
          iconSize={22}
          onClick={() => onMore(vent)}
        />
      )}
    </article>
  );
}

interface VentFrameProps {
  readonly vent: VentView;
  readonly isAway: boolean;
  readonly children: ReactNode;
}

/** The frame of a card, for a vent on its own page. */
export function VentFrame({ vent, isAway, children }: VentFrameProps) {
  return (
    <article className={isAway ? styles.folded : cx(styles.card, emotionClass(vent.emotion))}>
      {children}
    </article>
  );
}
