import type { CommentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useEffect, useId, useRef } from 'react';
import { useUndoable } from '../../../lib/use-undoable.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Day } from '../../../ui/time-ago.tsx';
import { TeamBadge } from '../../../ui/team-badge.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { useIsAway } from '../hiding/is-folded.ts';
import { LazyHiddenComment } from '../hiding/lazy-hiding.ts';
import { isOptimisticComment } from './optimistic-comment.ts';
import { ThankButton } from './thank-button.tsx';
import deleteIcon from '@material-symbols/svg-400/rounded/delete.svg?path';
import more from '@material-symbols/svg-400/rounded/more_vert.svg?path';
import person from '@material-symbols/svg-400/rounded/person-fill.svg?path';
import styles from './comments.module.css';

const undoMs = 5000;

interface CommentItemProps {
  readonly ventId: string;
  readonly comment: CommentView;
  /** Any comment, on the user's own list. Their own comments can be deleted everywhere. */
  readonly canDelete: boolean;
  /** The vent is the user's: they can say that a comment of somebody else helped. */
  readonly canThank: boolean;
  /** A link leads to this one. */
  readonly isTarget: boolean;
  /** Sends the deletion. `hadFocus`: the focused button disappears with it. */
  readonly onDelete: (hadFocus: boolean) => Promise<void>;
  /** Opens what can be done about a comment of somebody else. */
  readonly onMore: () => void;
  /** A hidden comment was shown, or one was thanked for. */
  readonly onChange: (comment: CommentView) => void;
  /** It was folded by a press: its line takes the focus of what is gone. */
  readonly isJustHidden: boolean;
}

/** One comment. A deleted one is replaced by a line with Undo, and deleted on the server when that line ends. */
export function CommentItem({
  ventId,
  comment,
  canDelete,
  canThank,
  isTarget,
  onDelete,
  onMore,
  onChange,
  isJustHidden,
}: CommentItemProps) {
  const { t } = useLingui();
  const id = useId();
  const item = useRef<HTMLLIElement>(null);
  const { isPending, start, undo, pause, resume } = useUndoable(undoMs);
  const isSending = isOptimisticComment(comment);
  const isAway = useIsAway(comment);

  const wasPending = useRef(false);
  useEffect(() => {
    // The pressed button has been replaced by the other one. The one inside the text is for thanks.
    if (wasPending.current !== isPending)
      item.current?.querySelector<HTMLButtonElement>(':scope > button')?.focus();
    wasPending.current = isPending;
  }, [isPending]);

  useEffect(() => {
    if (!isTarget) return;
    item.current?.focus({ preventScroll: true });
    item.current?.scrollIntoView({ block: 'center' });
  }, [isTarget]);

  if (isPending) {
    return (
      <li ref={item} className={cx(styles.comment, styles.deleted)}>
        <span id={id}>
          <Trans>Comment deleted.</Trans>
        </span>
        <Button
          variant="quiet"
          aria-describedby={id}
          onClick={undo}
          // More time by keyboard, where it takes longer to reach.
          onFocus={({ target }) => target.matches(':focus-visible') && pause()}
          onBlur={resume}
        >
          <Trans>Undo</Trans>
        </Button>
      </li>
    );
  }
  if (isAway) {
    return (
      <li ref={item} tabIndex={isTarget ? -1 : undefined} className={styles.comment}>
        <Suspense fallback={null}>
          <LazyHiddenComment
            ventId={ventId}
            comment={comment}
            isJustHidden={isJustHidden}
            onChange={onChange}
          />
        </Suspense>
      </li>
    );
  }
  return (
    <li
      ref={item}
      tabIndex={isTarget ? -1 : undefined}
      className={cx(styles.comment, isSending && styles.sending, isTarget && styles.target)}
    >
      <Picture comment={comment} />
      <div className={styles.body}>
        <p className={styles.by}>
          <span className={cx(styles.name, comment.isAuthor && styles.author)}>
            {comment.isAuthor ? (
              <Trans>Author</Trans>
            ) : comment.userId.username === null ? (
              <Trans>Anonymous</Trans>
            ) : (
              <UserText>{comment.userId.username}</UserText>
            )}
          </span>
          <TeamBadge name={comment.userId.username} className={cx(styles.name, styles.author)} />
          {comment.isMine && (
            <span className={styles.time}>
              <Trans>You</Trans>
            </span>
          )}
          <Day at={comment.createdAt} className={styles.time} />
        </p>
        <bdi dir="auto" className={styles.text}>
          {comment.text}
        </bdi>
        {canThank && !comment.isMine && !isSending && (
          <ThankButton ventId={ventId} comment={comment} onChange={onChange} />
        )}
      </div>
      {(canDelete || comment.isMine) && !isSending && (
        <IconButton
          className={styles.delete}
          label={t`Delete comment`}
          icon={deleteIcon}
          iconSize={20}
          onClick={() => start(() => onDelete(item.current?.contains(document.activeElement) ?? false))}
        />
      )}
      {!comment.isMine && (
        <IconButton
          className={styles.delete}
          label={t`More about this comment`}
          icon={more}
          iconSize={20}
          onClick={onMore}
        />
      )}
    </li>
  );
}

/** The avatar of a named person, a neutral icon for anonymous comments, no picture for the vent's author. */
function Picture({ comment }: { readonly comment: CommentView }) {
  const { username, profilePic } = comment.userId;
  if (comment.isAuthor) return <span className={styles.noPicture} />;
  if (username !== null && profilePic !== null) return <Avatar src={profilePic} size={36} />;
  return (
    <span className={styles.neutral}>
      <Icon path={person} size={22} />
    </span>
  );
}
