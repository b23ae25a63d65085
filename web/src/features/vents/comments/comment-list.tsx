import type { CommentView, listComments, ResponseOf, VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import {
  Suspense,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type RefObject,
} from 'react';
import { failureText } from '../../../lib/error-text.ts';
import { addReadComments } from '../../../lib/read-comments.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { useCommentDeletions, useDeleteComment, useMoreComments } from './comments.api.ts';
import { commentMenu, LazyCommentMenu } from '../hiding/lazy-hiding.ts';
import { CommentItem } from './comment-item.tsx';
import { isOptimisticComment } from './optimistic-comment.ts';
import styles from './comments.module.css';

interface CommentListProps {
  readonly vent: VentView;
  /** Allows deleting any comment, on the user's own list. Their own comments can be deleted everywhere. */
  readonly canDelete?: boolean;
  readonly isInDialog?: boolean;
  /** The comment that a link leads to: scrolled to, focused, and marked for a moment. */
  readonly targetId?: string | undefined;
}

type CommentPage = ResponseOf<typeof listComments>;

/** Comments, oldest first. Starts with the newest twenty; earlier ones are loaded on demand. */
export function CommentList({ vent, canDelete, isInDialog, targetId }: CommentListProps) {
  const { t } = useLingui();
  const [earlier, setEarlier] = useState<readonly CommentView[]>([]);
  const [hasEarlier, setHasEarlier] = useState<boolean>();
  /** Comments between the earlier and the newest ones are not loaded yet. */
  const [hasGap, setHasGap] = useState(false);
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  /** Comments that were hidden, shown or thanked for here, as they are now. */
  const [changed, setChanged] = useState<ReadonlyMap<string, CommentView>>(new Map());
  const [menu, setMenu] = useState<{ readonly comment: CommentView; readonly isOpen: boolean }>();
  const [justHidden, setJustHidden] = useState<string>();
  const fetchMore = useMoreComments(vent._id);
  const deleteComment = useDeleteComment(vent._id);
  const deletions = useCommentDeletions(vent._id);
  const list = useRef<HTMLUListElement>(null);

  const newest = new Map(vent.comments.map((comment) => [comment._id, comment]));
  const isShown = ({ _id }: CommentView) => !deleted.has(_id) && !deletions.includes(_id);
  const before = earlier.filter((comment) => !newest.has(comment._id) && isShown(comment));
  const after = [...newest.values()].filter(isShown);
  const comments = [...before, ...after];
  const first = comments.find((comment) => !isOptimisticComment(comment));
  const isMoreBefore = hasEarlier ?? vent.commentCount > vent.comments.length;

  const showEarlier = async () => {
    if (!first) return;
    const page = await fetchMore.mutateAsync({ before: first._id });
    // Visible comments stay, even when newer ones push them out of the newest twenty.
    setEarlier([
      ...page.comments,
      ...(hasGap ? before : comments.filter((comment) => !isOptimisticComment(comment))),
    ]);
    setHasEarlier(page.hasOlder);
  };

  const hasGapAfter = ({ comments: found, hasNewer }: CommentPage) =>
    hasNewer && !found.some(({ _id }) => newest.has(_id));
  const closeGap = async () => {
    const last = before.at(-1);
    if (!last) return;
    const page = await fetchMore.mutateAsync({ from: last._id });
    setEarlier([...before, ...page.comments.filter(({ _id }) => _id !== last._id)]);
    setHasGap(hasGapAfter(page));
  };

  const [nearTarget, setNearTarget] = useState<string>();
  const target = targetId !== undefined && newest.has(targetId) ? targetId : nearTarget;
  const land = useEffectEvent((page: CommentPage) => {
    setEarlier(page.comments);
    setHasEarlier(page.hasOlder);
    setHasGap(hasGapAfter(page));
    // Deleted meanwhile: the next one, or else the last.
    setNearTarget(page.comments[0]?._id ?? vent.comments.at(-1)?._id);
  });
  const isFar = targetId !== undefined && !newest.has(targetId);
  const { mutate } = fetchMore;
  useEffect(() => {
    // If it fails, the newest comments are shown.
    if (isFar) mutate({ from: targetId }, { onSuccess: land });
  }, [mutate, isFar, targetId]);

  const shownIds = comments.map(({ _id }) => _id);
  useEffect(() => addReadComments(vent._id, shownIds));

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

  const change = (...now: readonly CommentView[]) =>
    setChanged((before) => new Map([...before, ...now.map((one) => [one._id, one] as const)]));
  const show = (comment: CommentView) => (
    <CommentItem
      key={comment._id}
      ventId={vent._id}
      comment={changed.get(comment._id) ?? comment}
      onMore={() =>
        commentMenu.show(() => setMenu({ comment: changed.get(comment._id) ?? comment, isOpen: true }))
      }
      onChange={change}
      isJustHidden={comment._id === justHidden}
      canDelete={canDelete ?? false}
      canThank={vent.isOwner}
      isTarget={comment._id === target}
      onDelete={(hadFocus) => removeComment(comment, hadFocus)}
    />
  );

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
            isBusy={fetchMore.isPending}
            onClick={() => void showEarlier().catch(() => undefined)}
          >
            <Trans>Earlier comments</Trans>
          </Button>
          {fetchMore.isError && (
            <ErrorCard>{failureText(fetchMore.error, t`Failed to fetch comments`)}</ErrorCard>
          )}
        </div>
      )}
      <ul role="list" ref={list} tabIndex={-1} className={styles.list} aria-label={t`Comments`}>
        {before.map(show)}
        {hasGap && (
          <li className={styles.earlier}>
            <Button
              variant="quiet"
              isBusy={fetchMore.isPending}
              onClick={() => void closeGap().catch(() => undefined)}
            >
              <Trans>More comments</Trans>
            </Button>
          </li>
        )}
        {after.map(show)}
      </ul>
      {menu && (
        <Suspense fallback={null}>
          <LazyCommentMenu
            key={menu.comment._id}
            vent={vent}
            comment={menu.comment}
            isOpen={menu.isOpen}
            onClose={() => setMenu({ ...menu, isOpen: false })}
            comments={comments}
            onChange={(...now) => {
              setJustHidden(menu.comment._id);
              change(...now);
            }}
            onRemoved={() => setDeleted((ids) => new Set([...ids, menu.comment._id]))}
          />
        </Suspense>
      )}
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
