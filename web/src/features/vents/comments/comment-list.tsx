import type { CommentView, VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { failureText } from '../../../lib/error-text.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { useCommentDeletions, useDeleteComment, useEarlierComments } from '../vents.api.ts';
import { CommentItem } from './comment-item.tsx';
import { isOptimisticComment } from './optimistic-comment.ts';
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
  const deleteComment = useDeleteComment(vent._id);
  const deletions = useCommentDeletions(vent._id);
  const list = useRef<HTMLUListElement>(null);

  const newest = new Map(vent.comments.map((comment) => [comment._id, comment]));
  const comments = [...earlier.filter(({ _id }) => !newest.has(_id)), ...newest.values()].filter(
    ({ _id }) => !deleted.has(_id) && !deletions.includes(_id),
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

  // Focus moves to the list when the row that had it is gone.
  const losesFocus = useRef(false);
  const none = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (losesFocus.current) (list.current ?? none.current)?.focus({ preventScroll: true });
    losesFocus.current = false;
  });

  const removeComment = async (comment: CommentView, hadFocus: boolean) => {
    setDeleted((ids) => new Set([...ids, comment._id]));
    losesFocus.current = hadFocus;
    try {
      await deleteComment(comment);
    } catch {
      setDeleted((ids) => new Set([...ids].filter((id) => id !== comment._id)));
    }
  };

  useStickToBottom(list, isInDialog ? comments.at(-1) : undefined);

  if (comments.length === 0) {
    return (
      <p ref={none} tabIndex={-1} className={styles.none}>
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
      <ul role="list" ref={list} tabIndex={-1} className={styles.list} aria-label={t`Comments`}>
        {comments.map((comment) => (
          <CommentItem
            key={comment._id}
            comment={comment}
            canDelete={canDelete ?? false}
            onDelete={(hadFocus) => removeComment(comment, hadFocus)}
          />
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
