import type { VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useId, type ReactNode } from 'react';
import { Link } from 'react-router';
import { formatCount } from '../../lib/format.ts';
import { hashtagPath, ventPath } from '../../lib/paths.ts';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { EmotionChip, emotionClass } from '../../ui/emotion.tsx';
import { Icon } from '../../ui/icon.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { Words } from '../../ui/words.tsx';
import { ClippedText } from './clipped-text.tsx';
import { ReactionBar } from './reaction-bar.tsx';
import chat from '@material-symbols/svg-400/rounded/chat_bubble.svg?path';
import deleteIcon from '@material-symbols/svg-400/rounded/delete.svg?path';
import flag from '@material-symbols/svg-400/rounded/flag.svg?path';
import barStyles from './reaction-bar.module.css';
import styles from './vent-card.module.css';

/** What can be done about a vent from its card. */
export interface CardActions {
  readonly onReport: (vent: VentView) => void;
  readonly onDelete: (vent: VentView) => void;
  readonly onComments: (vent: VentView) => void;
}

interface VentCardProps extends CardActions {
  readonly vent: VentView;
  /** Level of the title in the page it stands on. */
  readonly heading?: 2 | 3;
  readonly hasFullDate?: boolean;
  /** On one's own list comments can be looked at also after they were closed. */
  readonly hasCommentsAlways?: boolean;
  /** What stands beneath everything else. */
  readonly foot?: ReactNode;
}

/** Its emotion, its time, its words: nothing about who wrote it. */
export function VentCard({
  vent,
  heading = 2,
  hasFullDate,
  hasCommentsAlways,
  foot,
  onReport,
  onDelete,
  onComments,
}: VentCardProps) {
  const { t } = useLingui();
  const id = useId();
  const Heading = `h${heading}` as const;
  return (
    <article aria-labelledby={id} className={cx(styles.card, emotionClass(vent.emotion))}>
      <header className={styles.top}>
        <EmotionChip emotion={vent.emotion} />
        <TimeAgo at={vent.createdAt} isFull={hasFullDate ?? false} className={styles.time} />
        {vent.isOwner ? (
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
            label={t`Report vent`}
            icon={flag}
            iconSize={22}
            onClick={() => onReport(vent)}
          />
        )}
      </header>
      <Heading id={id} className={styles.title}>
        <Link to={ventPath(vent._id)}>
          <Words className={styles.words}>{vent.title}</Words>
        </Link>
      </Heading>
      <ClippedText>{vent.text}</ClippedText>
      <Hashtags tags={vent.hashtags} />
      <ReactionBar vent={vent}>
        {(vent.userId.allowComments || hasCommentsAlways) && (
          <button
            type="button"
            className={barStyles.comments}
            aria-label={t`Comments, ${vent.commentCount}`}
            onClick={() => onComments(vent)}
          >
            <Icon path={chat} size={22} />
            <span aria-hidden="true">{formatCount(vent.commentCount)}</span>
          </button>
        )}
      </ReactionBar>
      {foot && <div className={styles.foot}>{foot}</div>}
    </article>
  );
}

export function Hashtags({ tags }: { readonly tags: readonly string[] }) {
  const { t } = useLingui();
  if (tags.length === 0) return null;
  return (
    <ul role="list" className={styles.tags} aria-label={t`Hashtags`}>
      {tags.map((tag) => (
        <li key={tag}>
          <Link to={hashtagPath(tag)} className={styles.tag}>
            <Words>{`#${tag}`}</Words>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The frame of a card, for what stands alone on a page. */
export function VentFrame({ vent, children }: { readonly vent: VentView; readonly children: ReactNode }) {
  return <article className={cx(styles.card, emotionClass(vent.emotion))}>{children}</article>;
}
