import type { CommentView, VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Day } from '../../ui/time-ago.tsx';
import { Words } from '../../ui/words.tsx';
import { isStandIn } from './stand-in.ts';
import { useDeleteComment, useEarlierComments } from './vents.api.ts';
import deleteIcon from '@material-symbols/svg-400/rounded/delete.svg?path';
import person from '@material-symbols/svg-400/rounded/person-fill.svg?path';
import styles from './comments.module.css';

interface CommentListProps {
  readonly vent: VentView;
  /** Any comment, on one's own list alone. One's own comment can be deleted wherever it is shown. */
  readonly canDelete?: boolean;
  readonly isInDialog?: boolean;
}

/** Oldest first; those before the newest twenty when asked for. */
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
  const first = comments.find((comment) => !isStandIn(comment));
  const isMoreBefore = hasEarlier ?? vent.commentCount > vent.comments.length;

  const showEarlier = async () => {
    if (!first) return;
    const answer = await fetchEarlier.mutateAsync(first._id);
    // What is in sight stays, also when newer comments push it out of the newest twenty.
    setEarlier([...answer.comments, ...comments.filter((comment) => !isStandIn(comment))]);
    setHasEarlier(answer.hasOlder);
  };

  const forget = async (comment: CommentView) => {
    setDeleted((ids) => new Set([...ids, comment._id]));
    try {
      await remove.mutateAsync(comment);
    } catch {
      setDeleted((ids) => new Set([...ids].filter((id) => id !== comment._id)));
    }
  };

  useEndInSight(list, isInDialog ? comments.at(-1)?._id : undefined);

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
          <li key={comment._id} className={cx(styles.comment, isStandIn(comment) && styles.sending)}>
            <Picture comment={comment} />
            <div className={styles.body}>
              <p className={styles.by}>
                <span className={cx(styles.name, comment.isAuthor && styles.author)}>
                  {comment.isAuthor ? (
                    <Trans>Author</Trans>
                  ) : comment.userId.username === null ? (
                    <Trans>Anonymous</Trans>
                  ) : (
                    <Words>{comment.userId.username}</Words>
                  )}
                </span>
                <Day at={comment.createdAt} className={styles.time} />
              </p>
              <bdi dir="auto" className={styles.text}>
                {comment.text}
              </bdi>
            </div>
            {(canDelete || comment.isMine) && !isStandIn(comment) && (
              <IconButton
                className={styles.delete}
                label={t`Delete comment`}
                icon={deleteIcon}
                iconSize={20}
                onClick={() => void forget(comment)}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/**
 * In a dialog the newest is what one came for, and what one has just said must be in sight: also when the
 * room for it shrinks, because an error or an opener stands beneath it now.
 */
function useEndInSight(list: RefObject<HTMLUListElement | null>, lastId: string | undefined): void {
  useEffect(() => {
    const room = list.current?.parentElement;
    if (lastId === undefined || !room) return;
    let fromEnd = 0;
    const remember = () => {
      fromEnd = room.scrollHeight - room.clientHeight - room.scrollTop;
    };
    // Told at once, and then of every change. Whoever has scrolled up to read is left where they are.
    const observer = new ResizeObserver(() => {
      if (fromEnd < 8) room.scrollTop = room.scrollHeight;
    });
    observer.observe(room);
    room.addEventListener('scroll', remember);
    return () => {
      observer.disconnect();
      room.removeEventListener('scroll', remember);
    };
  }, [list, lastId]);
}

/** A chosen name has its picture; the nameless a neutral one; whoever wrote the vent none at all. */
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
