import type { CommentView, VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { failureText } from '../../../lib/error-text.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Day } from '../../../ui/time-ago.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { useDeleteComment, useEarlierComments } from '../vents.api.ts';
import { isOptimisticComment } from './optimistic-comment.ts';
import deleteIcon from '@material-symbols/svg-400/rounded/delete.svg?path';
import person from '@material-symbols/svg-400/rounded/person-fill.svg?path';
import styles from './comments.module.css';

interface CommentListProps {
  readonly vent: VentView;
  /** Allows deleting any comment, on the user's own list. Their own comments can be deleted everywhere. */
  readonly canDelete?: boolean;
  readonly isInDialog?: boolean;
}

/** Comments, oldest first. Starts with the newest twenty; earlier ones are loaded on demand. */
export function CommentList({ vent, canDelete, isInDialog }: CommentListProps) {
  const { t } = useLingui();
  const [earlier, setEarlier] = useState<readonly CommentView[]>([]);
  const [hasEarlier, setHasEarlier] = useState<boolean>();
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const fetchEarlier = useEarlierComments(vent._id);
  const remove = useDeleteComment(vent._id);
  const list = useRef<HTMLUListElement>(null);

  const newest = new Map(vent.comments.map((comment) => [comment._id, comment]));
  const comments = [...earlier.filter(({ _id }) => !newest.has(_id)), ...newest.values()].filter(
    ({ _id }) => !deleted.has(_id),
  );
  const first = comments.find((comment) => !isOptimisticComment(comment));
  const isMoreBefore = hasEarlier ?? vent.commentCount > vent.comments.length;

  const showEarlier = async () => {
    if (!first) return;
    const page = await fetchEarlier.mutateAsync(first._id);
    // Visible comments stay, even when newer ones push them out of the newest twenty.
    setEarlier([...page.comments, ...comments.filter((comment) => !isOptimisticComment(comment))]);
    setHasEarlier(page.hasOlder);
  };

  const removeComment = async (comment: CommentView) => {
    setDeleted((ids) => new Set([...ids, comment._id]));
    try {
      await remove.mutateAsync(comment);
    } catch {
      setDeleted((ids) => new Set([...ids].filter((id) => id !== comment._id)));
    }
  };

  useStickToBottom(list, isInDialog ? comments.at(-1) : undefined);

  if (comments.length === 0) {
    return (
      <p className={styles.none}>
        <Trans>No comments yet.</Trans>
      </p>
    );
  }
  return (
    <>
      {isMoreBefore && (
        <div className={styles.earlier}>
          <Button
            variant="quiet"
            isBusy={fetchEarlier.isPending}
            onClick={() => void showEarlier().catch(() => undefined)}
          >
            <Trans>Earlier comments</Trans>
          </Button>
          {fetchEarlier.isError && (
            <ErrorCard>{failureText(fetchEarlier.error, t`Failed to fetch comments`)}</ErrorCard>
          )}
        </div>
      )}
      <ul role="list" ref={list} className={styles.list} aria-label={t`Comments`}>
        {comments.map((comment) => (
          <li
            key={comment._id}
            className={cx(styles.comment, isOptimisticComment(comment) && styles.sending)}
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
                <Day at={comment.createdAt} className={styles.time} />
              </p>
              <bdi dir="auto" className={styles.text}>
                {comment.text}
              </bdi>
            </div>
            {(canDelete || comment.isMine) && !isOptimisticComment(comment) && (
              <IconButton
                className={styles.delete}
                label={t`Delete comment`}
                icon={deleteIcon}
                iconSize={20}
                onClick={() => void removeComment(comment)}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/**
 * Keeps a list in a dialog scrolled to its end, where the newest comment is, also when the list shrinks
 * because an error or a suggestion appears below it. Someone who has scrolled up is not moved, unless they
 * have just sent a comment. Positions are read, not taken from scroll events, which arrive a frame late.
 */
function useStickToBottom(list: RefObject<HTMLUListElement | null>, last: CommentView | undefined): void {
  const end = useRef<number>(undefined);
  const lastId = last?._id;
  const isSent = last !== undefined && isOptimisticComment(last);
  useLayoutEffect(() => {
    const scroller = list.current?.parentElement;
    if (lastId === undefined || !scroller) return;
    const follow = (isForced: boolean) => {
      const isAtEnd = end.current === undefined || scroller.scrollTop > end.current - 8;
      if (isForced || isAtEnd) scroller.scrollTo(0, scroller.scrollHeight);
      end.current = scroller.scrollHeight - scroller.clientHeight;
    };
    follow(isSent);
    const observer = new ResizeObserver(() => follow(false));
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [list, lastId, isSent]);
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
